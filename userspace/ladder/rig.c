// SPDX-License-Identifier: GPL-2.0-or-later
/* The two ends of a ladder as a rig that is brought into the state of any set of rungs, and back. */
#include "ladder/rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "knobs/journal_left.h"
#include "knobs/lock.h"
#include "knobs/turn.h"
#include "lib/err.h"
#include "lib/netns.h"
#include "lib/nl_link.h"
#include "lib/stop.h"

#define LINK_WAIT_NS	20000000000ull
#define LINK_POLL_NS	10000000ull

static int look_at(const struct plan_setting *first, void *arg)
{
	struct rig *rig = arg;
	struct rig_knob *grown;
	int ret;

	grown = reallocarray(rig->knob, rig->n + 1, sizeof(*grown));
	if (!grown)
		return err_set(-ENOMEM, NULL, "out of memory");
	rig->knob = grown;
	grown[rig->n] = (struct rig_knob) { .end = first->end, .knob = first->knob };
	ret = knob_read(&first->knob, &rig->plan->place[first->end], grown[rig->n].found);
	if (ret)
		return err_context(ret, "%s of the %s end", first->knob.name, plan_end_names[first->end]);
	rig->n++;
	return 0;
}

static int check_settings(const struct plan *plan, const char *where,
			  const struct plan_settings *list)
{
	const struct plan_setting *s;
	size_t i;
	int ret;

	for (i = 0; i < list->n; i++) {
		s = &list->setting[i];
		ret = knob_check(&s->knob, &plan->place[s->end], s->value);
		if (ret)
			return err_context(ret, "%s", where);
	}
	return 0;
}

int rig_look(struct rig *rig, const struct plan *plan)
{
	char where[PLAN_NAME_MAX + 8], what[PLAN_NAME_MAX + 8];
	size_t i;
	int end, ret;

	*rig = (struct rig) { .plan = plan };
	for (end = 0; end < PLAN_ENDS + 2; end++)
		rig->lock[end] = -1;
	snprintf(what, sizeof(what), "ladder %s", plan->name);
	journal_init(&rig->journal, what);
	ret = plan_knobs(plan, look_at, rig);
	if (!ret)
		ret = check_settings(plan, "setup", &plan->setup);
	for (i = 0; i < plan->nrungs && !ret; i++) {
		snprintf(where, sizeof(where), "rung %s", plan->rung[i].name);
		ret = check_settings(plan, where, &plan->rung[i].settings);
	}
	return ret;
}

const char *rig_value(const struct rig *rig, const struct rig_knob *k, uint32_t mask)
{
	const char *value = plan_value(rig->plan, mask, k->end, k->knob.name);

	return value ? value : k->found;
}

/*
 * Have what all knobs were found at on the disk before the first is turned, since one may move
 * another that the journal would otherwise meet only later.
 */
static int note_all(struct rig *rig)
{
	const struct rig_knob *k;
	size_t i;
	int ret;

	for (i = 0; i < rig->n; i++) {
		k = &rig->knob[i];
		ret = journal_add(&rig->journal, &rig->plan->place[k->end], k->knob.name, k->found,
				  rig_value(rig, k, UINT32_MAX));
		if (ret)
			return ret;
	}
	return 0;
}

/* Which of them belong to a namespace, and which to the whole host, only the kernel knows. */
static bool turns_sysctl(const struct rig *rig)
{
	size_t i;

	for (i = 0; i < rig->n; i++)
		if (!strcmp(rig->knob[i].knob.family->name, "sysctl"))
			return true;
	return false;
}

/* Another ladder may have been at work when rig_look() read them; nobody is now. */
static int look_again(struct rig *rig)
{
	struct rig_knob *k;
	size_t i;
	int ret = 0;

	for (i = 0; i < rig->n && !ret; i++) {
		k = &rig->knob[i];
		ret = knob_read(&k->knob, &rig->plan->place[k->end], k->found);
	}
	return ret;
}

