// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll set: change settings of the module. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/args.h"
#include "lib/module.h"
#include "lib/out.h"

struct change {
	const struct setting_info *setting;
	uint64_t value;
};

static const struct setting_info *find(const struct setting_list *list, const char *name)
{
	const char **names;
	const char *near = NULL;
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!strcmp(list->item[i].name, name))
			return &list->item[i];
	names = calloc(list->n + 1, sizeof(*names));
	for (i = 0; names && i < list->n; i++)
		names[i] = list->item[i].name;
	if (names)
		near = nearest_word(name, names, list->n);
	err_set(-ENOENT, "nettoll show settings lists them", near ?
		"there is no setting '%s', did you mean '%s'?" : "there is no setting '%s'", name,
		near);
	free(names);
	return NULL;
}

/* One NAME=VALUE, or NAME and VALUE from two words. */
static int parse(const struct setting_list *list, const char *word, const char *value,
		 struct change *change)
{
	const char *equals = strchr(word, '=');
	char name[64];
	size_t len;
	int ret;

	if (!value && !equals)
		return err_set(-EINVAL, NULL, "%s: a value is missing (%s=VALUE)", word, word);
	len = value ? strlen(word) : (size_t)(equals - word);
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	change->setting = find(list, name);
	if (!change->setting)
		return -ENOENT;
	value = value ? value : equals + 1;
	/* The one setting whose numbers have names. */
	if (!strcmp(name, "backend") && isalpha((unsigned char)*value)) {
		/* A tracepoint is no way to attach functions. */
		ret = arg_word(name, value, model_backend_names, NETTOLL_BACKEND_TRACEPOINT);
		if (ret < 0)
			return ret;
		change->value = (uint64_t)ret;
		return 0;
	}
	return arg_uint(name, value, change->setting->minimum, change->setting->maximum,
			&change->value);
}

static int report(const struct change *changes, size_t n)
{
	static const struct out_col cols[] = {
		{ "name", "setting", OUT_STR, 0 },
		{ "old", "was", OUT_UINT, 0 },
		{ "value", "is", OUT_UINT, 0 },
	};
	struct out_doc *doc = out_begin("set", 0);
	struct out_table *t = out_table(doc, "settings", cols, 3);
	size_t i;

	for (i = 0; i < n; i++) {
		out_row(t, STYLE_NONE);
		cell_str(t, changes[i].setting->name);
		cell_uint(t, changes[i].setting->value);
		cell_uint(t, changes[i].value);
	}
	return out_end(doc);
}

/* All words are understood before the first setting is changed. */
static int set(struct module *m, const struct setting_list *list, int argc, char **argv,
	       bool *usage)
{
	bool pair = argc == 2 && !strchr(argv[0], '=');
	size_t i, n = pair ? 1 : (size_t)argc, done;
	struct change *changes = calloc(n, sizeof(*changes));
	int ret = 0, end;

	if (!changes)
		return err_set(-ENOMEM, NULL, "out of memory");
	for (i = 0; i < n && !ret; i++)
		ret = parse(list, argv[i], pair ? argv[1] : NULL, &changes[i]);
	*usage = ret;
	for (done = 0; done < n && !ret; done++) {
		ret = module_set(m, changes[done].setting->name, changes[done].value);
		if (ret)
			break;
	}
	if (!*usage && done) {
		end = report(changes, done);
		ret = ret ? ret : end;
	}
	free(changes);
	return ret;
}

static int run_set(int argc, char **argv)
{
	static const struct option longs[] = { { NULL, 0, NULL, 0 } };
	struct setting_list list = { 0, NULL };
	struct module *module;
	bool usage = false;
	int ret;

	if (arg_getopt(argc, argv, "", longs) != -1)
		return EXIT_USAGE;
	if (optind == argc)
		return usage_error("a setting is missing");
	ret = module_open(&module);
	if (ret)
		return err_report(ret);
	ret = module_settings(module, &list);
	if (!ret)
		ret = set(module, &list, argc - optind, argv + optind, &usage);
	ret = usage ? usage_report(ret) : ret ? err_report(ret) : EXIT_OK;
	setting_list_free(&list);
	module_close(module);
	return ret;
}

const struct cmd cmd_set = {
	.name = "set",
	.run = run_set,
	.summary = "Change settings of the module",
	.usage = "set NAME VALUE\n"
		 "       nettoll set NAME=VALUE...\n\n"
		 "nettoll show settings lists the names and bounds. The same settings are sysctls below\n"
		 "net.nettoll. They last until the module is unloaded.\n",
};
