// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPUs serve which queue of a device: steer.rps-0, steer.rps-flows-0 and steer.xps-0, in sysfs. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knobs/family.h"
#include "knobs/sysfs.h"
#include "lib/args.h"
#include "lib/cpus.h"
#include "lib/err.h"

#define QUEUES_MAX	4096

enum { RPS, RPS_FLOWS, XPS, NKINDS };

static const struct kind {
	const char *key, *queue, *file, *explain;
} kinds[NKINDS] = {
	[RPS] = { "rps-", "rx", "rps_cpus",
		  "CPUs that take over what a receive queue's own CPU has fetched, a flow always the same one" },
	[RPS_FLOWS] = { "rps-flows-", "rx", "rps_flow_cnt",
			"flows of a receive queue that are led to the CPU of their reader; "
			"sysctl.net.core.rps_sock_flow_entries has to be set as well" },
	[XPS] = { "xps-", "tx", "xps_cpus", "CPUs that send by a transmit queue" },
};

/* The kind of a key, and the number of its queue; -1 for no key. */
static int split(const char *key, unsigned long *queue)
{
	static const int order[NKINDS] = { RPS_FLOWS, RPS, XPS };
	const char *digits;
	char *end;
	size_t i;

	for (i = 0; i < NKINDS; i++) {
		if (strncmp(key, kinds[order[i]].key, strlen(kinds[order[i]].key)))
			continue;
		digits = key + strlen(kinds[order[i]].key);
		*queue = strtoul(digits, &end, 10);
		if (*digits < '0' || *digits > '9' || *end || *queue >= QUEUES_MAX ||
		    (*digits == '0' && digits[1]))
			return -1;
		return order[i];
	}
	return -1;
}

static int find(const char *key, struct knob *knob)
{
	unsigned long queue;

	knob->cookie = split(key, &queue);
	if (knob->cookie < 0)
		return -ENOENT;
	knob->type = knob->cookie == RPS_FLOWS ? KNOB_UINT : KNOB_TEXT;
	knob->unit = knob->cookie == RPS_FLOWS ? "flows" : "";
	knob->max = 1u << 29;
	knob->flags = KNOB_NEEDS_SYS;
	knob->explain = kinds[knob->cookie].explain;
	return 0;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_queue(const struct dirent *d)
{
	return !strncmp(d->d_name, "rx-", 3) || !strncmp(d->d_name, "tx-", 3);
}

static int list(const struct knob_place *place, knob_fn fn, void *arg)
{
	char path[PATH_MAX], key[64];
	struct dirent **entry;
	int i, n, kind, ret = 0;

	snprintf(path, sizeof(path), "/sys/class/net/%s/queues", place->dev);
	n = scandir(path, &entry, is_queue, by_number);
	for (i = 0; i < n; i++) {
		for (kind = 0; kind < NKINDS && ret >= 0; kind++) {
			if (strncmp(entry[i]->d_name, kinds[kind].queue, 2))
				continue;
			snprintf(key, sizeof(key), "%s%.16s", kinds[kind].key, entry[i]->d_name + 3);
			ret = fn(key, arg);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return ret;
}

static int parse(const struct knob *knob, const char *text, char *value)
{
	struct cpus cpus;
	uint64_t n;
	int ret;

	if (knob->cookie == RPS_FLOWS) {
		ret = arg_uint(knob->name, text, 0, knob->max, &n);
		if (!ret)
			snprintf(value, KNOB_VALUE_MAX, "%" PRIu64, n);
		return ret;
	}
	if (cpus_parse_list(&cpus, text))
		return err_set(-EINVAL, NULL, "%s is a list of CPUs (0-3,8) or \"none\", not '%s'", knob->name, text);
	if (cpus_print_list(&cpus, value, KNOB_VALUE_MAX))
		return err_set(-EINVAL, NULL, "%s: the list of CPUs is too long", knob->name);
	return 0;
}

static void path_of(const struct knob *knob, const struct knob_place *place, char *path, size_t size)
{
	const struct kind *kind = &kinds[knob->cookie];
	unsigned long queue = 0;

	split(knob_key(knob), &queue);
	snprintf(path, size, "/sys/class/net/%s/queues/%s-%lu/%s", place->dev, kind->queue, queue, kind->file);
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	char path[PATH_MAX], text[4096];
	struct cpus cpus;
	uint64_t n;
	int ret;

	path_of(knob, place, path, sizeof(path));
	if (knob->cookie == RPS_FLOWS) {
		ret = sysfs_read_u64(path, &n);
		if (!ret)
			snprintf(value, KNOB_VALUE_MAX, "%" PRIu64, n);
		return ret;
	}
	ret = sysfs_read(path, text, sizeof(text));
	if (ret)
		return ret;
	if (cpus_parse_mask(&cpus, text) || cpus_print_list(&cpus, value, KNOB_VALUE_MAX))
		return err_set(-EIO, NULL, "%s is no mask of CPUs: %s", path, text);
	return 0;
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	char path[PATH_MAX], mask[CPUS_MAX / 3];
	struct cpus cpus;

	path_of(knob, place, path, sizeof(path));
	if (knob->cookie == RPS_FLOWS)
		return sysfs_write(path, value);
	if (cpus_parse_list(&cpus, value) || cpus_print_mask(&cpus, mask, sizeof(mask)))
		return err_set(-EINVAL, NULL, "%s: '%s' is no list of CPUs", knob->name, value);
	return sysfs_write(path, mask);
}

static int values(const struct knob *knob, const struct knob_place *place, char *text)
{
	char online[128] = "?";

	(void)place;
	if (knob->cookie == RPS_FLOWS)
		snprintf(text, KNOB_TEXT_MAX, "0 to %" PRIu64 " flows, rounded up to a power of two", knob->max);
	else if (!sysfs_read("/sys/devices/system/cpu/online", online, sizeof(online)))
		snprintf(text, KNOB_TEXT_MAX, "a list of CPUs out of %s, or none", online);
	return 0;
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	char path[PATH_MAX], mask[CPUS_MAX / 3];
	struct cpus cpus;

	path_of(knob, place, path, sizeof(path));
	if (knob->cookie != RPS_FLOWS && !cpus_parse_list(&cpus, value) &&
	    !cpus_print_mask(&cpus, mask, sizeof(mask)))
		value = mask;
	snprintf(text, KNOB_TEXT_MAX, "echo %.128s > %.256s", value, path);
	return 0;
}

const struct knob_family knob_steer = {
	.name = "steer",
	.per_device = true,
	.list = list,
	.find = find,
	.parse = parse,
	.read = read_value,
	.write = write_value,
	.values = values,
	.command = command,
};
