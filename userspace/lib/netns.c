// SPDX-License-Identifier: GPL-2.0-or-later
/* Network namespaces by the names that `ip netns` gives them. */
#include "lib/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/err.h"

#define RUN_DIR	"/run/netns"

int netns_open(const char *name)
{
	char path[PATH_MAX];
	int fd;

	if (!name || !*name) {
		fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
		return fd >= 0 ? fd : err_set(-errno, NULL, "/proc/thread-self/ns/net: %s",
					      strerror(errno));
	}
	if (strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..") ||
	    snprintf(path, sizeof(path), RUN_DIR "/%s", name) >= (int)sizeof(path))
		return err_set(-EINVAL, NULL, "'%s' is not a name of a network namespace", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno == ENOENT)
		return err_set(-ENOENT, "ip netns list shows those there are",
			       "there is no network namespace '%s'", name);
	return err_set(-errno, NULL, "network namespace '%s': %s", name, strerror(errno));
}

static int enter_fd(int fd, const char *name)
{
	int ret;

	if (!setns(fd, CLONE_NEWNET))
		return 0;
	ret = -errno;
	if (ret == -EPERM)
		return err_set(ret, "run it as root, or with CAP_SYS_ADMIN",
			       "not permitted to enter network namespace '%s'", name ? name : "");
	if (ret == -EINVAL)
		return err_set(ret, "ip netns delete it and add it again",
			       RUN_DIR "/%s is not a network namespace", name ? name : "");
	return err_set(ret, NULL, "cannot enter network namespace '%s': %s", name ? name : "",
		       strerror(-ret));
}

int netns_enter(const char *name)
{
	int fd, ret;

	fd = netns_open(name);
	if (fd < 0)
		return fd;
	ret = enter_fd(fd, name);
	close(fd);
	return ret;
}

int netns_enter_sys(const char *name)
{
	struct statfs fs;
	unsigned long flags = 0;
	int ret;

	ret = netns_enter(name);
	if (ret)
		return ret;
	if (unshare(CLONE_NEWNS) || mount("", "/", "none", MS_SLAVE | MS_REC, NULL))
		return err_set(-errno, NULL, "cannot have a mount namespace: %s", strerror(errno));
	if (!statfs("/sys", &fs) && fs.f_flags & ST_RDONLY)
		flags |= MS_RDONLY;
	umount2("/sys", MNT_DETACH);
	if (mount(name && *name ? name : "sysfs", "/sys", "sysfs", flags, NULL))
		return err_set(-errno, NULL, "cannot mount /sys of network namespace '%s': %s",
			       name ? name : "", strerror(errno));
	return 0;
}

int netns_call(const char *name, int (*fn)(void *arg), void *arg)
{
	int home, ret;

	if (!name || !*name)
		return fn(arg);
	home = netns_open(NULL);
	if (home < 0)
		return home;
	ret = netns_enter(name);
	if (ret)
		goto out;
	ret = fn(arg);
	if (setns(home, CLONE_NEWNET)) {
		pr_err("cannot return from network namespace '%s': %s", name, strerror(errno));
		abort();
	}
out:
	close(home);
	return ret;
}
