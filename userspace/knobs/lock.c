// SPDX-License-Identifier: GPL-2.0-or-later
/* One program at a time may turn the knobs of a device; the second is told who is first. */
#include "knobs/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "knobs/journal.h"
#include "lib/err.h"
#include "lib/netns.h"
#include "lib/nl_link.h"

/* How long the child of a holder that was killed may take to end: it makes one change at most. */
#define ORPHAN_US	10000
#define ORPHAN_TRIES	500

static int index_of(void *arg)
{
	const struct knob_place *place = arg;
	struct link_info info;
	int ret;

	ret = link_get(place->dev, &info);
	return ret ? ret : info.index;
}

/* By what the kernel numbers, since names differ between mount namespaces and can be changed. */
static int path_of(const struct knob_place *place, char *path, size_t size)
{
	struct stat st;
	int fd, index = 0;

	fd = netns_open(place->netns);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st)) {
		close(fd);
		return err_set(-errno, NULL, "network namespace: %s", strerror(errno));
	}
	close(fd);
	if (place->dev[0]) {
		index = netns_call(place->netns, index_of, (void *)place);
		if (index < 0)
			return index;
	}
	snprintf(path, size, "%s/lock-%llu-%d", state_dir(), (unsigned long long)st.st_ino, index);
	return 0;
}

/* Whether who wrote that it holds the lock is gone: then a child of it does, which is about to end. */
static bool holder_is_gone(int fd)
{
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	int pid;

	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "pid %d ", &pid) == 1 && kill(pid, 0) && errno == ESRCH;
}

static int busy(const char *thing, int fd)
{
	char holder[256];
	ssize_t n = pread(fd, holder, sizeof(holder) - 1, 0);

	holder[n > 0 ? n : 0] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
	return err_set(-EBUSY, "wait for it, or end it: it puts everything back",
		       "%s is being changed by %s", thing, holder[0] ? holder : "another program");
}

void lock_hand_over(int fd, pid_t pid, const char *what)
{
	char text[256];
	int ret, len;

	len = snprintf(text, sizeof(text), "pid %d (nettoll %s)\n", (int)pid, what);
	/* If this fails, as on a full disk, only the message to the second suffers. */
	ret = ftruncate(fd, 0) || pwrite(fd, text, (size_t)len, 0) != len;
	(void)ret;
}

static int take(const char *path, const char *thing, const char *what, int *fd)
{
	int ret, tries;

	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (*fd < 0)
		return err_set(-errno, errno == EACCES ? "run it as root" : NULL, "cannot open %s: %s", path,
			       strerror(errno));
	ret = flock(*fd, LOCK_EX | LOCK_NB) ? -errno : 0;
	for (tries = 0; ret == -EWOULDBLOCK && tries < ORPHAN_TRIES && holder_is_gone(*fd); tries++) {
		usleep(ORPHAN_US);
		ret = flock(*fd, LOCK_EX | LOCK_NB) ? -errno : 0;
	}
	if (ret) {
		errno = -ret;
		ret = errno == EWOULDBLOCK ? busy(thing, *fd)
					   : err_set(-errno, NULL, "cannot lock %s: %s", path, strerror(errno));
		close(*fd);
		*fd = -1;
		return ret;
	}
	lock_hand_over(*fd, getpid(), what);
	return 0;
}

int lock_place(const struct knob_place *place, const char *what, int *fd)
{
	char path[PATH_MAX];
	int ret;

	*fd = -1;
	ret = state_dir_make();
	if (!ret)
		ret = path_of(place, path, sizeof(path));
	return ret ? ret : take(path, knob_where(place), what, fd);
}

static int lock_name(const char *name, const char *thing, const char *what, int *fd)
{
	char path[PATH_MAX];
	int ret;

	*fd = -1;
	ret = state_dir_make();
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/lock-%s", state_dir(), name);
	return take(path, thing, what, fd);
}

int lock_account(const char *what, int *fd)
{
	return lock_name("account", "the nettoll module's account", what, fd);
}

int lock_sysctls(const char *what, int *fd)
{
	return lock_name("sysctls", "a kernel setting (sysctl)", what, fd);
}

int lock_confirm(const char *what, int *fd)
{
	return lock_name("confirm", "the state of a change", what, fd);
}
