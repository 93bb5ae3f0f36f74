// SPDX-License-Identifier: GPL-2.0-or-later
/* What stands in the way of a change: journals that dead processes left, and processes that hold theirs. */
#include "knobs/journal_left.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/stop.h"

#define NS_PER_SEC	1000000000ull
#define LOOK_US		10000

static int refuse(const struct journal *j, const struct knob_place *place)
{
	if (strcmp(j->kind, "knob"))
		return err_set(-EBUSY, "nettoll ladder --restore puts them back",
			       "%s has not put back its changes of %s", j->what, knob_where(place));
	return err_set(-EBUSY, "nettoll knob undo puts them back",
		       "%s was ended before it had put back or finished its changes of %s", j->what,
		       knob_where(place));
}

static bool is_among(const struct knob_place *place, const struct journal_left *left)
{
	size_t i;

	for (i = 0; i < left->n; i++)
		if (!strcmp(place->netns, left->place[i].netns) && !strcmp(place->dev, left->place[i].dev))
			return true;
	return false;
}

int journal_left_look(const char *path, void *arg)
{
	const struct journal_left *left = arg;
	struct journal j;
	size_t i;
	int ret;

	ret = journal_load(&j, path);
	if (ret == -ENOENT) {
		/* It has ended meanwhile. */
		err_clear();
		return 0;
	}
	if (ret)
		return ret;
	if (!journal_alive(&j) && !journal_stale_boot(&j))
		for (i = 0; i < j.n && !ret; i++)
			if (is_among(&j.entry[i].place, left) && !journal_gone(&j.entry[i]))
				ret = refuse(&j, &j.entry[i].place);
	journal_free(&j);
	return ret;
}

bool journal_ended(const struct journal *j, unsigned int seconds)
{
	uint64_t deadline = stop_now_ns() + seconds * NS_PER_SEC;

	while (journal_alive(j)) {
		if (stop_now_ns() > deadline)
			return false;
		usleep(LOOK_US);
	}
	return true;
}
