// SPDX-License-Identifier: GPL-2.0-only
/*
 * Learning whether sends cost less copied or not. Both ways are tried in turn,
 * in short blocks, so that what else goes on meets both alike; medians are
 * compared, so that one disturbance decides nothing. Time comes first: a way
 * by which the socket sends less is not taken, however little CPU it costs.
 */
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "auto.h"

/* By so many parts in a hundred two costs have to differ for the difference to count. */
#define MARGIN	2
/* An idle program's pauses are alike either way, and would only hide the difference. */
#define PAUSE_MAX_NS	1000000

static struct nettoll_auto_class *class_of(struct nettoll_auto *a, size_t len)
{
	unsigned int kib = len >> 10 ?: 1;

	return &a->size[min_t(unsigned int, ilog2(kib) / 2, NETTOLL_AUTO_CLASSES - 1)];
}

static enum nettoll_way other(unsigned int way)
{
	return way == NETTOLL_WAY_COPY ? NETTOLL_WAY_ZEROCOPY : NETTOLL_WAY_COPY;
}

/* Which way a block goes: one is copied, the next is not. */
static enum nettoll_way block_way(const struct nettoll_auto_class *c)
{
	return c->block % 2 ? NETTOLL_WAY_ZEROCOPY : NETTOLL_WAY_COPY;
}

