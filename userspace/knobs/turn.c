// SPDX-License-Identifier: GPL-2.0-or-later
/* Turning knobs so that they can be turned back: journal, change, verify; and the way back. */
#include "knobs/turn.h"

#include <errno.h>
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

int turn_back(struct journal *j)
{
	int walk, one, ret = 0, written = 1;
	size_t i;

	for (walk = 0; walk < WALKS && written; walk++) {
		ret = written = 0;
		for (i = j->n; i-- > 0;) {
			one = put_back(&j->entry[i]);
			if (one > 0)
				written = 1;
			if (one >= 0)
				continue;
			if (!ret)
				ret = one;
			/* Another walk may help; the last one says what is left. */
			written |= walk + 1 < WALKS;
			if (walk + 1 == WALKS) {
				one = err_context(one, "%s of %s is not as it was (%s)", j->entry[i].knob,
						  knob_where(&j->entry[i].place), j->entry[i].old_value);
				err_report(one);
			}
			err_clear();
		}
	}
	if (!ret && written) {
		pr_err("the settings to put back change one another; some are not as they were");
		ret = -EIO;
	}
	if (!ret) {
		ret = journal_remove(j);
		if (ret)
			err_report(ret);
	} else if (j->path[0]) {
		pr_note("%s keeps the values to put back: nettoll ladder --restore tries again", j->path);
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
		if (!ret)
			pr_note("put back %zu setting%s that %s had left", j.n, j.n == 1 ? "" : "s", j.what);
		journal_free(&j);
		return ret;
	}
	if (ret)
		err_report(ret);
	journal_free(&j);
	return ret;
}
