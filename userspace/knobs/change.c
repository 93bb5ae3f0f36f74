// SPDX-License-Identifier: GPL-2.0-or-later
/* A set of knobs turned together: looked at, locked, journalled, turned, verified; or nothing is. */
#include "knobs/change.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "knobs/hold.h"
#include "knobs/journal_left.h"
#include "knobs/lock.h"
#include "knobs/turn.h"
#include "lib/err.h"
#include "lib/stop.h"

/* One may move another (an MTU resets the rings): go over them until nothing has to be written. */
#define WALKS	4

static bool same_place(const struct knob_place *a, const struct knob_place *b)
{
	return !strcmp(a->netns, b->netns) && !strcmp(a->dev, b->dev);
}

int change_add(struct change *c, const struct knob_place *place, const char *name, const char *text)
{
	struct change_item item = { .place = *place }, *grown;
	size_t i;
	int ret;

	ret = knob_find(name, &item.knob);
	if (!ret)
		ret = knob_parse(&item.knob, text, item.value);
	if (ret)
		return ret;
	if (!item.knob.family->per_device)
		item.place.dev[0] = '\0';
	for (i = 0; i < c->n; i++) {
		if (same_place(&c->item[i].place, &item.place) && !strcmp(c->item[i].knob.name, name)) {
			c->item[i] = item;
			return 0;
		}
	}
	grown = reallocarray(c->item, c->n + 1, sizeof(*grown));
	if (!grown)
		return err_set(-ENOMEM, NULL, "out of memory");
	c->item = grown;
	grown[c->n++] = item;
	return 0;
}

int change_look(struct change *c)
{
	struct change_item *it;
	size_t i;
	int ret = 0;

	for (i = 0; i < c->n && !ret; i++) {
		it = &c->item[i];
		ret = knob_read(&it->knob, &it->place, it->now);
		if (!ret)
			ret = knob_check(&it->knob, &it->place, it->value);
		if (ret)
			err_context(ret, "%s", it->knob.name);
	}
	return ret;
}

/* ---- what it may move, and locks ---- */

static int into_circle(const struct knob_place *place, void *arg)
{
	struct change *c = arg;
	struct knob_place *grown;
	size_t i;

	for (i = 0; i < c->ncircle; i++)
		if (same_place(&c->circle[i], place))
			return 0;
	grown = reallocarray(c->circle, c->ncircle + 1, sizeof(*grown));
	if (!grown)
		return err_set(-ENOMEM, NULL, "out of memory");
	c->circle = grown;
	grown[c->ncircle++] = *place;
	return 0;
}

static int draw_circle(struct change *c)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < c->n && !ret; i++)
		ret = circle_each(&c->item[i].place, into_circle, c);
	return ret;
}

static int by_place(const void *a, const void *b)
{
	const struct knob_place *x = a, *y = b;
	int ret = strcmp(x->netns, y->netns);

	return ret ? ret : strcmp(x->dev, y->dev);
}

static int lock_one(struct change *c, const struct knob_place *place)
{
	bool sysctls = !place->dev[0];

	/* Those of all namespaces are one lock, for which of them are the machine's only the kernel knows. */
	return sysctls ? lock_sysctls(c->what, &c->lock[c->nlocks]) : lock_place(place, c->what, &c->lock[c->nlocks]);
}

static int take_locks(struct change *c)
{
	bool host = false;
	size_t i;
	int ret = 0;

	c->lock = calloc(c->ncircle + 1, sizeof(*c->lock));
	if (!c->lock)
		return err_set(-ENOMEM, NULL, "out of memory");
	/* In one order, so that of two that want the same one gets all. */
	qsort(c->circle, c->ncircle, sizeof(*c->circle), by_place);
	for (i = 0; i < c->ncircle && !ret; i++) {
		if (!c->circle[i].dev[0] && host)
			continue;
		host |= !c->circle[i].dev[0];
		ret = lock_one(c, &c->circle[i]);
		if (!ret)
			c->nlocks++;
	}
	for (i = 0; i < c->n && !ret; i++) {
		if (strcmp(c->item[i].knob.name, "account.attach"))
			continue;
		ret = lock_account(c->what, &c->lock[c->nlocks]);
		if (!ret)
			c->nlocks++;
		break;
	}
	return ret;
}

int change_lock(struct change *c, const struct journal *j)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < j->n && !ret; i++)
		if (!journal_gone(&j->entry[i]))
			ret = into_circle(&j->entry[i].place, c);
	return ret ? ret : take_locks(c);
}

/* ---- the change itself ---- */

static int note_item(struct change *c, const struct change_item *it)
{
	struct survey_item one = { 0 };
	struct survey survey = { .n = 1, .item = &one };

	snprintf(one.name, sizeof(one.name), "%s", it->knob.name);
	snprintf(one.value, sizeof(one.value), "%s", it->now);
	return journal_note(&c->journal, &it->place, &survey);
}

