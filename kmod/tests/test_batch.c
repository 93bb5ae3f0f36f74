// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastpath/batch.c: what is gathered, and that it leaves in time.
 */
#include "shim.h"

#ifndef U32_MAX
#define U32_MAX		UINT32_MAX
#endif
#ifndef div_u64
#define div_u64(a, b)	((u64)(a) / (u32)(b))
#endif

#include "../fastpath/batch.c"

#define US	1000ULL

static const struct nettoll_batch_limit wide = { .datagrams = 64, .bytes = 65507, .ns = 200 * US };

/* A socket whose last send ended at 1 ms and took @alone. */
static struct nettoll_pace sent(u32 alone)
{
	struct nettoll_pace p;

	nettoll_pace_init(&p);
	nettoll_pace_alone(&p, 1000 * US - alone, 1000 * US);
	return p;
}

static void test_idle_goes_at_once(void **state)
{
	struct nettoll_pace p;
	u64 wait;

	nettoll_pace_init(&p);
	assert_int_equal(nettoll_pace_plan(&p, &wide, 100, 5 * US, &wait), 0);
	p = sent(4 * US);
	assert_int_equal(nettoll_pace_plan(&p, &wide, 100, 1100 * US, &wait), 0);
	assert_true(nettoll_pace_plan(&p, &wide, 100, 1001 * US, &wait) >= WORTH);
}

static void test_leaves_in_time(void **state)
{
	u64 wait, ns;
	u32 cost, gap, lead, n;

	for (ns = 1 * US; ns <= 1000 * US; ns = ns * 5 / 4)
		for (cost = 100; cost < 50 * US; cost *= 2)
			for (gap = 100; gap < 50 * US; gap *= 3)
				for (lead = LEAD_LEAST; lead < 50 * US; lead *= 4) {
					struct nettoll_batch_limit limit = wide;
					struct nettoll_pace p = sent(cost);

					limit.ns = ns;
					p.cost = cost;
					p.gap = gap;
					p.lead = lead;
					n = nettoll_pace_plan(&p, &limit, 100, 1000 * US + ns / 4, &wait);
					if (!n)
						continue;
					assert_in_range(n, WORTH, 64);
					/* By the timer or full, its last datagram leaves within the bound. */
					assert_true(wait + lead + (u64)n * cost <= ns);
					assert_true((u64)n * (gap + cost) <= ns);
				}
}

static void test_limits(void **state)
{
	struct nettoll_batch_limit limit = wide;
	struct nettoll_pace p = sent(1 * US);
	u64 wait;

	p.cost = 10;
	p.gap = 10;
	assert_int_equal(nettoll_pace_plan(&p, &limit, 100, 1000 * US, &wait), 64);
	assert_int_equal(nettoll_pace_plan(&p, &limit, 1472, 1000 * US, &wait), 65507 / 1472);
	limit.datagrams = 8;
	assert_int_equal(nettoll_pace_plan(&p, &limit, 100, 1000 * US, &wait), 8);
	limit.datagrams = 1000;
	assert_int_equal(nettoll_pace_plan(&p, &limit, 100, 1000 * US, &wait), NETTOLL_BATCH_MOST);
	limit.bytes = 100;
	assert_int_equal(nettoll_pace_plan(&p, &limit, 100, 1000 * US, &wait), 0);
	limit = wide;
	limit.ns = 0;
	assert_int_equal(nettoll_pace_plan(&p, &limit, 100, 1000 * US, &wait), 0);
	assert_int_equal(nettoll_pace_plan(&p, &wide, 0, 1000 * US, &wait), 0);
}

