// SPDX-License-Identifier: GPL-2.0-or-later
/* Bursts on the bus, in PCI configuration space: pci.max-read-request (PCI Express) and pci.mmrbc (PCI-X). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "knobs/family.h"
#include "lib/err.h"

#define CONFIG_SIZE	256
#define CAPS_MAX	48	/* more do not fit, so the list has a loop */

enum { MAX_READ_REQUEST, MMRBC };

static const char *const keys[] = { "max-read-request", "mmrbc", NULL };

/* Where a field is: a word in a capability, with values of @least << field. */
static const struct field {
	uint8_t capability, offset;
	uint16_t mask;
	int shift;
	uint32_t least, most;
	const char *setpci, *explain, *lacking;
} fields[] = {
	[MAX_READ_REQUEST] = { PCI_CAP_ID_EXP, PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_READRQ, 12, 128, 4096, "CAP_EXP",
		"largest piece of memory that the device asks for in one transaction when it fetches what it sends",
		"is not on PCI Express" },
	[MMRBC] = { PCI_CAP_ID_PCIX, PCI_X_CMD, PCI_X_CMD_MAX_READ, 2, 512, 4096, "CAP_PCIX",
		"largest burst in which the device reads memory on a PCI-X bus (maximum memory read byte count)",
		"is not on PCI-X" },
};

static int find(const char *key, struct knob *knob)
{
	for (knob->cookie = 0; keys[knob->cookie]; knob->cookie++) {
		if (strcmp(key, keys[knob->cookie]))
			continue;
		knob->type = KNOB_UINT;
		knob->unit = "bytes";
		knob->flags = KNOB_NEEDS_SYS;
		knob->min = fields[knob->cookie].least;
		knob->max = fields[knob->cookie].most;
		knob->explain = fields[knob->cookie].explain;
		return 0;
	}
	return -ENOENT;
}

