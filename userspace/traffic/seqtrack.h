/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loss, reordering and duplicates from sequence numbers; nearly free while all is well. */
#ifndef NETTOLL_TRAFFIC_SEQTRACK_H
#define NETTOLL_TRAFFIC_SEQTRACK_H

#include <stdbool.h>
#include <stdint.h>

/* How far back a late message can still be told from a duplicate. */
#define SEQ_WINDOW	(1u << 20)

/*
 * Only missing messages are remembered: a bit each, in a ring of SEQ_WINDOW bits. While nothing is
 * missing, an in-order arrival is one comparison and one increment.
 */
struct seqtrack {
	uint64_t base;		/* first sequence number that counts */
	uint64_t next;		/* highest seen plus one */
	uint64_t missing;	/* bits set in the ring */
	uint64_t expired;	/* missing ones that left the window */
	uint64_t reordered;
	uint64_t reorder_max;	/* greatest distance behind the highest seen */
	uint64_t duplicates;
	uint64_t early;		/* below base: warm-up */
	uint64_t *ring;
};

/** seqtrack_init() - expect @base first. Return: 0 or -ENOMEM */
int seqtrack_init(struct seqtrack *t, uint64_t base);

void seqtrack_free(struct seqtrack *t);

/** seqtrack_slow() - everything but the expected arrival; true if @seq is new and counts */
bool seqtrack_slow(struct seqtrack *t, uint64_t seq);

/** seqtrack_add() - @seq arrived. Return: true if it counts (not warm-up, not a duplicate) */
static inline bool seqtrack_add(struct seqtrack *t, uint64_t seq)
{
	if (__builtin_expect(seq == t->next && !t->missing, 1)) {
		t->next++;
		return true;
	}
	return seqtrack_slow(t, seq);
}

/** seqtrack_received() - distinct counted messages so far */
static inline uint64_t seqtrack_received(const struct seqtrack *t)
{
	return t->next - t->base - t->missing - t->expired;
}

/** seqtrack_lost() - counted messages that have not arrived of [base, @end) */
uint64_t seqtrack_lost(const struct seqtrack *t, uint64_t end);

#endif