static void test_backs_off(void **state)
{
	struct nettoll_pace p = sent(10 * US);
	unsigned int i, skipped;

	for (i = 0; i < 20; i++)
		nettoll_pace_left(&p, 1, 5 * US, 1 * US);
	for (skipped = 0; nettoll_pace_skips(&p); skipped++)
		;
	assert_int_equal(skipped, SKIP_MOST);
	/* What goes alone then is no beginning. */
	assert_false(nettoll_pace_busy(&p, 1000 * US, 200 * US));
	nettoll_pace_left(&p, 20, 20 * US, 20 * US);
	assert_false(nettoll_pace_skips(&p));
	/* What was refused may be tried again, what did not pay not yet. */
	nettoll_pace_refused(&p);
	nettoll_pace_again(&p);
	assert_false(nettoll_pace_skips(&p));
	nettoll_pace_missed(&p);
	nettoll_pace_again(&p);
	assert_true(nettoll_pace_skips(&p));
	assert_false(nettoll_pace_skips(&p));
}

static void test_has_to_pay(void **state)
{
	struct nettoll_pace p = sent(8 * US);

	nettoll_pace_left(&p, 20, 20 * US, 20 * 6 * US);
	assert_false(nettoll_pace_skips(&p));
	nettoll_pace_left(&p, 20, 20 * US, 20 * 8 * US);
	assert_true(nettoll_pace_skips(&p));
}

static void test_learns(void **state)
{
	struct nettoll_pace p = sent(100 * US);
	unsigned int i;

	nettoll_pace_left(&p, 10, 10 * US, 200 * US);
	assert_int_equal(p.cost, 90 * US);
	nettoll_pace_left(&p, 10, 30 * US, 2000 * US);
	assert_int_equal(p.cost, 200 * US);
	assert_int_equal(p.gap, 1 * US);
	for (i = 0; i < 100; i++)
		nettoll_pace_left(&p, 10, 30 * US, 10 * US);
	assert_in_range(p.cost, 1 * US, 1 * US + 8);
	assert_int_equal(p.gap, 3 * US);
	nettoll_pace_woken(&p, 30 * US);
	assert_int_equal(p.lead, 30 * US);
	for (i = 0; i < 100; i++)
		nettoll_pace_woken(&p, 0);
	assert_int_equal(p.lead, LEAD_LEAST);
}

/* What one was told of a slow moment must fade, also where no batch is begun any more. */
static void test_forgets(void **state)
{
	struct nettoll_pace p = sent(1 * US);
	unsigned int i;
	u64 wait;

	p.cost = 1000 * US;
	for (i = 0; i < 100 && !nettoll_pace_plan(&p, &wide, 100, 1000 * US, &wait); i++)
		;
	assert_in_range(i, 1, 99);
}

static void test_joins(void **state)
{
	struct nettoll_batch b = { .n = 1, .size = 100, .bytes = 100, .limit = 4 };

	assert_int_equal(nettoll_batch_add(&b, 101), NETTOLL_JOIN_NO);
	assert_int_equal(nettoll_batch_add(&b, 0), NETTOLL_JOIN_NO);
	assert_int_equal(nettoll_batch_add(&b, 100), NETTOLL_JOIN_MORE);
	assert_int_equal(nettoll_batch_add(&b, 100), NETTOLL_JOIN_MORE);
	assert_int_equal(nettoll_batch_add(&b, 100), NETTOLL_JOIN_LAST);
	assert_int_equal(nettoll_batch_add(&b, 100), NETTOLL_JOIN_NO);
	assert_int_equal(b.bytes, 400);
	b = (struct nettoll_batch){ .n = 1, .size = 100, .bytes = 100, .limit = 4 };
	assert_int_equal(nettoll_batch_add(&b, 99), NETTOLL_JOIN_LAST);
	assert_int_equal(b.bytes, 199);
	/* It may be a moment until it leaves. */
	assert_int_equal(nettoll_batch_add(&b, 100), NETTOLL_JOIN_NO);
	assert_int_equal(nettoll_batch_add(&b, 99), NETTOLL_JOIN_NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_goes_at_once),
		cmocka_unit_test(test_leaves_in_time),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_backs_off),
		cmocka_unit_test(test_has_to_pay),
		cmocka_unit_test(test_learns),
		cmocka_unit_test(test_forgets),
		cmocka_unit_test(test_joins),
	};

	return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
