// SPDX-License-Identifier: GPL-2.0-or-later
/* The /sys of another network namespace, which only a mount of its own shows. */
#include "knobs/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/netns.h"

struct report {
	int ret;
	struct knob_answer answer;
	char text[512];
	char cure[256];
};

static void child(int fd, const char *netns, int (*fn)(void *arg), void *arg,
		  struct knob_answer *answer)
{
	struct report r = { 0 };

	r.ret = netns_enter_sys(netns);
	if (!r.ret)
		r.ret = fn(arg);
	r.answer = *answer;
	if (r.ret) {
		snprintf(r.text, sizeof(r.text), "%s", err_text(r.ret));
		snprintf(r.cure, sizeof(r.cure), "%s", err_cure(r.ret));
	}
	/* Fits into a pipe, so it goes in one piece. */
	_exit(write(fd, &r, sizeof(r)) == (ssize_t)sizeof(r) ? 0 : 1);
}

int knob_call_in_sys(const char *netns, int (*fn)(void *arg), void *arg, struct knob_answer *answer)
{
	struct report r;
	ssize_t n;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return err_set(-errno, NULL, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		n = -errno;
		close(fds[0]);
		close(fds[1]);
		return err_set((int)n, NULL, "cannot make a process: %s", strerror((int)-n));
	}
	if (!pid) {
		close(fds[0]);
		child(fds[1], netns, fn, arg, answer);
	}
	close(fds[1]);
	do
		n = read(fds[0], &r, sizeof(r));
	while (n < 0 && errno == EINTR);
	close(fds[0]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof(r))
		return err_set(-EIO, NULL, "the process that works in network namespace '%s' died", netns);
	*answer = r.answer;
	if (r.ret)
		return err_set(r.ret, r.cure[0] ? r.cure : NULL, "%s", r.text);
	return 0;
}

int sysfs_read(const char *path, char *text, size_t size)
{
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return err_set(-EOPNOTSUPP, NULL, "there is no %s", path);
	if (fd < 0)
		return err_set(-errno, NULL, "%s: %s", path, strerror(errno));
	n = read(fd, text, size - 1);
	if (n < 0) {
		n = err_set(-errno, NULL, "%s: %s", path, strerror(errno));
		close(fd);
		return (int)n;
	}
	close(fd);
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

int sysfs_read_u64(const char *path, uint64_t *value)
{
	char text[64], *end;
	int ret;

	ret = sysfs_read(path, text, sizeof(text));
	if (ret)
		return ret;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno || end == text)
		return err_set(-EIO, NULL, "%s holds no number", path);
	return 0;
}

int sysfs_write(const char *path, const char *text)
{
	int fd, ret = 0;

	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return err_set(-EOPNOTSUPP, NULL, "there is no %s", path);
	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
		return err_set(-EPERM, errno == EROFS ? "it is mounted read-only" : "run it as root",
			       "not permitted to write to %s", path);
	if (fd < 0)
		return err_set(-errno, NULL, "%s: %s", path, strerror(errno));
	if (write(fd, text, strlen(text)) < 0)
		ret = err_set(-errno, NULL, "%s: %s", path, strerror(errno));
	close(fd);
	return ret;
}
