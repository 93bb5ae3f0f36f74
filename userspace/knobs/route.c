// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows that TCP begins with: route.initcwnd.DESTINATION and route.initrwnd.DESTINATION, by rtnetlink. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knobs/family.h"
#include "lib/nl_route.h"

#define WINDOW_MAX	65535

static const char *const words[] = { [ROUTE_INITCWND] = "initcwnd.", [ROUTE_INITRWND] = "initrwnd." };

#define NWORDS	(sizeof(words) / sizeof(*words))

static int find(const char *key, struct knob *knob)
{
	char dst[ROUTE_DST_MAX];
	size_t i;

	for (i = 0; i < NWORDS; i++)
		if (!strncmp(key, words[i], strlen(words[i])))
			break;
	/* In one spelling only, since names are compared. */
	if (i == NWORDS || route_dst(key + strlen(words[i]), dst) || strcmp(dst, key + strlen(words[i])))
		return -ENOENT;
	knob->type = KNOB_UINT;
	knob->unit = "packets";
	knob->max = WINDOW_MAX;
	knob->cookie = (int)i;
	knob->explain = i == ROUTE_INITCWND ?
		"packets that a connection by this route sends before the first acknowledgement; 0: the kernel's 10" :
		"packets that a connection by this route offers to take in at first; 0: the kernel's choice";
	return 0;
}

struct keys {
	knob_fn fn;
	void *arg;
	char last[ROUTE_DST_MAX];
};

static int on_dst(const char *dst, void *arg)
{
	char key[sizeof("initcwnd.") + ROUTE_DST_MAX];
	struct keys *keys = arg;
	size_t i;
	int ret = 0;

	/* Several routes to one destination follow one another; such a knob cannot be read. */
	if (!strcmp(dst, keys->last))
		return 0;
	strcpy(keys->last, dst);
	for (i = 0; i < NWORDS && ret >= 0; i++) {
		snprintf(key, sizeof(key), "%s%s", words[i], dst);
		ret = keys->fn(key, keys->arg);
	}
	return ret;
}

static int list(const struct knob_place *place, knob_fn fn, void *arg)
{
	struct keys keys = { fn, arg, "" };

	return route_each(place->dev, on_dst, &keys);
}

static const char *dst_of(const struct knob *knob)
{
	return knob_key(knob) + strlen(words[knob->cookie]);
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	uint32_t n;
	int ret = route_metric_get(place->dev, dst_of(knob), (enum route_metric)knob->cookie, &n);

	if (!ret)
		snprintf(value, KNOB_VALUE_MAX, "%" PRIu32, n);
	return ret;
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	return route_metric_set(place->dev, dst_of(knob), (enum route_metric)knob->cookie,
				(uint32_t)strtoul(value, NULL, 10));
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	const char *dst = dst_of(knob), *six = strchr(dst, ':') || !strcmp(dst, "default6") ? " -6" : "";

	/* The other words of the route stay only if they are typed again. */
	snprintf(text, KNOB_TEXT_MAX, "ip%s route change $(ip%s route show %s dev %s) dev %s %.8s %s", six, six,
		 strcmp(dst, "default6") ? dst : "default", place->dev, place->dev, words[knob->cookie], value);
	return 0;
}

const struct knob_family knob_route = {
	.name = "route",
	.per_device = true,
	.list = list,
	.find = find,
	.read = read_value,
	.write = write_value,
	.command = command,
};