/* Of four the mean of the two in the middle. */
static u32 median(const struct nettoll_auto_cost *cost, bool cpu)
{
	u32 v[NETTOLL_AUTO_ROUNDS];
	int i, j;

	for (i = 0; i < NETTOLL_AUTO_ROUNDS; i++) {
		u32 x = cpu ? cost[i].cpu : cost[i].elapsed;

		for (j = i; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
	return v[NETTOLL_AUTO_ROUNDS / 2 - 1] / 2 + v[NETTOLL_AUTO_ROUNDS / 2] / 2;
}

static bool less(u64 a, u64 b)
{
	return a * 100 < b * (100 - MARGIN);
}

/* The better way; where they are alike, @now. */
static enum nettoll_way better(const struct nettoll_auto_cost *cost, enum nettoll_way now)
{
	enum nettoll_way then = other(now);

	if (less(cost[then].elapsed, cost[now].elapsed))
		return then;
	if (less(cost[now].elapsed, cost[then].elapsed))
		return now;
	return less(cost[then].cpu, cost[now].cpu) ? then : now;
}

static void sums_clear(struct nettoll_auto_class *c)
{
	memset(&c->copy, 0, sizeof(c->copy));
	memset(&c->first, 0, sizeof(c->first));
	memset(&c->rest, 0, sizeof(c->rest));
}

static void begin(struct nettoll_auto_class *c, bool checking)
{
	c->checking = checking;
	c->block = 0;
	c->at = 0;
	c->last = 0;
	sums_clear(c);
}

static void learned(struct nettoll_auto_class *c)
{
	unsigned int way;

	for (way = 0; way < NETTOLL_WAYS; way++) {
		c->cost[way].elapsed = median(c->round[way], false);
		c->cost[way].cpu = median(c->round[way], true);
	}
	c->best = better(c->cost, NETTOLL_WAY_COPY);
	c->known = true;
	c->interval = NETTOLL_AUTO_INTERVAL;
	c->left = c->interval;
}

/* If the other way was never worse than the best was at its best, learn again. */
static void checked(struct nettoll_auto_class *c)
{
	const struct nettoll_auto_cost *same = c->round[c->best], *than = c->round[other(c->best)];
	struct nettoll_auto_cost pair[NETTOLL_WAYS];

	pair[other(c->best)].elapsed = max(than[0].elapsed, than[1].elapsed);
	pair[other(c->best)].cpu = max(than[0].cpu, than[1].cpu);
	pair[c->best].elapsed = min(same[0].elapsed, same[1].elapsed);
	pair[c->best].cpu = min(same[0].cpu, same[1].cpu);
	c->cost[c->best] = pair[c->best];
	c->cost[other(c->best)] = pair[other(c->best)];
	if (better(pair, c->best) != c->best) {
		c->known = false;
		begin(c, false);
		return;
	}
	c->interval = min_t(u32, 2 * c->interval, NETTOLL_AUTO_INTERVAL_MAX);
	c->left = c->interval;
	c->checking = false;
}

/**
 * nettoll_auto_copies() - whether the next send is copied, and nothing is to be measured
 * @a: what the socket has learned
 * @len: bytes of the send
 *
 * Needs no lock: of sends at the same time one may not count towards the next check.
 */
bool nettoll_auto_copies(struct nettoll_auto *a, size_t len)
{
	struct nettoll_auto_class *c = class_of(a, len);
	u32 left = READ_ONCE(c->left);

	if (!READ_ONCE(c->known) || READ_ONCE(c->checking) || c->best != NETTOLL_WAY_COPY ||
	    left < 2)
		return false;
	WRITE_ONCE(c->left, left - 1);
	return true;
}

/**
 * nettoll_auto_way() - which way the next send goes
 * @a: what the socket has learned, zeroed at first
 * @len: bytes of the send
 * @measure: whether it is to be measured, for nettoll_auto_note()
 */
enum nettoll_way nettoll_auto_way(struct nettoll_auto *a, size_t len, bool *measure)
{
	struct nettoll_auto_class *c = class_of(a, len);

	if (c->known && !c->checking) {
		*measure = false;
		if (--c->left)
			return c->best;
		begin(c, true);
	}
	*measure = true;
	return block_way(c);
}

static u32 per_kib(u64 ns, u64 bytes)
{
	return min_t(u64, div64_u64(ns << 10, bytes ?: 1), U32_MAX);
}

/*
 * Copying returns while much still waits to be sent, and the send that follows
 * and waits for what it sends waits for that too. So its time counts as
 * copying's, less what it would take by itself.
 */
static void round_end(struct nettoll_auto_class *c)
{
	struct nettoll_auto_cost *copy = &c->round[NETTOLL_WAY_COPY][c->block / 2];
	struct nettoll_auto_cost *rest = &c->round[NETTOLL_WAY_ZEROCOPY][c->block / 2];
	u64 own, all = c->copy.elapsed + c->first.elapsed;

	rest->elapsed = per_kib(c->rest.elapsed, c->rest.bytes);
	rest->cpu = per_kib(c->rest.cpu, c->rest.bytes);
	own = (u64)rest->elapsed * c->first.bytes >> 10;
	copy->elapsed = per_kib(max(all - min(all, own), c->copy.elapsed), c->copy.bytes);
	copy->cpu = per_kib(c->copy.cpu, c->copy.bytes);
	sums_clear(c);
}

static void block_end(struct nettoll_auto_class *c)
{
	if (block_way(c) == NETTOLL_WAY_ZEROCOPY)
		round_end(c);
	c->block++;
	c->at = 0;
	if (c->checking && c->block == 2 * NETTOLL_AUTO_CHECK_ROUNDS)
		checked(c);
	else if (!c->checking && c->block == 2 * NETTOLL_AUTO_ROUNDS)
		learned(c);
}

/**
 * nettoll_auto_note() - a send that was to be measured has ended
 * @a: what the socket has learned
 * @len: bytes that it was to send
 * @send: what it took
 */
void nettoll_auto_note(struct nettoll_auto *a, size_t len, const struct nettoll_auto_send *send)
{
	struct nettoll_auto_class *c = class_of(a, len);
	struct nettoll_auto_sum *sum = &c->copy;
	u64 pause = 0;

	/* Another thread has ended the block meanwhile. */
	if (c->known && !c->checking)
		return;
	if (block_way(c) == NETTOLL_WAY_ZEROCOPY)
		sum = c->at < NETTOLL_AUTO_SKIP ? &c->first : &c->rest;
	if (c->last && send->start > c->last)
		pause = send->start - c->last;
	sum->elapsed += send->end - send->start + min_t(u64, pause, PAUSE_MAX_NS);
	sum->cpu += send->cpu;
	sum->bytes += send->bytes;
	c->last = send->end;
	if (++c->at == NETTOLL_AUTO_BLOCK)
		block_end(c);
}
