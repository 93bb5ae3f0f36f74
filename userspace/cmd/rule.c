// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll rule: which sockets the fast paths serve, and how. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/rule.h"
#include "lib/args.h"
#include "lib/netns.h"

#define INSERT_TRIES	5

enum { OPT_NETNS = 256, OPT_KEEP };

static const struct option longs[] = {
	{ "netns", required_argument, NULL, OPT_NETNS },
	{ "keep", no_argument, NULL, OPT_KEEP },
	{ "quiet", no_argument, NULL, 'q' },
	{ NULL, 0, NULL, 0 }
};

static struct options {
	const char *netns;
	bool keep, quiet;
} options;

static int open_here(void *module)
{
	return module_open(module);
}

/* The socket stays in the namespace in which it was opened, and rules are those of the namespace. */
static int open_module(struct module **module)
{
	return netns_call(options.netns, open_here, module);
}

int rule_refused(struct module *m, int ret, const struct rule_words *words)
{
	char word[128];

	if (rule_words_at(words, module_bad_attr(m), word, sizeof(word)))
		err_set(ret, err_cure(ret), "%s (at '%s')", err_text(ret), word);
	return ret;
}

bool rule_trusts(const struct rule *rule)
{
	return rule_has(rule, RULE_CSUM_RX) && rule->action[RULE_CSUM_RX] == NETTOLL_CSUM_RX_TRUST;
}

void rule_warn_of_trust(const struct rule *rule)
{
	char peers[64];

	rule_prefix_text(&rule->remote, peers, sizeof(peers));
	pr_warn("csum-rx trust: nobody will verify the UDP and TCP checksums of what comes from %s. What a "
		"network card, a switch or a bad memory on the way has changed then reaches the programs as if it "
		"were good, and they will not know. Use it where data is verified by other means only, and after "
		"csum-rx audit, which counts how often a checksum is found wrong, has been at 0 for long "
		"(--quiet leaves this out).", peers);
}

static int parse_id(const char *text, uint32_t *id)
{
	uint64_t value;
	int ret = arg_uint("number of a rule", text, 1, UINT32_MAX, &value);

	if (!ret)
		*id = (uint32_t)value;
	return ret;
}

/* ---- verbs that change a rule ---- */

static int report_one(const char *verb, const char *done, struct rule *rule)
{
	struct rule_list one = { 1, rule };
	struct out_doc *doc = out_begin("rule", 0);
	char *text;

	rule_report_change(doc, verb, &one);
	text = rule_text(rule);
	if (!options.quiet)
		out_text(doc, STYLE_NONE, "%s rule %" PRIu32 ": %s", done, rule->id, text ? text : "");
	free(text);
	return out_end(doc);
}

/* Before the first there is, which may go meanwhile. */
static int insert_first(struct module *m, struct rule *rule)
{
	struct rule_list list;
	uint32_t first;
	int ret, tries;

	for (tries = 0; ; tries++) {
		ret = module_rules(m, &list);
		if (ret)
			return ret;
		first = list.n ? list.item[0].id : 0;
		rule_list_free(&list);
		ret = module_rule_add(m, rule, first, &rule->id);
		if (ret != -ENOENT || tries == INSERT_TRIES)
			return ret;
	}
}

enum place { PLACE_END, PLACE_BEFORE, PLACE_FIRST, PLACE_INSTEAD };

/* @id: of the rule before which, or instead of which; what it becomes is printed. */
static int put_rule(const char *verb, enum place place, uint32_t id, int argc, char **argv)
{
	struct rule_words words;
	struct module *m;
	struct rule rule;
	int ret;

	ret = rule_parse(&rule, &words, argc, argv);
	if (ret)
		return usage_report(ret);
	ret = open_module(&m);
	if (ret)
		return err_report(ret);
	if (rule_trusts(&rule) && !options.quiet)
		rule_warn_of_trust(&rule);
	if (place == PLACE_INSTEAD) {
		rule.id = id;
		ret = module_rule_set(m, &rule);
	} else if (place == PLACE_FIRST) {
		ret = insert_first(m, &rule);
	} else {
		ret = module_rule_add(m, &rule, place == PLACE_BEFORE ? id : 0, &rule.id);
	}
	if (ret)
		ret = rule_refused(m, ret, &words);
	else
		ret = report_one(verb, place == PLACE_INSTEAD ? "replaced" : "added", &rule);
	module_close(m);
	return ret ? err_report(ret) : EXIT_OK;
}

