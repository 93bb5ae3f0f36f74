/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A knob: one setting of the host that can be read, set, verified and put back; and its families. */
#ifndef NETTOLL_KNOBS_KNOB_H
#define NETTOLL_KNOBS_KNOB_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KNOB_NAME_MAX	96
#define KNOB_VALUE_MAX	160
#define KNOB_NETNS_MAX	128
#define KNOB_TEXT_MAX	512

/*
 * A knob's name is FAMILY.KEY: "link.mtu", "offload.tso", "sysctl.net.core.rmem_max". Its value is
 * text in one canonical form, so that values are compared, journalled and shown as they are.
 * Functions return 0 or a negative errno described by err_set().
 */

/** struct knob_place - where a knob is turned: a device in a network namespace */
struct knob_place {
	char netns[KNOB_NETNS_MAX];	/* as `ip netns` calls it; "": the caller's */
	char dev[IF_NAMESIZE];		/* "" for knobs of the namespace as a whole */
};

enum knob_type {
	KNOB_UINT,	/* a whole number within a range */
	KNOB_SWITCH,	/* on or off */
	KNOB_TEXT,	/* whatever its family accepts */
};

/* Flags of a knob. */
#define KNOB_RESETS_LINK	1u	/* changing it may take the link down for a moment */
#define KNOB_NEEDS_SYS		2u	/* lives in sysfs, which shows one namespace per mount */

/**
 * struct knob - a setting by name, wherever it is turned
 * @unit: what the number counts; "" for none
 * @min, @max: of a number, for any device; knob_range() tells those of one device
 * @explain: a sentence that says what it does
 * @cookie: the family's own
 */
struct knob {
	char name[KNOB_NAME_MAX];
	const struct knob_family *family;
	enum knob_type type;
	unsigned int flags;
	const char *unit;
	uint64_t min, max;
	const char *explain;
	int cookie;
};

/** knob_fn - is given a name or a key; a negative value that it returns ends the list */
typedef int (*knob_fn)(const char *name, void *arg);

/**
 * struct knob_family - knobs that are reached in the same way, in one file
 * @name: beginning of their names
 * @per_device: its knobs belong to a device, not to the namespace
 * @keys: the keys there are, ends with NULL; for messages. NULL: too many to list
 * @tool: what people type to set "KEY VALUE" of a device, such as "ethtool -G"; NULL: see @command
 * @list: call @fn with each key that a place has, always in the same order; NULL: @keys. Keys that
 *	cannot be read there may be among them.
 * @hold: from hold(true) to hold(false) answers may come from one look at a place; may be NULL
 * @find: fill in the static facts of a key; -ENOENT when there is none. Touches nothing.
 * @range: tighten @min and @max to what a place allows; may be NULL
 * @parse: text to canonical value; NULL: by type
 * @check: whether a place would accept to go from one value to another; may be NULL
 * @read: the value now
 * @write: set it; @value is canonical
 * @values: what a place accepts, for people; NULL: by type
 * @command: what a person could type to the same effect, "" for nothing; NULL: by @tool
 *
 * @list, @range, @check, @read, @write, @values and @command run in the network namespace of the place.
 */
struct knob_family {
	const char *name;
	bool per_device;
	const char *const *keys;
	const char *tool;
	int (*list)(const struct knob_place *place, knob_fn fn, void *arg);
	void (*hold)(bool on);
	int (*find)(const char *key, struct knob *knob);
	int (*range)(const struct knob *knob, const struct knob_place *place, uint64_t *min,
		     uint64_t *max);
	int (*parse)(const struct knob *knob, const char *text, char value[KNOB_VALUE_MAX]);
	int (*check)(const struct knob *knob, const struct knob_place *place, const char *from,
		     const char *to);
	int (*read)(const struct knob *knob, const struct knob_place *place,
		    char value[KNOB_VALUE_MAX]);
	int (*write)(const struct knob *knob, const struct knob_place *place, const char *value);
	int (*values)(const struct knob *knob, const struct knob_place *place,
		      char text[KNOB_TEXT_MAX]);
	int (*command)(const struct knob *knob, const struct knob_place *place, const char *value,
		       char text[KNOB_TEXT_MAX]);
};

/** knob_key() - a knob's name without its family */
const char *knob_key(const struct knob *knob);

#define KNOB_FAMILIES_MAX	32

extern const struct knob_family *knob_families[KNOB_FAMILIES_MAX + 1];	/* ends with NULL */

/** knob_family_add() - have one more family; -ENOSPC when there are too many */
int knob_family_add(const struct knob_family *family);

/** knob_find() - a knob by name; -ENOENT, described with what there is instead */
int knob_find(const char *name, struct knob *knob);

/** knob_parse() - any spelling of a value to its canonical form; -EINVAL, -ERANGE */
int knob_parse(const struct knob *knob, const char *text, char value[KNOB_VALUE_MAX]);

/** knob_range() - the smallest and largest value of a KNOB_UINT at a place */
int knob_range(const struct knob *knob, const struct knob_place *place, uint64_t *min,
	       uint64_t *max);

/** knob_read() - the value at a place */
int knob_read(const struct knob *knob, const struct knob_place *place, char value[KNOB_VALUE_MAX]);

/** knob_check() - whether a place would accept a value, as far as can be told; changes nothing */
int knob_check(const struct knob *knob, const struct knob_place *place, const char *value);

/** knob_write() - set a value and verify it by reading it back; -EIO when something else is read */
int knob_write(const struct knob *knob, const struct knob_place *place, const char *value);

/** knob_values() - what a place accepts, for people: "on, off", "68 to 9000 bytes" */
int knob_values(const struct knob *knob, const struct knob_place *place, char text[KNOB_TEXT_MAX]);

/** knob_command() - what a person could type to set a value; "" when there is nothing of the kind */
int knob_command(const struct knob *knob, const struct knob_place *place, const char *value,
		 char text[KNOB_TEXT_MAX]);

/** knob_where() - "netns A, e0" for messages; the string is static */
const char *knob_where(const struct knob_place *place);

#endif
