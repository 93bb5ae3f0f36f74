// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings of the machine rather than of its network: host.governor and host.thp, in sysfs. */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knobs/family.h"
#include "knobs/sysfs.h"
#include "lib/err.h"

#define GOVERNORS	"/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"
#define GOVERNORS_ALL	"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
#define GOVERNOR_WORDS	"/sys/devices/system/cpu/cpu0/cpufreq/scaling_available_governors"
#define HUGE_PAGES	"/sys/kernel/mm/transparent_hugepage/enabled"
#define MIXED		"mixed"		/* what we can see but not make */

enum { GOVERNOR, THP };

static const char *const keys[] = { "governor", "thp", NULL };

static int find(const char *key, struct knob *knob)
{
	if (!strcmp(key, keys[GOVERNOR])) {
		knob->cookie = GOVERNOR;
		knob->explain = "what chooses the frequency of the CPUs; \"performance\" keeps it high, so that a "
				"CPU that was idle is not slow at first";
	} else if (!strcmp(key, keys[THP])) {
		knob->cookie = THP;
		knob->explain = "when the kernel backs memory with huge pages, of which large buffers need fewer";
	} else {
		return -ENOENT;
	}
	knob->type = KNOB_TEXT;
	return 0;
}

static int parse(const struct knob *knob, const char *text, char *value)
{
	const char *c;

	for (c = text; *c; c++)
		if (!islower((unsigned char)*c) && *c != '_' && *c != '-' && !isdigit((unsigned char)*c))
			break;
	if (!*text || *c || strlen(text) >= 32)
		return err_set(-EINVAL, NULL, "%s is a word such as \"%s\", not '%s'", knob->name,
			       knob->cookie == GOVERNOR ? "performance" : "madvise", text);
	strcpy(value, text);
	return 0;
}

static int read_governor(char *value)
{
	char word[64];
	glob_t g;
	size_t i;
	int ret = 0;

	if (glob(GOVERNORS, 0, NULL, &g))
		return err_set(-EOPNOTSUPP, NULL, "the frequency of this machine's CPUs cannot be governed");
	for (i = 0; i < g.gl_pathc && !ret; i++) {
		ret = sysfs_read(g.gl_pathv[i], word, sizeof(word));
		if (!i)
			strcpy(value, word);
		else if (!ret && strcmp(value, word))
			strcpy(value, MIXED);
	}
	globfree(&g);
	return ret;
}

/* "always [madvise] never" */
static int read_thp(char *value)
{
	char text[128], *word, *end;
	int ret = sysfs_read(HUGE_PAGES, text, sizeof(text));

	if (ret)
		return ret;
	word = strchr(text, '[');
	end = word ? strchr(word, ']') : NULL;
	if (!end)
		return err_set(-EIO, NULL, HUGE_PAGES " makes no sense: %s", text);
	*end = '\0';
	strcpy(value, word + 1);
	return 0;
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	if (place->netns[0])
		return err_set(-EOPNOTSUPP, NULL, "%s is of the whole machine, not of a network namespace", knob->name);
	return knob->cookie == GOVERNOR ? read_governor(value) : read_thp(value);
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	glob_t g;
	size_t i;
	int ret = 0;

	(void)place;
	if (knob->cookie == THP)
		return sysfs_write(HUGE_PAGES, value);
	if (glob(GOVERNORS, 0, NULL, &g))
		return read_governor((char[KNOB_VALUE_MAX]) { 0 });
	for (i = 0; i < g.gl_pathc && !ret; i++)
		ret = sysfs_write(g.gl_pathv[i], value);
	globfree(&g);
	return ret;
}

static int values(const struct knob *knob, const struct knob_place *place, char *text)
{
	char *from, *to;
	int ret;

	(void)place;
	ret = sysfs_read(knob->cookie == GOVERNOR ? GOVERNOR_WORDS : HUGE_PAGES, text, KNOB_TEXT_MAX);
	for (from = to = text; !ret && *from; from++)
		if (*from != '[' && *from != ']')
			*to++ = *from;
	*to = '\0';
	return ret;
}

/* Whether @word is one of those in @list, between blanks. */
static bool is_among(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *p = list;

	for (; (p = strstr(p, word)); p += len)
		if ((p == list || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

static int check(const struct knob *knob, const struct knob_place *place, const char *from,
		 const char *to)
{
	char list[KNOB_TEXT_MAX];

	if (!strcmp(from, MIXED))
		return err_set(-EOPNOTSUPP, NULL, "the CPUs have governors of several kinds, which could not be put back");
	if (values(knob, place, list)) {
		err_clear();
		return 0;
	}
	if (!is_among(list, to))
		return err_set(-ERANGE, NULL, "%s is one of: %s; not %s", knob->name, list, to);
	return 0;
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	(void)place;
	if (knob->cookie == GOVERNOR)
		snprintf(text, KNOB_TEXT_MAX, "echo %s | tee " GOVERNORS_ALL, value);
	else
		snprintf(text, KNOB_TEXT_MAX, "echo %s > " HUGE_PAGES, value);
	return 0;
}

const struct knob_family knob_host = {
	.name = "host",
	.keys = keys,
	.find = find,
	.parse = parse,
	.check = check,
	.read = read_value,
	.write = write_value,
	.values = values,
	.command = command,
};
