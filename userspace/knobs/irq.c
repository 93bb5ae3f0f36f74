// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPUs serve which interrupt of a device: irq.affinity-0 and so on, in procfs. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "knobs/family.h"
#include "knobs/sysfs.h"
#include "lib/cpus.h"
#include "lib/err.h"

/*
 * Counted from the device's first, since the numbers that the kernel gives change when the device
 * is taken away and brought back, or another driver is.
 */
#define KEY		"affinity-"
#define IRQS_MAX	4096

static int find(const char *key, struct knob *knob)
{
	unsigned long n;
	char *end;

	if (strncmp(key, KEY, strlen(KEY)))
		return -ENOENT;
	key += strlen(KEY);
	n = strtoul(key, &end, 10);
	if (*key < '0' || *key > '9' || *end || n >= IRQS_MAX || (*key == '0' && key[1]))
		return -ENOENT;
	knob->type = KNOB_TEXT;
	knob->flags = KNOB_NEEDS_SYS;
	knob->cookie = (int)n;
	knob->explain = "CPUs that may serve this interrupt of the device, counted from its first";
	return 0;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_number(const struct dirent *d)
{
	return d->d_name[0] >= '0' && d->d_name[0] <= '9';
}

/*
 * The @at-th interrupt of a device, 0 when there are not so many. Message-signalled ones are in a
 * directory; a virtio device's belong to the PCI device above it.
 */
static unsigned int number_of(const char *dev, int at)
{
	static const char *const up[] = { "device", "device/.." };
	struct dirent **entry;
	char path[PATH_MAX];
	unsigned int irq = 0;
	uint64_t line;
	int i, n;
	size_t k;

	for (k = 0; k < sizeof(up) / sizeof(*up); k++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/%s/msi_irqs", dev, up[k]);
		n = scandir(path, &entry, is_number, by_number);
		for (i = 0; i < n; i++) {
			if (i == at)
				irq = (unsigned int)strtoul(entry[i]->d_name, NULL, 10);
			free(entry[i]);
		}
		if (n >= 0)
			free(entry);
		if (n > 0)
			return irq;
	}
	for (k = 0; !at && k < sizeof(up) / sizeof(*up); k++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/%s/irq", dev, up[k]);
		if (!sysfs_read_u64(path, &line) && line && line < UINT32_MAX)
			return (unsigned int)line;
		err_clear();
	}
	return 0;
}

static int list(const struct knob_place *place, knob_fn fn, void *arg)
{
	char key[32];
	int i, ret = 0;

	for (i = 0; i < IRQS_MAX && number_of(place->dev, i) && ret >= 0; i++) {
		snprintf(key, sizeof(key), KEY "%d", i);
		ret = fn(key, arg);
	}
	return ret;
}

static int path_of(const struct knob *knob, const struct knob_place *place, char *path, size_t size)
{
	unsigned int irq = number_of(place->dev, knob->cookie);

	if (!irq && !knob->cookie)
		return err_set(-EOPNOTSUPP, NULL, "%s has no interrupts", place->dev);
	if (!irq)
		return err_set(-EOPNOTSUPP, NULL, "%s has no interrupt number %d", place->dev, knob->cookie);
	snprintf(path, size, "/proc/irq/%u/smp_affinity_list", irq);
	return 0;
}

static int parse(const struct knob *knob, const char *text, char *value)
{
	struct cpus cpus;

	if (cpus_parse_list(&cpus, text) || !strcmp(text, "none"))
		return err_set(-EINVAL, NULL, "%s is a list of CPUs such as 0-3,8, not '%s'", knob->name, text);
	if (cpus_print_list(&cpus, value, KNOB_VALUE_MAX))
		return err_set(-EINVAL, NULL, "%s: the list of CPUs is too long", knob->name);
	return 0;
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	char path[PATH_MAX], text[4096];
	int ret;

	ret = path_of(knob, place, path, sizeof(path));
	if (!ret)
		ret = sysfs_read(path, text, sizeof(text));
	return ret ? ret : parse(knob, text, value);
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	char path[PATH_MAX];
	int ret;

	ret = path_of(knob, place, path, sizeof(path));
	if (ret)
		return ret;
	ret = sysfs_write(path, value);
	if (ret == -EIO)
		return err_set(ret, NULL, "%s: the kernel itself manages the affinity of this interrupt", path);
	return ret;
}

static int values(const struct knob *knob, const struct knob_place *place, char *text)
{
	char online[128];

	(void)knob;
	(void)place;
	if (!sysfs_read("/sys/devices/system/cpu/online", online, sizeof(online)))
		snprintf(text, KNOB_TEXT_MAX, "a list of CPUs out of %s", online);
	return 0;
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	char path[PATH_MAX];
	int ret;

	ret = path_of(knob, place, path, sizeof(path));
	if (!ret)
		snprintf(text, KNOB_TEXT_MAX, "echo %s > %.64s", value, path);
	return ret;
}

const struct knob_family knob_irq = {
	.name = "irq",
	.per_device = true,
	.list = list,
	.find = find,
	.parse = parse,
	.read = read_value,
	.write = write_value,
	.values = values,
	.command = command,
};
