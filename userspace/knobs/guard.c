// SPDX-License-Identifier: GPL-2.0-or-later
/* Undo unless confirmed: a process apart from everything that puts changes back when nobody says that they are good. */
#include "knobs/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "knobs/journal_left.h"
#include "knobs/lock.h"
#include "knobs/turn.h"
#include "lib/err.h"
#include "lib/stop.h"

#define NS_PER_SEC	1000000000ull
#define LOOK_NS		200000000ull	/* how often the guard looks whether it was confirmed */
#define UNDO_SECONDS	60		/* how long an undo may take */
#define CONFIRM_SECONDS	5		/* how long a guard that was confirmed may */

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

/* Until the changes are confirmed, in which case it ends here, or time is up, or somebody asks for the undo. */
static void wait_for_word(const char *path, uint64_t deadline, int pipe)
{
	struct pollfd p = { .fd = pipe, .events = POLLIN };
	bool changing = true;
	uint64_t next;

	while (stop_now_ns() < deadline && stop_pending() != SIGTERM) {
		next = stop_now_ns() + LOOK_NS;
		stop_wait(next < deadline ? next : deadline, changing ? pipe : -1);
		/* Nothing is ever written: readable means that the other end was closed. */
		if (changing && poll(&p, 1, 0) > 0)
			changing = false;
		if (!changing && !is_there(path))
			_exit(0);
	}
}

static void watch(const char *path, uint64_t deadline, int pipe)
{
	struct journal j;
	int fd, ret;

	wait_for_word(path, deadline, pipe);
	/* From here on it cannot be confirmed any more. */
	while ((ret = lock_confirm("knob undo", &fd)) == -EBUSY) {
		err_clear();
		usleep(1000);
	}
	if (!is_there(path))
		_exit(0);
	ret = journal_load(&j, path);
	if (!ret) {
		pr_note("%s was not confirmed, and is undone", j.what);
		ret = turn_back(&j);
	} else {
		err_report(ret);
	}
	_exit(ret ? 1 : 0);
}

static int be_guard(int life, void *arg)
{
	uint64_t deadline = stop_now_ns() + *(unsigned int *)arg * NS_PER_SEC;
	char path[PATH_MAX];
	struct journal me;

	/* The journal bears the guard's number. */
	journal_init(&me, "");
	snprintf(path, sizeof(path), "%s/knob-%d-%llu.json", state_dir(), (int)me.pid, me.start);
	watch(path, deadline, life);
	return 0;
}

int guard_start(struct detached *guard, struct journal *j, unsigned int seconds, const int *keep, size_t nkeep)
{
	int ret = detach_start(guard, "guard", be_guard, &seconds, keep, nkeep);

	if (ret)
		return ret;
	j->pid = guard->pid;
	j->start = guard->start;
	j->confirm_by = time(NULL) + seconds;
	return 0;
}

int guard_confirm(struct journal *j)
{
	int fd, ret;

	ret = lock_confirm("confirm", &fd);
	if (ret == -EBUSY || (!ret && !is_there(j->path)))
		ret = err_set(-EALREADY, NULL, "too late: %s is being undone", j->what);
	if (!ret)
		ret = journal_keep(j);
	if (fd >= 0)
		close(fd);
	/* Its end frees the locks, which the next command may want at once. */
	if (!ret)
		journal_ended(j, CONFIRM_SECONDS);
	return ret;
}

int guard_undo(const struct journal *j)
{
	if (kill(j->pid, SIGTERM) && errno != ESRCH)
		return err_set(-errno, NULL, "pid %d: %s", (int)j->pid, strerror(errno));
	if (!journal_ended(j, UNDO_SECONDS))
		return err_set(-ETIMEDOUT, NULL, "pid %d has not undone %s within %d s", (int)j->pid, j->what,
			       UNDO_SECONDS);
	return is_there(j->path);
}
