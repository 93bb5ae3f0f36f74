// SPDX-License-Identifier: GPL-2.0-only
/* Whether auto finds the cheaper way, in time, and stays with it, whatever the noise. */
#include "shim.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include "../fastpath/auto.c"

/* A world in which a send of KiB takes so long and costs so much, each way. */
struct world {
	struct nettoll_auto a;
	u64 now;
	u64 elapsed[NETTOLL_WAYS];
	u64 cpu[NETTOLL_WAYS];
	unsigned int noise;
	u32 seed;
	unsigned int sends[NETTOLL_WAYS];
};

static u32 chance(struct world *w, u32 n)
{
	w->seed = w->seed * 1664525 + 1013904223;
	return n ? (w->seed >> 8) % n : 0;
}

/* Up to so many percent more, and once in a hundred sends five times as much. */
static u64 noisy(struct world *w, u64 ns)
{
	if (w->noise && chance(w, 100) == 0)
		return 5 * ns;
	return ns + ns * chance(w, w->noise + 1) / 100;
}

static void sends(struct world *w, unsigned int n, size_t len)
{
	struct nettoll_auto_send s;
	enum nettoll_way way;
	bool measure;

	memset(w->sends, 0, sizeof(w->sends));
	while (n--) {
		way = nettoll_auto_way(&w->a, len, &measure);
		w->sends[way]++;
		s.start = w->now;
		w->now += noisy(w, w->elapsed[way] * len / 1024);
		s.end = w->now;
		s.cpu = noisy(w, w->cpu[way] * len / 1024);
		s.bytes = len;
		if (measure)
			nettoll_auto_note(&w->a, len, &s);
	}
}

static struct world world(u64 copy, u64 zerocopy, u64 copy_cpu, u64 zerocopy_cpu)
{
	return (struct world){
		.now = 1000, .elapsed = { copy, zerocopy }, .cpu = { copy_cpu, zerocopy_cpu }, .seed = 1,
	};
}

static void finds_the_faster(void **state)
{
	struct world w = world(1000, 700, 500, 500);

	sends(&w, NETTOLL_AUTO_LEARNING, 16384);
	assert_int_equal(w.sends[NETTOLL_WAY_COPY], NETTOLL_AUTO_LEARNING / 2);
	sends(&w, 1000, 16384);
	assert_int_equal(w.sends[NETTOLL_WAY_ZEROCOPY], 1000);

	w = world(700, 1000, 500, 100);
	sends(&w, NETTOLL_AUTO_LEARNING, 16384);
	sends(&w, 1000, 16384);
	assert_int_equal(w.sends[NETTOLL_WAY_COPY], 1000);
}

static void of_equals_the_cheaper(void **state)
{
	struct world w = world(1000, 1005, 900, 300);

	sends(&w, NETTOLL_AUTO_LEARNING, 16384);
	sends(&w, 100, 16384);
	assert_int_equal(w.sends[NETTOLL_WAY_ZEROCOPY], 100);
	/* Alike in all: as without. */
	w = world(1000, 1000, 300, 300);
	sends(&w, NETTOLL_AUTO_LEARNING, 16384);
	sends(&w, 100, 16384);
	assert_int_equal(w.sends[NETTOLL_WAY_COPY], 100);
}

static void learns_by_size(void **state)
{
	struct world w = world(1000, 2000, 500, 500);

	sends(&w, NETTOLL_AUTO_LEARNING, 2048);
	w.elapsed[NETTOLL_WAY_ZEROCOPY] = 500;
	sends(&w, NETTOLL_AUTO_LEARNING, 1 << 20);
	sends(&w, 100, 2048);
	assert_int_equal(w.sends[NETTOLL_WAY_COPY], 100);
	sends(&w, 100, 1 << 20);
	assert_int_equal(w.sends[NETTOLL_WAY_ZEROCOPY], 100);
	/* None is beyond the table. */
	sends(&w, 100, 1);
	sends(&w, 100, 1ul << 40);
}

static void bears_noise(void **state)
{
	unsigned int right = 0;
	u32 seed;

	for (seed = 1; seed <= 200; seed++) {
		struct world w = world(1000, 800, 500, 500);

		w.noise = 10;
		w.seed = seed * 7919;
		sends(&w, NETTOLL_AUTO_LEARNING, 16384);
		right += w.a.size[2].best == NETTOLL_WAY_ZEROCOPY;
	}
	assert_true(right >= 196);
}

