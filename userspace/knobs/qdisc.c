// SPDX-License-Identifier: GPL-2.0-or-later
/* The root queueing discipline of a device: qdisc.root, "standard" or a token bucket filter's line rate. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "knobs/family.h"
#include "lib/args.h"
#include "lib/err.h"
#include "lib/nl_link.h"

#define STANDARD	"standard"
#define OTHER		"other:"	/* what we can see but not make */

static const char *const keys[] = { "root", NULL };

static int find(const char *key, struct knob *knob)
{
	if (strcmp(key, "root"))
		return -ENOENT;
	knob->type = KNOB_TEXT;
	knob->explain = "what orders and paces the packets that wait for the device: \"standard\", or "
			"\"tbf rate=R burst=BYTES limit=BYTES\" to make a line of a given rate";
	return 0;
}

static int take_word(const char *word, struct tbf_info *tbf)
{
	uint64_t n = 0;
	int ret;

	if (!strncmp(word, "rate=", 5)) {
		ret = arg_rate("rate", word + 5, 8000, 1000000000000ull, &tbf->rate);
		tbf->rate -= tbf->rate % 8;
		return ret;
	}
	if (!strncmp(word, "burst=", 6)) {
		ret = arg_size("burst", word + 6, 1500, 1u << 30, &n);
		tbf->burst = (uint32_t)n;
		return ret;
	}
	if (!strncmp(word, "limit=", 6)) {
		ret = arg_size("limit", word + 6, 1500, UINT32_MAX, &n);
		tbf->limit = (uint32_t)n;
		return ret;
	}
	if (!strncmp(word, "handle=", 7)) {
		ret = arg_uint("handle", word + 7, 1, 0x7fff, &n);
		tbf->handle = (uint16_t)n;
		return ret;
	}
	return err_set(-EINVAL, NULL, "'%s' is none of rate=, burst=, limit= and handle=", word);
}

static void print(const struct tbf_info *tbf, char *value)
{
	int len;

	len = snprintf(value, KNOB_VALUE_MAX, "tbf rate=%" PRIu64 " burst=%" PRIu32 " limit=%" PRIu32,
		       tbf->rate, tbf->burst, tbf->limit);
	if (tbf->handle)
		snprintf(value + len, (size_t)(KNOB_VALUE_MAX - len), " handle=0x%x", tbf->handle);
}

static int scan(const struct knob *knob, const char *text, struct tbf_info *tbf)
{
	char copy[KNOB_VALUE_MAX], *save = NULL, *word;
	int ret;

	*tbf = (struct tbf_info) { 0 };
	snprintf(copy, sizeof(copy), "%s", text);
	word = strtok_r(copy, " ", &save);
	if (!word || strcmp(word, "tbf"))
		return err_set(-EINVAL, NULL, "%s is \"" STANDARD "\" or \"tbf rate=R burst=BYTES limit=BYTES\", "
			       "not '%s'", knob->name, text);
	while ((word = strtok_r(NULL, " ", &save))) {
		ret = take_word(word, tbf);
		if (ret)
			return err_context(ret, "%s", knob->name);
	}
	if (!tbf->rate || !tbf->burst || !tbf->limit)
		return err_set(-EINVAL, NULL, "%s: tbf needs rate, burst and limit", knob->name);
	tbf->burst = tbf_burst(tbf->rate, tbf->burst);
	if (!tbf->burst)
		return err_set(-ERANGE, "make it smaller", "%s: the burst lasts longer than the kernel can count",
			       knob->name);
	return 0;
}

static int parse(const struct knob *knob, const char *text, char *value)
{
	struct tbf_info tbf;
	int ret;

	if (!strcmp(text, STANDARD)) {
		strcpy(value, STANDARD);
		return 0;
	}
	ret = scan(knob, text, &tbf);
	if (!ret)
		print(&tbf, value);
	return ret;
}

static int check(const struct knob *knob, const struct knob_place *place, const char *from,
		 const char *to)
{
	char cure[64];

	(void)knob;
	(void)to;
	if (strncmp(from, OTHER, strlen(OTHER)))
		return 0;
	snprintf(cure, sizeof(cure), "tc qdisc del dev %s root takes it away", place->dev);
	return err_set(-EOPNOTSUPP, cure, "%s has a root qdisc %s, which could not be put back", place->dev,
		       from + strlen(OTHER));
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	struct qdisc_info info;
	int ret;

	(void)knob;
	ret = qdisc_get(place->dev, &info);
	if (ret)
		return ret;
	if (info.standard)
		strcpy(value, STANDARD);
	else if (info.simple)
		print(&info.tbf, value);
	else
		snprintf(value, KNOB_VALUE_MAX, OTHER "%s", info.kind);
	return 0;
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	struct tbf_info tbf;
	struct qdisc_info now;
	int ret;

	if (!strcmp(value, STANDARD)) {
		ret = qdisc_get(place->dev, &now);
		return ret || now.standard ? ret : qdisc_delete(place->dev);
	}
	ret = scan(knob, value, &tbf);
	return ret ? ret : qdisc_set_tbf(place->dev, &tbf);
}

static int values(const struct knob *knob, const struct knob_place *place, char *text)
{
	(void)knob;
	(void)place;
	strcpy(text, "\"" STANDARD "\", or \"tbf rate=R burst=BYTES limit=BYTES\"");
	return 0;
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	struct tbf_info tbf;
	int ret;

	if (!strcmp(value, STANDARD)) {
		snprintf(text, KNOB_TEXT_MAX, "tc qdisc del dev %s root", place->dev);
		return 0;
	}
	ret = scan(knob, value, &tbf);
	if (!ret)
		snprintf(text, KNOB_TEXT_MAX, "tc qdisc replace dev %s root tbf rate %" PRIu64 "bit burst %" PRIu32
			 " limit %" PRIu32, place->dev, tbf.rate, tbf.burst, tbf.limit);
	return ret;
}

const struct knob_family knob_qdisc = {
	.name = "qdisc",
	.per_device = true,
	.keys = keys,
	.find = find,
	.parse = parse,
	.check = check,
	.read = read_value,
	.write = write_value,
	.values = values,
	.command = command,
};
