// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of "KEY = VALUE" lines in [SECTION]s, as systemd, NetworkManager, tuned and sysctl.d have them. */
#include "knobs/ini.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES	4096

static char *trim(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

int ini_each(const char *path, ini_fn fn, void *arg)
{
	char line[LINE_MAX_BYTES], section[128] = "", *text, *eq;
	FILE *f = fopen(path, "re");
	int ret = 0;

	while (f && !ret && fgets(line, sizeof(line), f)) {
		text = trim(line);
		if (*text == '[' && strchr(text, ']')) {
			*strchr(text, ']') = '\0';
			snprintf(section, sizeof(section), "%s", text + 1);
			continue;
		}
		eq = strchr(text, '=');
		if (!eq || *text == '#' || *text == ';')
			continue;
		*eq = '\0';
		ret = fn(section, trim(text), trim(eq + 1), arg);
	}
	if (f)
		fclose(f);
	return ret;
}

struct get {
	const char *section, *key;
	char *value;
	size_t size;
	int found;
};

static int on_setting(const char *section, const char *key, const char *value, void *arg)
{
	struct get *g = arg;

	if ((g->section && strcmp(g->section, section)) || strcmp(g->key, key))
		return 0;
	if (g->value)
		snprintf(g->value, g->size, "%s", value);
	g->found = 1;
	return 0;
}

int ini_get(const char *path, const char *section, const char *key, char *value, size_t size)
{
	struct get g = { section, key, value, size, 0 };

	ini_each(path, on_setting, &g);
	return g.found;
}