/* The configuration space of a device, or of the one above it that it lives on (virtio). */
static int open_config(const char *dev, int flags, char *path, size_t size)
{
	static const char *const up[] = { "device", "device/.." };
	size_t i;
	int fd;

	for (i = 0; i < sizeof(up) / sizeof(*up); i++) {
		snprintf(path, size, "/sys/class/net/%s/%s/config", dev, up[i]);
		fd = open(path, flags | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		if (errno == EACCES || errno == EPERM || errno == EROFS)
			return err_set(-EPERM, "run it as root", "not permitted to open %s", path);
	}
	return err_set(-EOPNOTSUPP, NULL, "%s is no PCI device", dev);
}

/* Where a capability begins; 0 when there is none. */
static unsigned int find_capability(const uint8_t *config, size_t len, uint8_t id)
{
	unsigned int at, i;

	if (len < CONFIG_SIZE || !(config[PCI_STATUS] & PCI_STATUS_CAP_LIST))
		return 0;
	at = config[PCI_CAPABILITY_LIST] & ~3u;
	for (i = 0; i < CAPS_MAX && at >= PCI_STD_HEADER_SIZEOF && at < CONFIG_SIZE - 8; i++) {
		if (config[at + PCI_CAP_LIST_ID] == id)
			return at;
		at = config[at + PCI_CAP_LIST_NEXT] & ~3u;
	}
	return 0;
}

/* The place of a knob's word in the configuration space; @config is what is there. */
static int look(const struct knob *knob, const struct knob_place *place, int fd, uint8_t *config,
		unsigned int *at)
{
	const struct field *field = &fields[knob->cookie];
	ssize_t len = pread(fd, config, CONFIG_SIZE, 0);

	if (len < 0)
		return err_set(-errno, NULL, "PCI configuration space of %s: %s", place->dev, strerror(errno));
	/* Those who may not see all of it see the first 64 bytes. */
	if (len < CONFIG_SIZE)
		return err_set(-EPERM, "run it as root", "not permitted to see the PCI capabilities of %s", place->dev);
	*at = find_capability(config, (size_t)len, field->capability);
	if (!*at || (config[PCI_HEADER_TYPE] & 0x7f) != PCI_HEADER_TYPE_NORMAL)
		return err_set(-EOPNOTSUPP, NULL, "%s %s", place->dev, field->lacking);
	return 0;
}

static uint16_t word(const uint8_t *config, unsigned int at)
{
	return (uint16_t)(config[at] | config[at + 1] << 8);
}

static int range(const struct knob *knob, const struct knob_place *place, uint64_t *min,
		 uint64_t *max)
{
	uint8_t config[CONFIG_SIZE];
	char path[PATH_MAX];
	unsigned int at;
	int fd, ret;

	(void)min;
	if (knob->cookie != MMRBC)
		return 0;
	fd = open_config(place->dev, O_RDONLY, path, sizeof(path));
	if (fd < 0)
		return fd;
	ret = look(knob, place, fd, config, &at);
	close(fd);
	/* Bits 21 and 22 of the status: what the device was designed for. */
	if (!ret)
		*max = 512u << (word(config, at + PCI_X_STATUS + 2) >> 5 & 3);
	return ret;
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	const struct field *field = &fields[knob->cookie];
	uint8_t config[CONFIG_SIZE];
	char path[PATH_MAX];
	unsigned int at;
	int fd, ret;

	fd = open_config(place->dev, O_RDONLY, path, sizeof(path));
	if (fd < 0)
		return fd;
	ret = look(knob, place, fd, config, &at);
	close(fd);
	if (!ret)
		snprintf(value, KNOB_VALUE_MAX, "%" PRIu32, field->least
			 << ((word(config, at + field->offset) & field->mask) >> field->shift));
	return ret;
}

/* A power of two out of the field's. */
static int code_of(const struct field *field, const char *value)
{
	unsigned long n = strtoul(value, NULL, 10);
	int code;

	for (code = 0; field->least << code <= field->most; code++)
		if (field->least << code == n)
			return code;
	return -EINVAL;
}

static int values(const struct knob *knob, const struct knob_place *place, char *text)
{
	const struct field *field = &fields[knob->cookie];
	uint64_t n, min, max = knob->max;
	size_t len = 0;

	if (range(knob, place, &min, &max))
		err_clear();
	for (n = field->least; n <= max && n <= field->most; n *= 2)
		len += (size_t)snprintf(text + len, KNOB_TEXT_MAX - len, "%s%" PRIu64, len ? ", " : "", n);
	return 0;
}

static int check(const struct knob *knob, const struct knob_place *place, const char *from,
		 const char *to)
{
	char text[KNOB_TEXT_MAX];

	(void)from;
	if (code_of(&fields[knob->cookie], to) >= 0)
		return 0;
	values(knob, place, text);
	return err_set(-ERANGE, NULL, "%s is one of %s, not %s", knob->name, text, to);
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	const struct field *field = &fields[knob->cookie];
	int fd, ret, code = code_of(field, value);
	uint8_t config[CONFIG_SIZE], new[2];
	char path[PATH_MAX];
	unsigned int at;
	uint16_t now;

	if (code < 0)
		return check(knob, place, "", value);
	fd = open_config(place->dev, O_RDWR, path, sizeof(path));
	if (fd < 0)
		return fd;
	ret = look(knob, place, fd, config, &at);
	if (!ret) {
		at += field->offset;
		now = (uint16_t)((word(config, at) & ~field->mask) | code << field->shift);
		new[0] = (uint8_t)now;
		new[1] = (uint8_t)(now >> 8);
		if (pwrite(fd, new, sizeof(new), at) != (ssize_t)sizeof(new))
			ret = err_set(-errno, errno == EPERM ? "the kernel is locked down: is Secure Boot on?" : NULL,
				      "%s: %s", path, strerror(errno));
	}
	close(fd);
	return ret;
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	const struct field *field = &fields[knob->cookie];
	char path[PATH_MAX], real[PATH_MAX];
	int fd, code = code_of(field, value);

	fd = open_config(place->dev, O_RDONLY, path, sizeof(path));
	if (fd < 0)
		return fd;
	close(fd);
	/* .../0000:00:03.0/config */
	if (code < 0 || !realpath(path, real))
		return 0;
	*strrchr(real, '/') = '\0';
	snprintf(text, KNOB_TEXT_MAX, "setpci -s %.32s %s+%x.w=%x:%x", strrchr(real, '/') + 1, field->setpci,
		 field->offset, (unsigned int)code << field->shift, field->mask);
	return 0;
}

const struct knob_family knob_pci = {
	.name = "pci",
	.per_device = true,
	.keys = keys,
	.find = find,
	.range = range,
	.check = check,
	.read = read_value,
	.write = write_value,
	.values = values,
	.command = command,
};
