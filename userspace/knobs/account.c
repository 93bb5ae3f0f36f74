// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether the nettoll module charges layers: account.attach, so that a ladder puts that back like the rest. */
#include <errno.h>
#include <string.h>

#include "knobs/family.h"
#include "lib/err.h"
#include "lib/module.h"

static const char *const keys[] = { "attach", NULL };

static int find(const char *key, struct knob *knob)
{
	if (strcmp(key, keys[0]))
		return -ENOENT;
	knob->type = KNOB_SWITCH;
	knob->explain = "the nettoll module is attached to its hooks and charges every layer its cycles";
	return 0;
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	struct module_status status;
	struct module *module;
	int ret;

	(void)knob;
	(void)place;
	ret = module_open(&module);
	if (ret)
		return ret;
	ret = module_status(module, &status);
	module_close(module);
	if (!ret)
		strcpy(value, status.hooks_attached ? "on" : "off");
	return ret;
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	const struct attach_request all = { 0 };
	struct attach_result result;
	struct module *module;
	int ret;

	(void)knob;
	(void)place;
	ret = module_open(&module);
	if (ret)
		return ret;
	ret = !strcmp(value, "on") ? module_attach(module, &all, &result)
				   : module_detach(module, &all, &result);
	module_close(module);
	return ret;
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	(void)knob;
	(void)place;
	strcpy(text, !strcmp(value, "on") ? "nettoll attach" : "nettoll detach");
	return 0;
}

const struct knob_family knob_account = {
	.name = "account",
	.keys = keys,
	.find = find,
	.read = read_value,
	.write = write_value,
	.command = command,
};
