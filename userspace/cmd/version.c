// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll version: of the command and of the module. */
#include <errno.h>

#include "cmd/cmd.h"
#include "lib/module.h"
#include "lib/out.h"
#include "lib/version.h"

static int run_version(int argc, char **argv)
{
	struct module_status status;
	struct module *module;
	struct out_doc *doc;
	int ret;

	(void)argv;
	if (argc > 1)
		return usage_error("version takes no arguments");
	ret = module_open(&module);
	if (!ret) {
		ret = module_status(module, &status);
		module_close(module);
	}
	if (ret && ret != -ENODEV)
		return err_report(ret);
	err_clear();
	doc = out_begin("version", 0);
	out_str(doc, "tool", "nettoll", NETTOLL_VERSION);
	out_str(doc, "module", NULL, ret ? NULL : status.version);
	out_str(doc, NULL, "module", ret ? "not loaded" : status.version);
	ret = out_end(doc);
	return ret ? err_report(ret) : EXIT_OK;
}

const struct cmd cmd_version = {
	.name = "version",
	.run = run_version,
	.summary = "Print the versions of the command and of the module",
	.usage = "version",
};
