// SPDX-License-Identifier: GPL-2.0-or-later
/* Choices for an RTT from profiles whose best is known, and the regret of choices for RTTs left out. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/err.h"
#include "profile/choose.h"

#define REPEATS	5
#define NODES	5

static const double rtts[NODES] = { 10, 20, 40, 80, 160 };
/* Three profiles in Mbit/s: one is best at first, another later, the third lies just below the first. */
static const double means[3][NODES] = {
	{ 900, 880, 800, 300, 100 }, { 700, 690, 680, 660, 600 }, { 890, 870, 790, 290, 90 },
};

struct world {
	struct run runs[3 * NODES * REPEATS];
	struct group groups[3];
	struct store store;
};

/* @spread: between repeats, Mbit/s */
static struct world *make(double spread, size_t repeats)
{
	static const char *const names[] = { "cubic", "htcp", "reno" };
	struct world *w = calloc(1, sizeof(*w));
	size_t g, k, i, n = 0;

	assert_non_null(w);
	for (g = 0; g < 3; g++) {
		w->groups[g] = (struct group) { .campaign = "c", .variant = names[g], .buffer = "b", .streams = 1,
						.capacity_bps = 1e9, .first = n, .n = NODES * repeats, .hash = g };
		for (k = 0; k < NODES; k++)
			for (i = 0; i < repeats; i++)
				w->runs[n++] = (struct run) {
					.rtt_ms = rtts[k], .rtt_measured_ms = NAN, .group = (uint32_t)g,
					.rwnd_share = NAN, .sndbuf_share = NAN,
					.bps = 1e6 * (means[g][k] + spread * ((double)i - (double)(repeats - 1) / 2)),
				};
	}
	w->store = (struct store) { .runs = w->runs, .n = n, .groups = w->groups, .ngroups = 3 };
	return w;
}

static const struct fit_options options = { .confidence = 0.95, .eps = 0.1, .reps = 500, .seed = 1 };

static void rank__between_rtts(void **state)
{
	struct world *w = make(1, REPEATS);
	struct ranking r;

	(void)state;
	assert_int_equal(choose_rank(&w->store, 30, &options, 2, &r), 0);
	assert_int_equal(r.n, 3);
	assert_string_equal(r.choice[0].group->variant, "cubic");
	assert_string_equal(r.choice[1].group->variant, "reno");
	assert_true(fabs(r.choice[0].predicted.value - 840e6) < 1);
	assert_true(r.choice[0].predicted.low < 840e6 && r.choice[0].predicted.high > 840e6);
	assert_true(r.choice[0].win_share == 1 || r.choice[0].win_share > 0.99);
	assert_true(fabs(r.loss.value - 10e6) < 1 && r.loss.low > 0 && r.loss.high > 10e6);
	assert_true(fabs(r.loss_share - 10 / 840.0) < 1e-9);
	/* No guarantee is more than the interpolation, or less than the lower end. */
	assert_true(r.choice[0].floor_bps <= 840e6 + 1 && r.choice[0].floor_bps >= 800e6 - 1);
	assert_true(isnan(r.choice[2].floor_bps));
	choose_free(&r);
	assert_int_equal(choose_rank(&w->store, 80, &options, 1, &r), 0);
	assert_string_equal(r.choice[0].group->variant, "htcp");
	assert_int_equal(r.choice[0].shape, CHOOSE_MEASURED);
	choose_free(&r);
	free(w);
}

static void rank__close_ones_are_not_told_apart(void **state)
{
	struct world *w = make(40, REPEATS);
	struct ranking r;

	(void)state;
	assert_int_equal(choose_rank(&w->store, 30, &options, 1, &r), 0);
	assert_true(r.loss.low < 0 && r.loss.high > 0);
	assert_true(r.choice[0].win_share < 0.95 && r.choice[1].win_share > 0.05);
	choose_free(&r);
	free(w);
}

static void rank__one_run_has_no_interval(void **state)
{
	struct world *w = make(0, 1);
	struct ranking r;

	(void)state;
	assert_int_equal(choose_rank(&w->store, 30, &options, 1, &r), 0);
	assert_int_equal(r.choice[0].predicted.how, INTERVAL_NONE);
	assert_int_equal(r.loss.how, INTERVAL_NONE);
	assert_true(isnan(r.loss.low) && isnan(r.choice[0].predicted.low));
	assert_int_equal(r.choice[0].shape, CHOOSE_UNKNOWN);
	choose_free(&r);
	free(w);
}

static void rank__out_of_reach(void **state)
{
	struct world *w = make(1, REPEATS);
	struct ranking r;

	(void)state;
	assert_int_equal(choose_rank(&w->store, 161, &options, 1, &r), -ERANGE);
	assert_non_null(strstr(err_text(-ERANGE), "10 to 160"));
	assert_int_equal(choose_rank(&w->store, 9, &options, 1, &r), -ERANGE);
	err_clear();
	/* One that has fewer RTTs than the others. */
	w->groups[1].n -= REPEATS;
	assert_int_equal(choose_rank(&w->store, 100, &options, 1, &r), 0);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.out_of_reach, 1);
	choose_free(&r);
	free(w);
}

static void evaluate__regret(void **state)
{
	struct world *w = make(1, REPEATS);
	struct held_out *all;

	(void)state;
	assert_int_equal(choose_evaluate(&w->store, &all), NODES - 2);
	/* 20 ms from 10 and 40: 900 - 100 / 3. */
	assert_true(all[0].rtt_ms == 20 && fabs(all[0].predicted_bps - (900 - 100 / 3.0) * 1e6) < 1);
	assert_string_equal(all[0].choice->variant, "cubic");
	assert_true(all[0].regret == 0);
	/* 40 ms from 20 and 80: 880 - 580 / 3 is 686.7, and htcp promises 680; it was 800, and no regret. */
	assert_true(fabs(all[1].predicted_bps - (880 - 580 / 3.0) * 1e6) < 1 && all[1].regret == 0);
	/* 80 ms from 40 and 160: cubic 566.7, htcp 653.3 and rightly so. */
	assert_string_equal(all[2].choice->variant, "htcp");
	free(all);
	/* Make the promise wrong: what is between is better elsewhere. */
	for (size_t i = 0; i < REPEATS; i++)
		w->runs[(0 * NODES + 2) * REPEATS + i].bps = 340e6;
	assert_int_equal(choose_evaluate(&w->store, &all), NODES - 2);
	assert_string_equal(all[1].choice->variant, "cubic");
	assert_string_equal(all[1].best->variant, "reno");
	assert_true(fabs(all[1].regret - (1 - 340 / 790.0)) < 1e-9);
	free(all);
	free(w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rank__between_rtts),
		cmocka_unit_test(rank__close_ones_are_not_told_apart),
		cmocka_unit_test(rank__one_run_has_no_interval),
		cmocka_unit_test(rank__out_of_reach),
		cmocka_unit_test(evaluate__regret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
