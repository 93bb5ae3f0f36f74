// SPDX-License-Identifier: GPL-2.0-or-later
/* How the kernel polls a device: napi.defer-hard-irqs, napi.gro-flush-timeout, napi.threaded, in sysfs. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "knobs/family.h"
#include "knobs/sysfs.h"

static const char *const keys[] = { "defer-hard-irqs", "gro-flush-timeout", "threaded", NULL };
static const char *const files[] = { "napi_defer_hard_irqs", "gro_flush_timeout", "threaded" };

static int find(const char *key, struct knob *knob)
{
	knob->type = KNOB_UINT;
	knob->flags = KNOB_NEEDS_SYS;
	if (!strcmp(key, keys[0])) {
		knob->cookie = 0;
		knob->max = INT32_MAX;
		knob->explain = "empty polls before the interrupt is enabled again; between polls the kernel "
				"waits napi.gro-flush-timeout";
		return 0;
	}
	if (!strcmp(key, keys[1])) {
		knob->cookie = 1;
		knob->unit = "ns";
		knob->max = 1000000000;
		knob->explain = "time between polls while the interrupt is off, and until merged packets are "
				"handed up; 0 turns deferral off";
		return 0;
	}
	if (!strcmp(key, keys[2])) {
		knob->cookie = 2;
		knob->max = 2;
		knob->explain = "1: a kernel thread for each queue polls it, which the scheduler can move to another "
				"CPU, rather than the interrupt; 2: and never stops (newer kernels)";
		return 0;
	}
	return -ENOENT;
}

static void path_of(const struct knob *knob, const struct knob_place *place, char *path, size_t size)
{
	snprintf(path, size, "/sys/class/net/%s/%s", place->dev, files[knob->cookie]);
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	char path[PATH_MAX];
	uint64_t n;
	int ret;

	path_of(knob, place, path, sizeof(path));
	ret = sysfs_read_u64(path, &n);
	if (!ret)
		snprintf(value, KNOB_VALUE_MAX, "%" PRIu64, n);
	return ret;
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	char path[PATH_MAX];

	path_of(knob, place, path, sizeof(path));
	return sysfs_write(path, value);
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	char path[PATH_MAX];

	path_of(knob, place, path, sizeof(path));
	snprintf(text, KNOB_TEXT_MAX, "echo %s > %.256s", value, path);
	return 0;
}

const struct knob_family knob_napi = {
	.name = "napi",
	.per_device = true,
	.keys = keys,
	.find = find,
	.read = read_value,
	.write = write_value,
	.command = command,
};