static int run_add(int argc, char **argv)
{
	return put_rule("add", PLACE_END, 0, argc, argv);
}

static int run_insert(int argc, char **argv)
{
	uint32_t id;
	int ret;

	if (!argc || strcmp(argv[0], "before"))
		return put_rule("insert", PLACE_FIRST, 0, argc, argv);
	if (argc < 2)
		return usage_error("before which rule? its number is missing");
	ret = parse_id(argv[1], &id);
	if (ret)
		return usage_report(ret);
	return put_rule("insert", PLACE_BEFORE, id, argc - 2, argv + 2);
}

static int run_replace(int argc, char **argv)
{
	uint32_t id;
	int ret;

	if (!argc)
		return usage_error("which rule? its number is missing");
	ret = parse_id(argv[0], &id);
	if (ret)
		return usage_report(ret);
	return put_rule("replace", PLACE_INSTEAD, id, argc - 1, argv + 1);
}

/* ---- verbs that remove ---- */

static int report_removed(const char *verb, const struct rule_list *gone)
{
	struct out_doc *doc = out_begin("rule", 0);
	size_t i;

	rule_report_change(doc, verb, gone);
	for (i = 0; i < gone->n && !options.quiet; i++)
		out_text(doc, STYLE_NONE, "removed rule %" PRIu32, gone->item[i].id);
	return out_end(doc);
}

static int run_delete(int argc, char **argv)
{
	struct rule_list list = { 0, NULL };
	struct module *m;
	int i, ret = 0, end;

	if (!argc)
		return usage_error("which rule? its number is missing (nettoll rule flush removes all)");
	list.item = calloc((size_t)argc, sizeof(*list.item));
	if (!list.item)
		return err_report(err_set(-ENOMEM, NULL, "out of memory"));
	/* All words are understood before the first rule goes. */
	for (i = 0; i < argc && !ret; i++)
		ret = parse_id(argv[i], &list.item[i].id);
	if (ret) {
		ret = usage_report(ret);
		goto out;
	}
	ret = open_module(&m);
	if (ret) {
		ret = err_report(ret);
		goto out;
	}
	for (i = 0; i < argc && !ret; i++) {
		ret = module_rule_del(m, list.item[i].id);
		list.n += !ret;
	}
	/* If one is refused, those before it are gone and told. */
	if (list.n) {
		end = report_removed("delete", &list);
		ret = ret ? ret : end;
	}
	ret = ret ? err_report(ret) : EXIT_OK;
	module_close(m);
out:
	rule_list_free(&list);
	return ret;
}

static int run_flush(int argc, char **argv)
{
	static const struct rule_list none = { 0, NULL };
	struct out_doc *doc;
	struct module *m;
	int ret;

	(void)argv;
	if (argc)
		return usage_error("flush removes all rules; to remove some: nettoll rule delete ID...");
	ret = open_module(&m);
	if (ret)
		return err_report(ret);
	ret = module_rule_flush(m);
	if (!ret) {
		doc = out_begin("rule", 0);
		rule_report_change(doc, "flush", &none);
		if (!options.quiet)
			out_text(doc, STYLE_NONE, "removed all rules");
		ret = out_end(doc);
	}
	module_close(m);
	return ret ? err_report(ret) : EXIT_OK;
}

/* ---- verbs that read, and restore ---- */

static int show(int argc, char **argv, void (*report)(struct out_doc *doc, const struct rule_list *list))
{
	struct rule_list list = { 0, NULL };
	struct out_doc *doc;
	struct module *m;
	int i, ret = 0;
	uint32_t id;

	for (i = 0; i < argc && !ret; i++)
		ret = parse_id(argv[i], &id);
	if (ret)
		return usage_report(ret);
	ret = open_module(&m);
	if (ret)
		return err_report(ret);
	if (!argc)
		ret = module_rules(m, &list);
	for (i = 0; i < argc && !ret; i++) {
		parse_id(argv[i], &id);
		ret = module_rule_get(m, id, &list);
	}
	if (!ret) {
		doc = out_begin("rule", 0);
		report(doc, &list);
		ret = out_end(doc);
	}
	rule_list_free(&list);
	module_close(m);
	return ret ? err_report(ret) : EXIT_OK;
}

static int run_list(int argc, char **argv)
{
	return show(argc, argv, rule_report_list);
}

static int run_save(int argc, char **argv)
{
	return show(argc, argv, rule_report_words);
}

