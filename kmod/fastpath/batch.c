// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a datagram is gathered and when a batch leaves.
 *
 * A socket that was idle sends its first datagram at once. What follows within
 * the bound is gathered, as long as it pays: at least a few datagrams must fit
 * between now and the moment when the batch has to be sent so that its last
 * datagram, too, leaves within the bound of the first. What gathering and
 * sending take is measured all the time.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "batch.h"

/* Fewer datagrams are not worth a batch. */
#define WORTH		3
/* After failing over and over, and where segmentation was refused. */
#define SKIP_MOST	255
#define SKIP_REFUSED	4095
/* Until it is known better. */
#define LEAD_FIRST	8000
#define LEAD_LEAST	1000

static u32 clamp_ns(u64 ns)
{
	return min_t(u64, ns, U32_MAX / 4);
}

/* Up at once, down slowly: what is too late cannot be taken back. */
static u32 peak(u32 known, u64 seen)
{
	u32 ns = clamp_ns(seen);

	return ns >= known ? ns : known - (known - ns) / 8;
}

/** nettoll_pace_init() - nothing is known yet */
void nettoll_pace_init(struct nettoll_pace *p)
{
	*p = (struct nettoll_pace){ .lead = LEAD_FIRST };
}

/** nettoll_pace_skips() - whether a send goes alone since gathering did not pay */
bool nettoll_pace_skips(struct nettoll_pace *p)
{
	if (!p->skip)
		return false;
	p->skip--;
	p->last = 0;
	return true;
}

/** nettoll_pace_busy() - whether the last send ended less than half of @ns ago */
bool nettoll_pace_busy(const struct nettoll_pace *p, u64 now, u64 ns)
{
	return p->last && now - p->last < ns / 2;
}

/**
 * nettoll_pace_plan() - whether to begin a batch
 * @p: what is known of the socket
 * @limit: of the rule
 * @size: of the first datagram
 * @now: the time
 * @wait: where to put when it leaves at the latest, from now
 *
 * Return: after how many datagrams it leaves, 0 to send this one alone.
 */
u32 nettoll_pace_plan(struct nettoll_pace *p, const struct nettoll_batch_limit *limit, u32 size,
		      u64 now, u64 *wait)
{
	u32 n = min_t(u32, limit->datagrams, NETTOLL_BATCH_MOST);
	u32 gap = p->gap;
	u64 left;

	if (!size || !nettoll_pace_busy(p, now, limit->ns))
		return 0;
	if (!gap)
		gap = clamp_ns(now - p->last);
	left = limit->ns > p->lead ? limit->ns - p->lead : 0;
	n = min_t(u64, n, limit->bytes / size);
	n = min_t(u64, n, div_u64(left, max(gap + p->cost, 1U)));
	if (n < WORTH) {
		/* Nothing is learned from batches that are not begun; what was told must fade. */
		p->cost -= p->cost / 8;
		p->gap -= p->gap / 8;
		return 0;
	}
	*wait = left - (u64)n * p->cost;
	return n;
}

/** nettoll_pace_alone() - a send that went alone took from @began to @ended */
void nettoll_pace_alone(struct nettoll_pace *p, u64 began, u64 ended)
{
	u32 took = clamp_ns(ended - began);

	p->last = ended;
	p->alone = p->alone ? p->alone - p->alone / 4 + took / 4 : took;
	if (!p->cost)
		p->cost = took;
}

/** nettoll_pace_missed() - what was to be gathered did not go together */
void nettoll_pace_missed(struct nettoll_pace *p)
{
	p->backoff = min(p->backoff * 2 + 1, SKIP_MOST);
	p->skip = p->backoff;
}

/** nettoll_pace_refused() - segmentation does not work for the socket */
void nettoll_pace_refused(struct nettoll_pace *p)
{
	p->skip = SKIP_REFUSED;
}

/** nettoll_pace_again() - what it was refused for may be no more */
void nettoll_pace_again(struct nettoll_pace *p)
{
	if (p->skip > SKIP_MOST)
		p->skip = 0;
}

/** nettoll_pace_woken() - the timer's batch was being sent so long after its time */
void nettoll_pace_woken(struct nettoll_pace *p, u64 late)
{
	p->lead = max_t(u32, peak(p->lead, late), LEAD_LEAST);
}

/**
 * nettoll_pace_left() - a batch has left
 * @p: what is known of the socket
 * @n: how many datagrams
 * @gathered: from the first being accepted to the batch being sent
 * @took: sending it
 */
void nettoll_pace_left(struct nettoll_pace *p, u32 n, u64 gathered, u64 took)
{
	u64 each = div_u64(took, n);

	p->cost = peak(p->cost, each);
	/* Accepting a datagram is not free either, nor is a timer for each batch. */
	if (n < WORTH || (p->alone && each > p->alone - p->alone / 8 - p->alone / 4 / n)) {
		nettoll_pace_missed(p);
		return;
	}
	p->backoff = 0;
	p->gap = peak(p->gap, div_u64(gathered, n));
}

/**
 * nettoll_batch_add() - a datagram is to go with a batch
 * @b: the batch, with at least one datagram
 * @len: of the datagram
 *
 * Return: whether it does, and then it counts as in it.
 */
enum nettoll_join nettoll_batch_add(struct nettoll_batch *b, u32 len)
{
	if (!len || len > b->size || b->n >= b->limit)
		return NETTOLL_JOIN_NO;
	b->n++;
	b->bytes += len;
	/* Nothing goes behind a shorter one, until it has left. */
	if (len < b->size)
		b->limit = b->n;
	return b->n == b->limit ? NETTOLL_JOIN_LAST : NETTOLL_JOIN_MORE;
}
