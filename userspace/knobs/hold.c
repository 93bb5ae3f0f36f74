// SPDX-License-Identifier: GPL-2.0-or-later
/* Keep a change in force: a process apart that applies it again after its device was reset, or came back. */
#include "knobs/hold.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "knobs/detach.h"
#include "knobs/journal_left.h"
#include "lib/err.h"
#include "lib/netns.h"
#include "lib/nl.h"
#include "lib/nl_link.h"
#include "lib/stop.h"

#define NS_PER_SEC	1000000000ull
#define LOOK_NS		(NS_PER_SEC / 5)	/* how often it looks whether the change was undone */
#define QUIET_NS	(NS_PER_SEC / 10)	/* a link that comes up says several things */
#define END_SECONDS	10

int hold_again(const struct journal *j)
{
	char now[KNOB_VALUE_MAX];
	struct journal_entry e;
	struct knob knob;
	int ret, n = 0;
	size_t i;

	for (i = 0; i < j->n; i++) {
		e = j->entry[i];
		if (e.noted)
			continue;
		journal_follow(&e);
		ret = knob_find(e.knob, &knob);
		if (!ret)
			ret = knob_read(&knob, &e.place, now);
		if (!ret && strcmp(now, e.new_value)) {
			ret = knob_write(&knob, &e.place, e.new_value);
			n += !ret;
			if (!ret)
				pr_note("%s of %s was %s, and is %s again", e.knob, knob_where(&e.place), now,
					e.new_value);
			else
				err_report(ret);
		}
		/* A device that is gone may come back. */
		if (ret)
			err_clear();
	}
	return n;
}

/*
 * Links, as they were when they were heard of last. What another turns by hand is its own business;
 * only a link that comes up again, or a device that is new, may have forgotten.
 */
#define LINKS_MAX	256
#define FLAGS_UP	(IFF_UP | IFF_RUNNING)

struct ear {
	struct nlk_conn *conn;
	size_t n;
	struct {
		int index;
		bool up;
	} link[LINKS_MAX];
	bool heard;
};

static void hear(struct ear *ear, int index, bool up, bool gone)
{
	size_t i;

	for (i = 0; i < ear->n && ear->link[i].index != index;)
		i++;
	if (gone) {
		if (i < ear->n)
			ear->link[i] = ear->link[--ear->n];
		return;
	}
	if (i == ear->n) {
		ear->heard |= up;
		if (i == LINKS_MAX)
			return;
		ear->n++;
	} else {
		ear->heard |= up && !ear->link[i].up;
	}
	ear->link[i].index = index;
	ear->link[i].up = up;
}

static int on_message(const struct nlk_reply *reply, void *arg)
{
	const struct ifinfomsg *ifi = reply->data;

	if ((reply->type == RTM_NEWLINK || reply->type == RTM_DELLINK) && reply->len >= sizeof(*ifi))
		hear(arg, ifi->ifi_index, (ifi->ifi_flags & FLAGS_UP) == FLAGS_UP, reply->type == RTM_DELLINK);
	return 0;
}

static int on_link(const struct link_info *info, void *arg)
{
	hear(arg, info->index, info->running, false);
	return 0;
}

static int listen_to_links(void *arg)
{
	struct ear *ear = arg;
	int ret = nlk_open(NETLINK_ROUTE, &ear->conn);

	if (!ret)
		ret = nlk_join_id(ear->conn, RTNLGRP_LINK);
	return ret ? ret : link_each(on_link, ear);
}

/* One namespace's links; a change that is of two is looked at whenever the first one's say something. */
static void watch(struct journal *j, struct ear *ear)
{
	uint64_t due = UINT64_MAX, now, next;
	int ret;

	while (!access(j->path, F_OK) && stop_pending() != SIGTERM) {
		now = stop_now_ns();
		next = now + LOOK_NS < due ? now + LOOK_NS : due;
		if (stop_wait(next, nlk_fd(ear->conn)) == 1) {
			ret = nlk_receive(ear->conn, on_message, ear);
			/* Some may have been lost, which says that something is new. */
			if (ret && ret != -ENOBUFS && ret != -EAGAIN && ret != -EINTR)
				return;
			err_clear();
			if (ear->heard || ret == -ENOBUFS)
				due = stop_now_ns() + QUIET_NS;
			ear->heard = false;
		} else if (stop_now_ns() >= due) {
			due = UINT64_MAX;
			hold_again(j);
		}
	}
}

static int be_holder(int life, void *arg)
{
	struct journal *j = arg;
	struct ear ear = { 0 };
	int ret;

	(void)life;
	ret = netns_call(j->n ? j->entry[0].place.netns : "", listen_to_links, &ear);
	if (ret)
		return err_report(ret);
	ear.heard = false;
	/* What happened while nobody listened. */
	hold_again(j);
	watch(j, &ear);
	nlk_close(ear.conn);
	return 0;
}

int hold_start(struct journal *j, const int *keep, size_t nkeep)
{
	struct detached d;
	int ret;

	ret = detach_start(&d, "hold", be_holder, j, keep, nkeep);
	if (ret)
		return ret;
	j->pid = d.pid;
	j->start = d.start;
	j->held = true;
	ret = journal_save(j);
	if (ret)
		kill(d.pid, SIGTERM);
	detach_go(&d);
	return ret;
}

int hold_end(const struct journal *j)
{
	if (!j->held || !journal_alive(j))
		return 0;
	if (kill(j->pid, SIGTERM) && errno != ESRCH)
		return err_set(-errno, NULL, "pid %d: %s", (int)j->pid, strerror(errno));
	if (!journal_ended(j, END_SECONDS))
		return err_set(-ETIMEDOUT, NULL, "pid %d does not end", (int)j->pid);
	return 0;
}
