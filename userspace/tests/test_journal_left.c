// SPDX-License-Identifier: GPL-2.0-or-later
/* Journals that dead processes left: whom they keep from what, and which command is named as the cure. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "knobs/journal_left.h"
#include "knobs/knob.h"
#include "knobs/turn.h"
#include "lib/err.h"
#include "tests/toy_knobs.h"

static const struct knob_place elsewhere = { .netns = "", .dev = "ntt-none" };

/* A journal of this kind with a change of toy.a, of a process that is gone, or of this one. */
static void leave(struct journal *j, const char *kind, bool gone)
{
	journal_init(j, "test");
	strcpy(j->kind, kind);
	j->start += gone;
	toy[0] = 10;
	assert_int_equal(turn(j, "toy.a", "30"), 0);
	assert_int_equal(journals(), 1);
}

static int look(const struct knob_place *place)
{
	struct journal_left left = { place, 1 };

	return journal_each(journal_left_look, &left);
}

static void left__cure_is_that_of_its_kind(void **state)
{
	static const char *const cure[][2] = {
		{ "ladder", "nettoll ladder --restore" }, { "knob", "nettoll knob undo" },
	};
	struct journal j;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		leave(&j, cure[i][0], true);
		assert_int_equal(look(&here), -EBUSY);
		assert_non_null(strstr(err_cure(-EBUSY), cure[i][1]));
		/* Of other places it says nothing. */
		assert_int_equal(look(&elsewhere), 0);
		assert_int_equal(journal_remove(&j), 0);
		journal_free(&j);
	}
}

static void left__not_what_is_under_way(void **state)
{
	struct journal j;

	(void)state;
	leave(&j, "knob", false);
	assert_int_equal(look(&here), 0);
	assert_false(journal_ended(&j, 0));
	assert_int_equal(journal_remove(&j), 0);
	j.start++;
	assert_true(journal_ended(&j, 0));
	journal_free(&j);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(left__cure_is_that_of_its_kind, setup_toys),
		cmocka_unit_test_setup(left__not_what_is_under_way, setup_toys),
	};

	return cmocka_run_group_tests_name("journal_left", tests, setup_all, teardown_all);
}
