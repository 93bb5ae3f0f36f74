// SPDX-License-Identifier: GPL-2.0-or-later
/* What all knobs share: finding them, spelling of values, verified writes, entering namespaces. */
#include "knobs/knob.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "knobs/family.h"
#include "knobs/sysfs.h"
#include "lib/args.h"
#include "lib/err.h"
#include "lib/netns.h"

const struct knob_family *knob_families[KNOB_FAMILIES_MAX + 1] = {
	&knob_link, &knob_offload, &knob_coalesce, &knob_ring, &knob_channels, &knob_pause, &knob_eee,
	&knob_napi, &knob_steer, &knob_irq, &knob_pci, &knob_qdisc, &knob_route, &knob_sysctl,
	&knob_host, &knob_account,
};

int knob_family_add(const struct knob_family *family)
{
	size_t n = 0;

	while (knob_families[n])
		n++;
	if (n == KNOB_FAMILIES_MAX)
		return -ENOSPC;
	knob_families[n] = family;
	return 0;
}

const char *knob_key(const struct knob *knob)
{
	return knob->name + strlen(knob->family->name) + 1;
}

/* The words of a list for a message: "a, b and c". */
static void join(char *buf, size_t size, const char *const *words)
{
	size_t len = 0;
	int n;

	buf[0] = '\0';
	for (; *words && len < size; words++) {
		n = snprintf(buf + len, size - len, "%s%s", !len ? "" : words[1] ? ", " : " and ",
			     *words);
		len += n > 0 ? (size_t)n : 0;
	}
}

static const struct knob_family *find_family(const char *name, size_t len)
{
	const struct knob_family **f;

	for (f = knob_families; *f; f++)
		if (strlen((*f)->name) == len && !memcmp((*f)->name, name, len))
			return *f;
	return NULL;
}

static int no_family(const char *name)
{
	const char *words[KNOB_FAMILIES_MAX + 1];
	char list[256];
	size_t n;

	for (n = 0; knob_families[n]; n++)
		words[n] = knob_families[n]->name;
	words[n] = NULL;
	join(list, sizeof(list), words);
	return err_set(-ENOENT, NULL, "there is no knob '%s': the families are %s", name, list);
}

static int no_key(const struct knob_family *family, const char *name, const char *key)
{
	const char *near = NULL;
	char list[512];
	size_t n = 0;

	if (!family->keys)
		return err_set(-ENOENT, NULL, "there is no knob '%s'", name);
	while (family->keys[n])
		n++;
	near = nearest_word(key, family->keys, n);
	if (near)
		return err_set(-ENOENT, NULL, "there is no knob '%s'; did you mean %s.%s?", name,
			       family->name, near);
	join(list, sizeof(list), family->keys);
	return err_set(-ENOENT, NULL, "there is no knob '%s': the family %s has %s", name, family->name,
		       list);
}

int knob_find(const char *name, struct knob *knob)
{
	const char *dot = strchr(name, '.');
	const struct knob_family *family;
	int ret;

	*knob = (struct knob) { .unit = "" };
	if (!dot || strlen(name) >= sizeof(knob->name))
		return no_family(name);
	family = find_family(name, (size_t)(dot - name));
	if (!family)
		return no_family(name);
	strcpy(knob->name, name);
	knob->family = family;
	knob->max = UINT64_MAX;
	ret = family->find(knob_key(knob), knob);
	if (ret == -ENOENT)
		return no_key(family, name, dot + 1);
	return ret;
}

static int parse_uint(const struct knob *knob, const char *text, char *value)
{
	bool bytes = !strcmp(knob->unit, "bytes");
	uint64_t n;
	int ret;

	ret = bytes ? arg_size(knob->name, text, knob->min, knob->max, &n)
		    : arg_uint(knob->name, text, knob->min, knob->max, &n);
	if (!ret)
		snprintf(value, KNOB_VALUE_MAX, "%" PRIu64, n);
	return ret;
}

static int parse_switch(const struct knob *knob, const char *text, char *value)
{
	static const char *const on[] = { "on", "true", "yes", "1" };
	static const char *const off[] = { "off", "false", "no", "0" };
	size_t i;

	for (i = 0; i < sizeof(on) / sizeof(*on); i++) {
		if (!strcmp(text, on[i]) || !strcmp(text, off[i])) {
			strcpy(value, !strcmp(text, on[i]) ? "on" : "off");
			return 0;
		}
	}
	return err_set(-EINVAL, NULL, "%s is on or off, not '%s'", knob->name, text);
}

int knob_parse(const struct knob *knob, const char *text, char value[KNOB_VALUE_MAX])
{
	if (knob->family->parse)
		return knob->family->parse(knob, text, value);
	switch (knob->type) {
	case KNOB_UINT:
		return parse_uint(knob, text, value);
	case KNOB_SWITCH:
		return parse_switch(knob, text, value);
	default:
		if (strlen(text) >= KNOB_VALUE_MAX)
			return err_set(-EINVAL, NULL, "%s: the value is longer than %d characters",
				       knob->name, KNOB_VALUE_MAX - 1);
		strcpy(value, text);
		return 0;
	}
}

const char *knob_where(const struct knob_place *place)
{
	static char text[KNOB_NETNS_MAX + IF_NAMESIZE + 16];

	snprintf(text, sizeof(text), "%s%s%s%s", place->netns[0] ? "netns " : "", place->netns,
		 place->netns[0] && place->dev[0] ? ", " : "", place->dev);
	return text[0] ? text : "this host";
}

/* ---- in the namespace of a place ---- */

enum op { OP_RANGE, OP_CHECK, OP_READ, OP_WRITE, OP_VALUES, OP_COMMAND };

