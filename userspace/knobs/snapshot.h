/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All knobs of some devices at one time, in a file, with a hash that names this state. */
#ifndef NETTOLL_KNOBS_SNAPSHOT_H
#define NETTOLL_KNOBS_SNAPSHOT_H

#include "knobs/change.h"
#include "lib/sha256.h"

#define SNAPSHOT_IDENTITY_MAX	128

/**
 * struct snapshot_place - a device, or the namespace and the machine
 * @identity: by which it is known again: "mac:52:54:00:12:34:56" of hardware, else "name:bond0";
 *	"host" of the namespace and the machine
 * @dev: its name then; "" of the host
 */
struct snapshot_place {
	char identity[SNAPSHOT_IDENTITY_MAX];
	char dev[IF_NAMESIZE];
	struct survey survey;
};

/** struct snapshot - @time, @host, @kernel: of when and where, for people */
struct snapshot {
	char netns[KNOB_NETNS_MAX];
	char time[32], host[72], kernel[72];
	size_t n;
	struct snapshot_place *place;
};

/**
 * snapshot_take() - read devices of a namespace
 * @dev: names; none: all but the loopback
 * @host: the namespace's and the machine's knobs as well
 */
int snapshot_take(struct snapshot *s, const char *netns, char *const *dev, size_t ndev, bool host);

/** snapshot_again() - read the same places as they are now, under whatever names; those gone are left out */
int snapshot_again(struct snapshot *now, const struct snapshot *then);

int snapshot_save(const struct snapshot *s, const char *path);

/** snapshot_load() - from a file; -EPROTO, also when its hash says that it was edited */
int snapshot_load(struct snapshot *s, const char *path);

void snapshot_free(struct snapshot *s);

/** snapshot_hash() - the same for equal values of the same places, whatever these are called now */
int snapshot_hash(const struct snapshot *s, char text[SHA256_TEXT]);

/**
 * snapshot_fn - is given a difference
 * @dev: name of the device now, or then if it is gone
 * @a, @b: value in the one and in the other; NULL: it is not there
 */
typedef int (*snapshot_fn)(const char *dev, const char *knob, const char *a, const char *b, void *arg);

/** snapshot_compare() - call @fn with each difference; a device that is gone is one, of the knob "" */
int snapshot_compare(const struct snapshot *a, const struct snapshot *b, snapshot_fn fn, void *arg);

#endif