static int run_restore(int argc, char **argv)
{
	struct rule_file file;
	struct out_doc *doc;
	struct module *m;
	size_t i;
	int ret;

	if (argc != 1)
		return usage_error("one file with rules is wanted, or - for standard input");
	ret = rule_file_read(&file, argv[0]);
	if (ret)
		return err_report(ret);
	ret = open_module(&m);
	if (ret)
		goto out;
	for (i = 0; i < file.rules.n && !options.quiet; i++) {
		if (rule_trusts(&file.rules.item[i])) {
			rule_warn_of_trust(&file.rules.item[i]);
			break;
		}
	}
	ret = rule_restore(m, &file, options.keep);
	if (!ret) {
		doc = out_begin("rule", 0);
		rule_report_change(doc, "restore", &file.rules);
		if (!options.quiet)
			out_text(doc, STYLE_NONE, "restored %zu rule%s", file.rules.n,
				 file.rules.n == 1 ? "" : "s");
		ret = out_end(doc);
	}
	module_close(m);
out:
	rule_file_free(&file);
	return ret ? err_report(ret) : EXIT_OK;
}

static const struct {
	const char *word;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "list", run_list }, { "add", run_add }, { "insert", run_insert }, { "replace", run_replace },
	{ "delete", run_delete }, { "flush", run_flush }, { "save", run_save }, { "restore", run_restore },
};
#define NVERBS	((int)(sizeof(verbs) / sizeof(*verbs)))

static int run_rule(int argc, char **argv)
{
	const char *words[NVERBS];
	int c, verb;

	options = (struct options) { 0 };
	while ((c = arg_getopt(argc, argv, "q", longs)) != -1) {
		switch (c) {
		case OPT_NETNS: options.netns = optarg; break;
		case OPT_KEEP: options.keep = true; break;
		case 'q': options.quiet = true; break;
		default: return EXIT_USAGE;
		}
	}
	argc -= optind;
	argv += optind;
	/* A number alone is a rule to list. */
	if (!argc || (argv[0][0] >= '0' && argv[0][0] <= '9')) {
		verb = 0;
	} else {
		for (verb = 0; verb < NVERBS; verb++)
			words[verb] = verbs[verb].word;
		verb = arg_word("verb", argv[0], words, (size_t)NVERBS);
		if (verb < 0)
			return usage_report(verb);
		argc--;
		argv++;
	}
	if (options.keep && verbs[verb].run != run_restore)
		return usage_error("--keep belongs to restore");
	return verbs[verb].run(argc, argv);
}

const struct cmd cmd_rule = {
	.name = "rule",
	.run = run_rule,
	.summary = "Say which sockets the fast paths serve, and how",
	.usage = "rule [list [ID]...] [OPTION]...\n"
		 "       nettoll rule add [MATCH]... ACTION...\n"
		 "       nettoll rule insert [before ID] [MATCH]... ACTION...\n"
		 "       nettoll rule replace ID [MATCH]... ACTION...\n"
		 "       nettoll rule delete ID...\n"
		 "       nettoll rule flush\n"
		 "       nettoll rule save [ID]...\n"
		 "       nettoll rule restore FILE|- [--keep]\n"
		 "The first rule that a socket matches in all its words decides. Rules are of a network\n"
		 "namespace. Without any, nothing is interposed and nothing costs.\n\n"
		 "MATCH, each once and in any order:\n"
		 "  proto udp|tcp           family ipv4|ipv6\n"
		 "  local ADDR[/LEN][:PORT[-PORT]]   remote the same; with an IPv6 address, [ADDR][/LEN]:PORT\n"
		 "  lport PORT[-PORT]       rport the same\n"
		 "  dev NAME                the packets leave or come by\n"
		 "  cgroup PATH             of version 2; sockets made in it or below\n"
		 "  uid USER|N[-M]          who owns the socket\n"
		 "ACTION:\n"
		 "  zerocopy off|sync|pool|auto      min BYTES: copy what is shorter\n"
		 "  csum-tx auto|hw|sw|none          who makes checksums\n"
		 "  csum-rx auto|sw|trust|audit      who verifies them   audit-rate 1/N: of the audited\n"
		 "  coalesce N              so many datagrams of a UDP socket leave as one, but\n"
		 "    bytes BYTES           at most so many, and\n"
		 "    late TIME             at most so late (50us)\n\n"
		 "Options:\n"
		 "      --netns NAME      the rules of that network namespace (ip netns)\n"
		 "      --keep            restore: add to the rules there are, do not replace them\n"
		 "  -q, --quiet           no warning of csum-rx trust, and no word when it is done\n",
};