/* Of a long time the other way takes less than one part in a hundred. */
static void never_costs_much(void **state)
{
	struct world w = world(1000, 2000, 500, 500);
	u64 start;

	sends(&w, NETTOLL_AUTO_LEARNING, 16384);
	start = w.now;
	sends(&w, 200000, 16384);
	assert_true((w.now - start) * 99 <= 200000ull * 16000 * 100);
	assert_true(w.sends[NETTOLL_WAY_ZEROCOPY] >= NETTOLL_AUTO_BLOCK);
}

static void follows_a_change(void **state)
{
	struct world w = world(1000, 700, 500, 500);

	w.noise = 5;
	sends(&w, NETTOLL_AUTO_LEARNING + 100, 16384);
	w.elapsed[NETTOLL_WAY_ZEROCOPY] = 1500;
	sends(&w, 2 * NETTOLL_AUTO_INTERVAL + 200, 16384);
	sends(&w, 1000, 16384);
	assert_true(w.sends[NETTOLL_WAY_COPY] >= 990);
	/* And back, however sure it has become meanwhile. */
	sends(&w, 4 * NETTOLL_AUTO_INTERVAL_MAX, 16384);
	w.elapsed[NETTOLL_WAY_ZEROCOPY] = 500;
	sends(&w, NETTOLL_AUTO_INTERVAL_MAX + 200, 16384);
	sends(&w, 1000, 16384);
	assert_true(w.sends[NETTOLL_WAY_ZEROCOPY] >= 990);
}

/* While all slows down, the way that comes second looks no worse for it. */
static void bears_a_drift(void **state)
{
	struct world w = world(1000, 900, 500, 500);
	int i;

	for (i = 0; i < NETTOLL_AUTO_LEARNING; i++) {
		sends(&w, 1, 16384);
		w.elapsed[NETTOLL_WAY_COPY] += 10;
		w.elapsed[NETTOLL_WAY_ZEROCOPY] += 9;
	}
	assert_int_equal(w.a.size[2].best, NETTOLL_WAY_ZEROCOPY);
}

/* Copying only fills a queue, for which the next send pays that waits for its own. */
static void queues_hide_nothing(void **state)
{
	struct world w = world(0, 0, 100, 100);
	u64 queued = 0;
	int i;

	for (i = 0; i < NETTOLL_AUTO_LEARNING; i++) {
		struct nettoll_auto_send s = { .start = w.now, .cpu = 1000, .bytes = 65536 };
		enum nettoll_way way;
		bool measure;

		way = nettoll_auto_way(&w.a, 65536, &measure);
		if (way == NETTOLL_WAY_COPY) {
			/* The CPU copies at once; the rest takes as long again, later. */
			w.now += 30000;
			queued += 30000;
		} else {
			w.now += queued + 45000;
			queued = 0;
		}
		s.end = w.now;
		nettoll_auto_note(&w.a, 65536, &s);
	}
	assert_int_equal(w.a.size[3].best, NETTOLL_WAY_ZEROCOPY);
	assert_in_range(w.a.size[3].cost[NETTOLL_WAY_COPY].elapsed, 60000 / 64 - 1, 60000 / 64 + 1);
	assert_in_range(w.a.size[3].cost[NETTOLL_WAY_ZEROCOPY].elapsed, 45000 / 64 - 1, 45000 / 64 + 1);
}

static void pauses_hide_nothing(void **state)
{
	struct world w = world(1000, 1000, 900, 300);
	int i;

	/* A program that sends once in a while: time is alike, so the CPU decides. */
	for (i = 0; i < NETTOLL_AUTO_LEARNING; i++) {
		sends(&w, 1, 16384);
		w.now += 10000000 + chance(&w, 10000000);
	}
	assert_int_equal(w.a.size[2].best, NETTOLL_WAY_ZEROCOPY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_faster),
		cmocka_unit_test(of_equals_the_cheaper),
		cmocka_unit_test(learns_by_size),
		cmocka_unit_test(bears_noise),
		cmocka_unit_test(never_costs_much),
		cmocka_unit_test(follows_a_change),
		cmocka_unit_test(bears_a_drift),
		cmocka_unit_test(queues_hide_nothing),
		cmocka_unit_test(pauses_hide_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