struct call {
	enum op op;
	const struct knob *knob;
	const struct knob_place *place;
	const char *old_value, *new_value;
	struct knob_answer answer;
};

static int perform(void *arg)
{
	struct call *c = arg;
	const struct knob_family *family = c->knob->family;

	switch (c->op) {
	case OP_RANGE:
		return family->range(c->knob, c->place, &c->answer.min, &c->answer.max);
	case OP_CHECK:
		return family->check(c->knob, c->place, c->old_value, c->new_value);
	case OP_READ:
		return family->read(c->knob, c->place, c->answer.value);
	case OP_VALUES:
		return family->values(c->knob, c->place, c->answer.text);
	case OP_COMMAND:
		return family->command(c->knob, c->place, c->new_value, c->answer.text);
	default:
		return family->write(c->knob, c->place, c->new_value);
	}
}

static int call(struct call *c)
{
	const struct knob *knob = c->knob;

	if (knob->family->per_device && !c->place->dev[0])
		return err_set(-EINVAL, NULL, "%s is a knob of a device, and none is named", knob->name);
	if (knob->flags & KNOB_NEEDS_SYS && c->place->netns[0])
		return knob_call_in_sys(c->place->netns, perform, c, &c->answer);
	return netns_call(c->place->netns, perform, c);
}

int knob_range(const struct knob *knob, const struct knob_place *place, uint64_t *min,
	       uint64_t *max)
{
	struct call c = { .op = OP_RANGE, .knob = knob, .place = place };
	int ret = 0;

	c.answer.min = knob->min;
	c.answer.max = knob->max;
	if (knob->family->range)
		ret = call(&c);
	*min = c.answer.min;
	*max = c.answer.max;
	return ret;
}

int knob_read(const struct knob *knob, const struct knob_place *place, char value[KNOB_VALUE_MAX])
{
	struct call c = { .op = OP_READ, .knob = knob, .place = place };
	int ret = call(&c);

	if (!ret)
		memcpy(value, c.answer.value, KNOB_VALUE_MAX);
	return ret;
}

int knob_check(const struct knob *knob, const struct knob_place *place, const char *value)
{
	struct call c = { .op = OP_CHECK, .knob = knob, .place = place, .new_value = value };
	char now[KNOB_VALUE_MAX];
	uint64_t min, max, n;
	int ret;

	/* Reading tells whether the place has the knob at all. */
	ret = knob_read(knob, place, now);
	if (ret || !strcmp(now, value))
		return ret;
	if (knob->type == KNOB_UINT) {
		ret = knob_range(knob, place, &min, &max);
		if (ret)
			return ret;
		if (arg_uint(knob->name, value, min, max, &n))
			return err_set(-ERANGE, NULL, "%s of %s is %" PRIu64 " to %" PRIu64 "%s%s, not %s",
				       knob->name, knob_where(place), min, max,
				       knob->unit[0] ? " " : "", knob->unit, value);
	}
	c.old_value = now;
	return knob->family->check ? call(&c) : 0;
}

int knob_write(const struct knob *knob, const struct knob_place *place, const char *value)
{
	struct call c = { .op = OP_WRITE, .knob = knob, .place = place, .new_value = value };
	char now[KNOB_VALUE_MAX];
	int ret;

	ret = call(&c);
	if (!ret)
		ret = knob_read(knob, place, now);
	if (ret == -EPERM && !err_cure(ret)[0])
		return err_set(ret, "run it as root", "not permitted to set %s of %s to %s", knob->name,
			       knob_where(place), value);
	if (ret)
		return err_context(ret, "cannot set %s of %s to %s", knob->name, knob_where(place),
				   value);
	if (strcmp(now, value))
		return err_set(-EIO, NULL, "%s of %s was set to %s and reads %s", knob->name,
			       knob_where(place), value, now);
	return 0;
}

int knob_values(const struct knob *knob, const struct knob_place *place, char text[KNOB_TEXT_MAX])
{
	struct call c = { .op = OP_VALUES, .knob = knob, .place = place };
	uint64_t min, max;
	int ret;

	if (knob->family->values) {
		ret = call(&c);
		if (!ret)
			memcpy(text, c.answer.text, KNOB_TEXT_MAX);
		return ret;
	}
	if (knob->type == KNOB_SWITCH) {
		strcpy(text, "on, off");
	} else if (knob->type == KNOB_UINT) {
		ret = knob_range(knob, place, &min, &max);
		if (ret)
			return ret;
		snprintf(text, KNOB_TEXT_MAX, "%" PRIu64 " to %" PRIu64 "%s%s", min, max, knob->unit[0] ? " " : "",
			 knob->unit);
	} else {
		text[0] = '\0';
	}
	return 0;
}

int knob_command(const struct knob *knob, const struct knob_place *place, const char *value,
		 char text[KNOB_TEXT_MAX])
{
	struct call c = { .op = OP_COMMAND, .knob = knob, .place = place, .new_value = value };
	bool shell;
	int ret = 0;

	if (knob->family->command)
		ret = call(&c);
	else if (knob->family->tool)
		snprintf(c.answer.text, KNOB_TEXT_MAX, "%s %s %s %s", knob->family->tool, place->dev,
			 knob_key(knob), value);
	if (ret)
		return ret;
	/* What a shell has to do, has to be done by one in the namespace. */
	shell = strpbrk(c.answer.text, ">|$");
	if (place->netns[0] && c.answer.text[0])
		snprintf(text, KNOB_TEXT_MAX, shell ? "ip netns exec %.64s sh -c '%.400s'" : "ip netns exec %.64s %.400s",
			 place->netns, c.answer.text);
	else
		memcpy(text, c.answer.text, KNOB_TEXT_MAX);
	return 0;
}
