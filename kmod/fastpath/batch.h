/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When a datagram is gathered and when a batch leaves: arithmetic alone, which
 * knows neither sockets nor clocks.
 */
#ifndef NETTOLL_FASTPATH_BATCH_H
#define NETTOLL_FASTPATH_BATCH_H

#include <linux/types.h>

/* What the kernel cuts one large packet into at most, UDP_MAX_SEGMENTS. */
#define NETTOLL_BATCH_MOST	64

/**
 * struct nettoll_batch_limit - how much may be gathered
 * @datagrams: at most so many
 * @bytes: of all of them
 * @ns: from the first datagram being accepted to the last leaving, nanoseconds
 */
struct nettoll_batch_limit {
	u32 datagrams;
	u32 bytes;
	u64 ns;
};

/**
 * struct nettoll_batch - datagrams of one size, the last may be shorter
 * @n: how many, 0 for no batch
 * @size: of each
 * @bytes: of all
 * @limit: datagrams after which it leaves
 */
struct nettoll_batch {
	u32 n;
	u32 size;
	u32 bytes;
	u32 limit;
};

/**
 * enum nettoll_join - what becomes of a datagram
 * @NETTOLL_JOIN_NO: it does not go with the batch, which has to leave first
 * @NETTOLL_JOIN_MORE: it is in the batch, which waits for more
 * @NETTOLL_JOIN_LAST: it is in the batch, which has to leave now
 */
enum nettoll_join {
	NETTOLL_JOIN_NO,
	NETTOLL_JOIN_MORE,
	NETTOLL_JOIN_LAST,
};

/**
 * struct nettoll_pace - what was learned of a socket, all times in nanoseconds
 * @last: when its last send that went alone had ended, 0 for never
 * @gap: from one gathered datagram to the next
 * @cost: of sending a batch, for each of its datagrams
 * @alone: what a send that goes alone takes
 * @lead: from the timer to the moment when the batch is being sent
 * @skip: sends that go alone before gathering is tried again
 * @backoff: what @skip becomes when it fails again
 */
struct nettoll_pace {
	u64 last;
	u32 gap;
	u32 cost;
	u32 alone;
	u32 lead;
	u16 skip;
	u16 backoff;
};

void nettoll_pace_init(struct nettoll_pace *p);
bool nettoll_pace_skips(struct nettoll_pace *p);
bool nettoll_pace_busy(const struct nettoll_pace *p, u64 now, u64 ns);
u32 nettoll_pace_plan(struct nettoll_pace *p, const struct nettoll_batch_limit *limit, u32 size,
		      u64 now, u64 *wait);
void nettoll_pace_alone(struct nettoll_pace *p, u64 began, u64 ended);
void nettoll_pace_missed(struct nettoll_pace *p);
void nettoll_pace_refused(struct nettoll_pace *p);
void nettoll_pace_again(struct nettoll_pace *p);
void nettoll_pace_woken(struct nettoll_pace *p, u64 late);
void nettoll_pace_left(struct nettoll_pace *p, u32 n, u64 gathered, u64 took);
enum nettoll_join nettoll_batch_add(struct nettoll_batch *b, u32 len);

#endif /* NETTOLL_FASTPATH_BATCH_H */
