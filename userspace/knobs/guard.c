// SPDX-License-Identifier: GPL-2.0-or-later
/* Undo unless confirmed: a process apart from everything that puts changes back when nobody says that they are good. */
#include "knobs/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "knobs/lock.h"
#include "knobs/turn.h"
#include "lib/err.h"
#include "lib/stop.h"

#define NS_PER_SEC	1000000000ull
#define LOOK_NS		200000000ull	/* how often the guard looks whether it was confirmed */
#define UNDO_SECONDS	60		/* how long an undo may take */

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

/* What a caller waits for to be closed must not be kept open. */
static void close_others(const int *keep, size_t nkeep, int pipe)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *d;
	size_t i;
	int fd;

	while (dir && (d = readdir(dir))) {
		fd = atoi(d->d_name);
		if (d->d_name[0] == '.' || fd < 3 || fd == pipe || fd == dirfd(dir))
			continue;
		for (i = 0; i < nkeep && keep[i] != fd;)
			i++;
		if (i == nkeep)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static void leave_terminal(void)
{
	char path[PATH_MAX];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), log;

	snprintf(path, sizeof(path), "%s/guard.log", state_dir());
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	dup2(null, 0);
	dup2(null, 1);
	dup2(log >= 0 ? log : null, 2);
	if (chdir("/"))
		_exit(1);
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

/* In the process that becomes the guard. */
static void be_guard(int report, int pipe, unsigned int seconds, const int *keep, size_t nkeep)
{
	uint64_t deadline = stop_now_ns() + seconds * NS_PER_SEC;
	char path[PATH_MAX];
	struct journal me;

	journal_init(&me, "");
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	stop_begin();
	snprintf(path, sizeof(path), "%s/knob-%d-%llu.json", state_dir(), (int)me.pid, me.start);
	if (write(report, &me.pid, sizeof(me.pid)) != (ssize_t)sizeof(me.pid) ||
	    write(report, &me.start, sizeof(me.start)) != (ssize_t)sizeof(me.start))
		_exit(1);
	leave_terminal();
	close_others(keep, nkeep, pipe);
	watch(path, deadline, pipe);
}

int guard_start(struct guard *g, struct journal *j, unsigned int seconds, const int *keep, size_t nkeep)
{
	int report[2], life[2], ret;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return err_set(-errno, NULL, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(life, O_CLOEXEC)) {
		ret = -errno;
		close(report[0]);
		close(report[1]);
		return err_set(ret, NULL, "cannot make a pipe: %s", strerror(-ret));
	}
	pid = fork();
	if (!pid) {
		close(report[0]);
		close(life[1]);
		setsid();
		/* Once more, so that it is no leader of a session and gets no terminal, and is not ours to wait for. */
		pid = fork();
		if (!pid)
			be_guard(report[1], life[0], seconds, keep, nkeep);
		_exit(pid < 0 ? 1 : 0);
	}
	ret = pid < 0 ? -errno : 0;
	close(report[1]);
	close(life[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!ret && (read(report[0], &g->pid, sizeof(g->pid)) != (ssize_t)sizeof(g->pid) ||
		     read(report[0], &j->start, sizeof(j->start)) != (ssize_t)sizeof(j->start)))
		ret = -ECHILD;
	close(report[0]);
	if (ret) {
		close(life[1]);
		return err_set(ret, NULL, "cannot have a process that would undo this, so nothing is changed");
	}
	j->pid = g->pid;
	j->confirm_by = time(NULL) + seconds;
	g->fd = life[1];
	return 0;
}

void guard_let_go(struct guard *g)
{
	if (g->pid)
		close(g->fd);
	*g = (struct guard) { 0 };
}

int guard_confirm(struct journal *j)
{
	uint64_t deadline = stop_now_ns() + 5 * NS_PER_SEC;
	int fd, ret;

	ret = lock_confirm("confirm", &fd);
	if (ret == -EBUSY || (!ret && !is_there(j->path)))
		ret = err_set(-EALREADY, NULL, "too late: %s is being undone", j->what);
	if (!ret)
		ret = journal_keep(j);
	if (fd >= 0)
		close(fd);
	/* Its end frees the locks, which the next command may want at once. */
	while (!ret && journal_alive(j) && stop_now_ns() < deadline)
		usleep(10000);
	return ret;
}

int guard_undo(const struct journal *j)
{
	uint64_t deadline = stop_now_ns() + UNDO_SECONDS * NS_PER_SEC;

	if (kill(j->pid, SIGTERM) && errno != ESRCH)
		return err_set(-errno, NULL, "pid %d: %s", (int)j->pid, strerror(errno));
	while (journal_alive(j)) {
		if (stop_now_ns() > deadline)
			return err_set(-ETIMEDOUT, NULL, "pid %d has not undone %s within %d s", (int)j->pid, j->what,
				       UNDO_SECONDS);
		usleep(10000);
	}
	return is_there(j->path);
}
