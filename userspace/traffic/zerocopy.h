/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring of buffers lent to the kernel by MSG_ZEROCOPY, and how completions give them back. */
#ifndef NETTOLL_TRAFFIC_ZEROCOPY_H
#define NETTOLL_TRAFFIC_ZEROCOPY_H

#include <stdbool.h>
#include <stdint.h>

#include "traffic/engine.h"

/* Sends in flight are numbered by the kernel; this many of them are remembered. */
#define ZC_IDS		32768u

/*
 * A slot is free again when every send that touched it is complete; TCP may need several sends for
 * one message. Completions may come out of order, so each slot counts for itself.
 */
struct zc_ring {
	unsigned char *mem;
	size_t stride;		/* bytes from slot to slot, whole pages */
	uint32_t slots;
	uint32_t next;		/* slot the next message goes to */
	uint16_t *pending;	/* by slot: sends not complete */
	uint32_t next_id;	/* what the kernel will call the next send */
	uint32_t in_flight;
	uint32_t limit;		/* sends in flight the socket bears; learnt from ENOBUFS */
	struct zc_send { uint32_t slot, len; } *sends;	/* by id modulo ZC_IDS */
};

/** zc_init() - map a ring for sends of up to @len bytes each */
int zc_init(struct zc_ring *z, struct run *r, uint32_t len);
void zc_free(struct zc_ring *z);

/** zc_buffer() - memory of the @ahead-th next slot, NULL while the kernel still holds it */
static inline void *zc_buffer(const struct zc_ring *z, uint32_t ahead)
{
	uint32_t slot = (z->next + ahead) % z->slots;

	if (z->pending[slot] || z->in_flight + ahead >= z->limit || ahead >= z->slots)
		return NULL;
	return z->mem + slot * z->stride;
}

/** zc_sent() - the kernel took @len bytes of the next slot; @last: those were its last */
static inline void zc_sent(struct zc_ring *z, struct run *r, uint32_t len, bool last)
{
	z->sends[z->next_id++ % ZC_IDS] = (struct zc_send) { z->next, len };
	z->pending[z->next]++;
	z->in_flight++;
	r->tx.zc_sends++;
	if (last)
		z->next = (z->next + 1) % z->slots;
}

/** zc_reap() - read completions; with @wait, sleep for the first. Return: 0 or a failure */
int zc_reap(struct zc_ring *z, struct run *r, bool wait);

/** zc_full() - ENOBUFS: wait for room, or fail if nothing in flight could make any */
int zc_full(struct zc_ring *z, struct run *r);

/** zc_drain() - wait until the kernel has given back everything */
int zc_drain(struct zc_ring *z, struct run *r);

#endif