int rig_take(struct rig *rig, bool account)
{
	const struct plan *plan = rig->plan;
	struct journal_left left = { plan->place, PLAN_ENDS };
	int end, ret;

	for (end = 0; end < PLAN_ENDS; end++) {
		if (!plan_turns(plan, (enum plan_end)end))
			continue;
		/* Two ends on one device are one lock. */
		if (end && !memcmp(&plan->place[0], &plan->place[end], sizeof(plan->place[0])))
			continue;
		ret = lock_place(&plan->place[end], rig->journal.what, &rig->lock[end]);
		if (ret)
			return ret;
	}
	if (account) {
		ret = lock_account(rig->journal.what, &rig->lock[PLAN_ENDS]);
		if (ret)
			return ret;
	}
	if (turns_sysctl(rig)) {
		ret = lock_sysctls(rig->journal.what, &rig->lock[PLAN_ENDS + 1]);
		if (ret)
			return ret;
	}
	ret = journal_each(journal_left_look, &left);
	if (!ret)
		ret = look_again(rig);
	return ret ? ret : note_all(rig);
}

static int get_link(void *arg)
{
	struct link_info *info = arg;
	char dev[IF_NAMESIZE];

	memcpy(dev, info->name, sizeof(dev));
	return link_get(dev, info);
}

static int read_link(const struct knob_place *place, struct link_info *info)
{
	*info = (struct link_info) { 0 };
	memcpy(info->name, place->dev, sizeof(info->name));
	return netns_call(place->netns, get_link, info);
}

/* @patient: also after a signal that asks to stop. */
static int wait_for_link(const struct knob_place *place, bool patient)
{
	uint64_t deadline = stop_now_ns() + LINK_WAIT_NS;
	struct link_info info;
	int ret;

	for (;;) {
		ret = read_link(place, &info);
		if (ret || info.running)
			return ret;
		if (!info.up)
			return err_set(-ENETDOWN, "ip link set it up", "%s is down", knob_where(place));
		if (!patient && stop_pending())
			return -EINTR;
		if (stop_now_ns() > deadline)
			return err_set(-ENETDOWN, "is the far end up?", "%s has no link after %llu s",
				       knob_where(place), LINK_WAIT_NS / 1000000000);
		stop_wait(stop_now_ns() + LINK_POLL_NS, -1);
	}
}

static int wait_for_links(const struct plan *plan, bool patient)
{
	int end, ret;

	for (end = 0; end < PLAN_ENDS; end++) {
		if (!plan_turns(plan, (enum plan_end)end) || !plan->place[end].dev[0])
			continue;
		ret = wait_for_link(&plan->place[end], patient);
		if (ret)
			return ret;
	}
	return 0;
}

int rig_go(struct rig *rig, uint32_t mask)
{
	const struct plan *plan = rig->plan;
	struct rig_knob *k;
	size_t i;
	int ret;

	rig->moved = true;
	for (i = 0; i < rig->n; i++) {
		k = &rig->knob[i];
		if (stop_pending())
			return -EINTR;
		ret = turn_knob(&rig->journal, &k->knob, &plan->place[k->end], rig_value(rig, k, mask),
				NULL);
		if (ret)
			return ret;
	}
	return wait_for_links(plan, false);
}

uint32_t rig_mtu(const struct rig *rig)
{
	const struct plan *plan = rig->plan;
	struct link_info info;

	if (!plan_turns(plan, PLAN_LOCAL) || !plan->place[PLAN_LOCAL].dev[0])
		return 0;
	if (read_link(&plan->place[PLAN_LOCAL], &info)) {
		err_clear();
		return 0;
	}
	return info.mtu;
}

int rig_turn(struct rig *rig, const char *name, const char *value)
{
	static const struct knob_place host;
	struct knob knob;
	int ret;

	ret = knob_find(name, &knob);
	return ret ? ret : turn_knob(&rig->journal, &knob, &host, value, NULL);
}

int rig_close(struct rig *rig, bool keep)
{
	int end, ret = 0;

	if (rig->journal.n && !keep) {
		ret = turn_back(&rig->journal);
		/* The links as well, whose devices may have been reset. */
		if (!ret && rig->moved && wait_for_links(rig->plan, true))
			err_clear();
	} else if (rig->journal.n) {
		pr_note("the host stays as the last rung has it; nettoll ladder --restore puts it back");
	}
	journal_free(&rig->journal);
	for (end = 0; end < PLAN_ENDS + 2; end++)
		if (rig->plan && rig->lock[end] >= 0)
			close(rig->lock[end]);
	free(rig->knob);
	*rig = (struct rig) { 0 };
	return ret;
}
