// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll csum: what checksum audits found of each network device. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "lib/args.h"
#include "lib/module_csum.h"
#include "lib/netns.h"
#include "lib/out.h"

static const struct out_col cols[] = {
	{ "device", "device", OUT_STR, 0 },
	{ "ifindex", NULL, OUT_UINT, 0 },
	{ "audited", "audited", OUT_UINT, 0 },
	{ "disagreed", "disagreed", OUT_UINT, 0 },
	{ "passed", "passed", OUT_UINT, 0 },
	{ "last_time", "last", OUT_STR, 0 },
	{ "last_rule", "rule", OUT_UINT, 0 },
	{ "last_vouched", "vouched", OUT_STR, 0 },
	{ "last_found", "found", OUT_STR, 0 },
	{ "last_computed", "computed", OUT_STR, 0 },
	{ "last_header", NULL, OUT_STR, 0 },
};

/* In UTC, with all digits that there are, as logs of several hosts are compared by. */
static void print_time(char *buf, size_t size, uint64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	char day[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, size, "%s.%09" PRIu64 "Z", day, ns % 1000000000);
}

static void print_hex(char *buf, const uint8_t *bytes, size_t n)
{
	size_t i;

	buf[0] = '\0';
	for (i = 0; i < n; i++)
		snprintf(buf + 2 * i, 3, "%02x", bytes[i]);
}

static void print_last(struct out_table *t, const struct csum_info *c)
{
	char text[2 * sizeof(c->header) + 1];
	unsigned int i;

	if (!c->last_ns) {
		for (i = 0; i < 6; i++)
			cell_none(t);
		return;
	}
	print_time(text, sizeof(text), c->last_ns);
	cell_str(t, text);
	cell_uint(t, c->last_rule);
	cell_str(t, c->last_complete ? "complete" : "unnecessary");
	snprintf(text, sizeof(text), "0x%04" PRIx16, c->last_found);
	cell_str(t, text);
	snprintf(text, sizeof(text), "0x%04" PRIx16, c->last_computed);
	cell_str(t, text);
	print_hex(text, c->header, c->header_len);
	cell_str(t, text);
}

static bool is_named(const struct csum_info *c, int argc, char **argv)
{
	int i;

	for (i = optind; i < argc; i++)
		if (!strcmp(argv[i], c->device))
			return true;
	return optind == argc;
}

static void print_all(struct out_doc *doc, const struct csum_list *list, int argc, char **argv)
{
	struct out_table *t = out_table(doc, "devices", cols, sizeof(cols) / sizeof(*cols));
	const struct csum_info *c;
	char text[2 * sizeof(c->header) + 1];
	size_t i;

	for (i = 0; i < list->n; i++) {
		c = &list->item[i];
		if (!is_named(c, argc, argv))
			continue;
		out_row(t, c->disagreed ? STYLE_WARN : STYLE_NONE);
		cell_str(t, c->device);
		cell_uint(t, c->ifindex);
		cell_uint(t, c->audited);
		cell_uint(t, c->disagreed);
		cell_uint(t, c->passed);
		print_last(t, c);
	}
	for (i = 0; i < list->n; i++) {
		c = &list->item[i];
		if (!c->header_len || !is_named(c, argc, argv))
			continue;
		print_hex(text, c->header, c->header_len);
		out_text(doc, STYLE_DIM, "last of %s: %s", c->device, text);
	}
}

static int open_here(void *module)
{
	return module_open(module);
}

static int run_csum(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "netns", required_argument, NULL, 'N' },
		{ NULL, 0, NULL, 0 }
	};
	struct csum_list list = { 0, NULL };
	const char *netns = NULL;
	struct module *module;
	struct out_doc *doc;
	int ret, c;

	while ((c = arg_getopt(argc, argv, "", longs)) != -1) {
		if (c != 'N')
			return EXIT_USAGE;
		netns = optarg;
	}
	/* The socket stays in the namespace in which it was opened. */
	ret = netns_call(netns, open_here, &module);
	if (ret)
		return err_report(ret);
	ret = module_csums(module, &list);
	if (!ret) {
		doc = out_begin("csum", 0);
		print_all(doc, &list, argc, argv);
		ret = out_end(doc);
	}
	csum_list_free(&list);
	module_close(module);
	return ret ? err_report(ret) : EXIT_OK;
}

const struct cmd cmd_csum = {
	.name = "csum",
	.run = run_csum,
	.summary = "Show what checksum audits found of each device",
	.usage = "csum [DEVICE]... [--netns NAME]\n"
		 "Of each network device of a namespace that handed up packets under a csum-rx rule:\n"
		 "how many of those it vouched for were verified, for how many the checksum was wrong,\n"
		 "and what the last such packet was. Devices without any are not listed.\n\n"
		 "Options:\n"
		 "      --netns NAME      the devices of that network namespace (ip netns)\n",
};