static int note_all(struct change *c)
{
	struct survey survey;
	size_t i;
	int ret = 0;

	for (i = 0; i < c->ncircle && !ret; i++) {
		ret = survey_read(&c->circle[i], &survey);
		if (!ret)
			ret = journal_note(&c->journal, &c->circle[i], &survey);
		survey_free(&survey);
	}
	for (i = 0; i < c->n && !ret; i++) {
		ret = note_item(c, &c->item[i]);
		if (strcmp(c->item[i].now, c->item[i].value))
			journal_turns(&c->journal, &c->item[i].place, c->item[i].knob.name, c->item[i].value);
	}
	return ret;
}

/* Somebody else may have turned them between the first look and the locks. */
static int look_again(struct change *c)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < c->n && !ret; i++)
		ret = knob_read(&c->item[i].knob, &c->item[i].place, c->item[i].now);
	return ret;
}

/* Return: 1 when it had to be written, 0 when it was as it is to be. */
static int turn_one(struct change_item *it)
{
	char now[KNOB_VALUE_MAX];
	int ret;

	ret = knob_read(&it->knob, &it->place, now);
	if (ret || !strcmp(now, it->value))
		return ret;
	ret = knob_write(&it->knob, &it->place, it->value);
	return ret ? ret : 1;
}

static int turn_all(struct change *c)
{
	int walk, ret, written = 1;
	struct change_item *it;
	size_t i;

	for (walk = 0; walk < WALKS && written; walk++) {
		written = 0;
		for (i = 0; i < c->n; i++) {
			it = &c->item[i];
			if (stop_pending())
				return err_set(-EINTR, NULL, "ended by a signal");
			ret = turn_one(it);
			if (ret < 0 && !c->keep_going)
				return ret;
			/* Another walk may help, after what it depends on. */
			it->why[0] = '\0';
			if (ret < 0)
				snprintf(it->why, sizeof(it->why), "%s", err_text(ret));
			if (ret < 0)
				err_clear();
			written |= ret != 0;
		}
	}
	if (!written || c->keep_going)
		return 0;
	return err_set(-EIO, NULL, "these settings change one another, and cannot be had together");
}

/* What was not moved is forgotten. If that fails more is kept than is needed, which does no harm. */
static void prune(struct change *c)
{
	struct survey survey;
	size_t i, turned = 0;

	for (i = 0; i < c->ncircle; i++) {
		if (survey_read(&c->circle[i], &survey))
			err_clear();
		else
			journal_prune(&c->journal, &c->circle[i], &survey);
		survey_free(&survey);
	}
	for (i = 0; i < c->n; i++)
		turned += strcmp(c->item[i].now, c->item[i].value) != 0;
	c->moved = c->journal.n > turned ? c->journal.n - turned : 0;
	if (journal_save(&c->journal))
		err_clear();
}

static int make(struct change *c, struct detached *guard)
{
	struct journal_left left;
	char waiting[160];
	int ret, back;
	size_t i;

	ret = take_locks(c);
	left = (struct journal_left) { c->circle, c->ncircle };
	if (!ret)
		ret = journal_each(journal_left_look, &left);
	if (!ret)
		ret = look_again(c);
	if (ret)
		return ret;
	journal_init(&c->journal, c->what);
	strcpy(c->journal.kind, "knob");
	ret = note_all(c);
	if (!ret && c->seconds) {
		ret = guard_start(guard, &c->journal, c->seconds, c->lock, c->nlocks);
		snprintf(waiting, sizeof(waiting), "%s, which waits for nettoll confirm", c->what);
		for (i = 0; !ret && i < c->nlocks; i++)
			lock_hand_over(c->lock[i], guard->pid, waiting);
	}
	if (!ret)
		ret = journal_save(&c->journal);
	if (ret)
		return ret;
	ret = turn_all(c);
	if (ret) {
		/* Described here, since putting back has things to say as well. */
		err_report(ret);
		back = turn_back(&c->journal);
		return err_set(ret, NULL, back ? "not everything is as it was" : "everything is as it was");
	}
	prune(c);
	if (!c->journal.n)
		return journal_remove(&c->journal);
	if (c->seconds)
		return 0;
	ret = journal_keep(&c->journal);
	if (ret || !c->hold)
		return ret;
	ret = hold_start(&c->journal, c->lock, c->nlocks);
	snprintf(waiting, sizeof(waiting), "%s, which it keeps in force", c->what);
	for (i = 0; !ret && i < c->nlocks; i++)
		lock_hand_over(c->lock[i], c->journal.pid, waiting);
	return ret;
}

int change_make(struct change *c)
{
	struct detached guard = { 0 };
	int ret;

	ret = draw_circle(c);
	if (ret)
		return ret;
	stop_begin();
	ret = make(c, &guard);
	detach_go(&guard);
	stop_end();
	return ret;
}

void change_free(struct change *c)
{
	size_t i;

	for (i = 0; i < c->nlocks; i++)
		close(c->lock[i]);
	journal_free(&c->journal);
	free(c->lock);
	free(c->circle);
	free(c->item);
	*c = (struct change) { 0 };
}
