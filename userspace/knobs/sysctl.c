// SPDX-License-Identifier: GPL-2.0-or-later
/* Any sysctl as a knob: sysctl.net.core.rmem_max; those below net. are the namespace's. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "knobs/family.h"
#include "knobs/sysfs.h"
#include "lib/err.h"

static int find(const char *key, struct knob *knob)
{
	const char *c;

	/* A path below /proc/sys, and nowhere else. '/' stands for a dot within a name (eth0/100). */
	if (!*key || *key == '.' || *key == '/' || strstr(key, "..") || strstr(key, "//"))
		return -ENOENT;
	for (c = key; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-/:@", *c))
			return -ENOENT;
	knob->type = KNOB_TEXT;
	knob->explain = "a kernel setting; Documentation/admin-guide/sysctl/ in the kernel source explains it";
	return 0;
}

/* The kernel separates numbers by tabs; ours are single blanks. */
static int parse(const struct knob *knob, const char *text, char *value)
{
	size_t len = 0;

	for (; *text; text++) {
		if (!isspace((unsigned char)*text)) {
			if (len == KNOB_VALUE_MAX - 1)
				return err_set(-EINVAL, NULL, "%s: the value is longer than %d characters",
					       knob->name, KNOB_VALUE_MAX - 1);
			value[len++] = *text;
		} else if (len && value[len - 1] != ' ' && len < KNOB_VALUE_MAX - 1) {
			value[len++] = ' ';
		}
	}
	if (len && value[len - 1] == ' ')
		len--;
	value[len] = '\0';
	return len ? 0 : err_set(-EINVAL, NULL, "%s: the value is empty", knob->name);
}

static void path_of(const struct knob *knob, char *path, size_t size)
{
	char *c;

	snprintf(path, size, "/proc/sys/%s", knob_key(knob));
	for (c = path + strlen("/proc/sys/"); *c; c++) {
		if (*c == '.')
			*c = '/';
		else if (*c == '/')
			*c = '.';
	}
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	char path[PATH_MAX], text[4096];
	ssize_t n;
	int fd;

	(void)place;
	path_of(knob, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return err_set(-EOPNOTSUPP, NULL, "there is no sysctl %s", knob_key(knob));
	if (fd < 0)
		return err_set(-errno, NULL, "%s: %s", path, strerror(errno));
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0) {
		n = err_set(-errno, NULL, "%s: %s", path, strerror(errno));
		close(fd);
		return (int)n;
	}
	close(fd);
	text[n] = '\0';
	return parse(knob, text, value);
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	char path[PATH_MAX];

	(void)place;
	path_of(knob, path, sizeof(path));
	return sysfs_write(path, value);
}

const struct knob_family knob_sysctl = {
	.name = "sysctl",
	.find = find,
	.parse = parse,
	.read = read_value,
	.write = write_value,
};
