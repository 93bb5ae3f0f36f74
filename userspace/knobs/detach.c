// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes apart: of no terminal and no session of the user's, that stay when the shell or the connection goes. */
#include "knobs/detach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "knobs/journal.h"
#include "lib/err.h"
#include "lib/stop.h"

/* What a caller waits for to be closed must not be kept open. */
static void close_others(const int *keep, size_t nkeep, int pipe, int report)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *d;
	size_t i;
	int fd;

	while (dir && (d = readdir(dir))) {
		fd = atoi(d->d_name);
		if (d->d_name[0] == '.' || fd < 3 || fd == pipe || fd == report || fd == dirfd(dir))
			continue;
		for (i = 0; i < nkeep && keep[i] != fd;)
			i++;
		if (i == nkeep)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static void leave_terminal(const char *name)
{
	char path[PATH_MAX];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), log;

	snprintf(path, sizeof(path), "%s/%s.log", state_dir(), name);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	dup2(null, 0);
	dup2(null, 1);
	dup2(log >= 0 ? log : null, 2);
	if (chdir("/"))
		_exit(1);
}

/* In the process that becomes one. */
static void become(int report, int life, const struct detached *d, const char *log,
		   int (*fn)(int life, void *arg), void *arg)
{
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	stop_begin();
	if (write(report, &d->pid, sizeof(d->pid)) != (ssize_t)sizeof(d->pid) ||
	    write(report, &d->start, sizeof(d->start)) != (ssize_t)sizeof(d->start))
		_exit(1);
	leave_terminal(log);
	_exit(fn(life, arg));
}

int detach_start(struct detached *d, const char *log, int (*fn)(int life, void *arg), void *arg,
		 const int *keep, size_t nkeep)
{
	int report[2], life[2], ret;
	struct journal me;
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
		setsid();
		/* Once more, so that it is no leader of a session and gets no terminal, and is not ours to wait for. */
		pid = fork();
		if (pid)
			_exit(pid < 0 ? 1 : 0);
		journal_init(&me, "");
		*d = (struct detached) { .pid = me.pid, .start = me.start, .fd = -1 };
		close_others(keep, nkeep, life[0], report[1]);
		become(report[1], life[0], d, log, fn, arg);
	}
	ret = pid < 0 ? -errno : 0;
	close(report[1]);
	close(life[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!ret && (read(report[0], &d->pid, sizeof(d->pid)) != (ssize_t)sizeof(d->pid) ||
		     read(report[0], &d->start, sizeof(d->start)) != (ssize_t)sizeof(d->start)))
		ret = -ECHILD;
	close(report[0]);
	d->fd = life[1];
	if (!ret)
		return 0;
	close(life[1]);
	return err_set(ret, NULL, "cannot have a process that stays behind, so nothing is changed");
}

void detach_go(struct detached *d)
{
	if (d->pid)
		close(d->fd);
	*d = (struct detached) { 0 };
}
