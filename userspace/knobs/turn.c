// SPDX-License-Identifier: GPL-2.0-or-later
/* Turning knobs so that they can be turned back: journal, change, verify; and the way back. */
#include "knobs/turn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"

/* One knob may move another (an MTU resets the device's moderation): walk until nothing had to be written. */
#define WALKS	4

int turn_knob(struct journal *j, const struct knob *knob, const struct knob_place *place,
	      const char *value, bool *changed)
{
	char now[KNOB_VALUE_MAX];
	int ret;

	ret = knob_read(knob, place, now);
	if (ret)
		return ret;
	if (changed)
		*changed = strcmp(now, value);
	if (!strcmp(now, value))
		return 0;
	ret = journal_add(j, place, knob->name, now, value);
	return ret ? ret : knob_write(knob, place, value);
}

static bool same_place(const struct journal_entry *a, const struct journal_entry *b)
{
	return !strcmp(a->place.netns, b->place.netns) && !strcmp(a->place.dev, b->place.dev);
}

/* What went with its device, once for each device, with what to set where it has come up elsewhere. */
static void drop_gone(struct journal *j)
{
	char list[1024];
	size_t i, k, len, kept = 0;
	bool *gone = calloc(j->n + 1, sizeof(*gone));

	if (!gone)
		return;
	for (i = 0; i < j->n; i++) {
		journal_follow(&j->entry[i]);
		gone[i] = journal_gone(&j->entry[i]);
	}
	for (i = 0; i < j->n; i++) {
		if (!gone[i])
			continue;
		for (k = 0; k < i && !(gone[k] && same_place(&j->entry[k], &j->entry[i]));)
			k++;
		if (k < i)
			continue;
		list[0] = '\0';
		for (len = 0; k < j->n && len < sizeof(list); k++)
			if (gone[k] && same_place(&j->entry[k], &j->entry[i]))
				len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s=%s",
							len ? ", " : "", j->entry[k].knob,
							j->entry[k].old_value);
		pr_warn("%s is gone, and with it what was changed there; it had %s",
			knob_where(&j->entry[i].place), list);
	}
	for (i = 0; i < j->n; i++)
		if (!gone[i])
			j->entry[kept++] = j->entry[i];
	j->n = kept;
	free(gone);
}

/* Return: 1 when it had to be written, 0 when it was as before. */
static int put_back(const struct journal_entry *e)
{
	char now[KNOB_VALUE_MAX];
	struct knob knob;
	int ret;

	ret = knob_find(e->knob, &knob);
	if (!ret)
		ret = knob_read(&knob, &e->place, now);
	if (!ret && strcmp(now, e->old_value)) {
		ret = knob_write(&knob, &e->place, e->old_value);
		if (!ret)
			ret = 1;
	}
	return ret;
}

/* Says once, at the end, what could not be put back. Return: whether that leaves something to be done. */
static bool tell_left(const struct journal_entry *e, int ret, const char *why, const char *cure)
{
	/* A route that was deleted, a queue of a channel that is no more: it took its setting along. */
	if (ret == -EOPNOTSUPP) {
		if (!e->noted)
			pr_warn("%s of %s is not there any more (%s); it had %s", e->knob, knob_where(&e->place), why,
				e->old_value);
		return false;
	}
	ret = err_set(ret, *cure ? cure : NULL, "%s of %s is not as it was (%s): %s", e->knob,
		      knob_where(&e->place), e->old_value, why);
	err_report(ret);
	return true;
}

int turn_back(struct journal *j)
{
	int walk, one, ret = 0, written = 1;
	char why[256], cure[128];
	size_t i;

	drop_gone(j);
	for (walk = 0; walk < WALKS && written; walk++) {
		ret = written = 0;
		for (i = j->n; i-- > 0;) {
			one = put_back(&j->entry[i]);
			if (one > 0)
				written = 1;
			if (one >= 0)
				continue;
			snprintf(why, sizeof(why), "%s", err_text(one));
			snprintf(cure, sizeof(cure), "%s", err_cure(one));
			err_clear();
			if (journal_gone(&j->entry[i]))
				continue;
			/* Another walk may help; the last one says what is left. */
			written |= walk + 1 < WALKS;
			if (walk + 1 == WALKS && tell_left(&j->entry[i], one, why, cure) && !ret)
				ret = one;
		}
	}
	/* Some may have gone only now: a namespace takes its time to end. */
	drop_gone(j);
	if (!ret && written) {
		pr_err("the settings to put back change one another; some are not as they were");
		ret = -EIO;
	}
	if (!ret) {
		ret = journal_remove(j);
		if (ret)
			err_report(ret);
	} else if (j->path[0]) {
		pr_note("%s keeps the values to put back: nettoll %s tries again; or put them back "
			"yourself and remove it", j->path, strcmp(j->kind, "knob") ? "ladder --restore" : "knob undo");
	}
	return ret;
}

int turn_back_file(const char *path, void *arg)
{
	struct journal j;
	int ret;

	(void)arg;
	ret = journal_load(&j, path);
	if (ret) {
		err_report(ret);
		return ret;
	}
	if (journal_stale_boot(&j)) {
		pr_note("%s is of an earlier boot, which took its changes along", path);
		ret = journal_remove(&j);
	} else if (journal_alive(&j)) {
		ret = err_set(-EBUSY, "end it: it puts everything back", "pid %d (nettoll %s) is still at work",
			      (int)j.pid, j.what);
	} else {
		ret = turn_back(&j);
		if (!ret && j.n)
			pr_note("put back %zu setting%s that %s had left", j.n, j.n == 1 ? "" : "s", j.what);
		journal_free(&j);
		return ret;
	}
	if (ret)
		err_report(ret);
	journal_free(&j);
	return ret;
}
