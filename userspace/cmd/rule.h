/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of nettoll rule: what its verbs share, and the reports they print. */
#ifndef NETTOLL_CMD_RULE_H
#define NETTOLL_CMD_RULE_H

#include "lib/module_rule.h"
#include "lib/out.h"

#define RULE_WORDS_MAX	256	/* of a line; far more than make sense */

/** rule_refused() - add the word that a refusal is about to its description; returns @ret */
int rule_refused(struct module *module, int ret, const struct rule_words *words);

/** rule_trusts() - whether checksums of some peer are not verified */
bool rule_trusts(const struct rule *rule);

/** rule_warn_of_trust() - on stderr, at length */
void rule_warn_of_trust(const struct rule *rule);

/**
 * struct rule_file - the rules of a file
 * @lines: their line numbers
 */
struct rule_file {
	const char *name;
	struct rule_list rules;
	unsigned int *lines;
};

/**
 * rule_file_read() - read and understand all rules of a file
 * @path: "-": standard input
 *
 * Return: 0, or a negative errno described by err_set(), with the line where there is one.
 */
int rule_file_read(struct rule_file *file, const char *path);
void rule_file_free(struct rule_file *file);

/**
 * rule_restore() - make the namespace's rules those of a file, or none of it
 * @keep: add them behind those there are instead
 *
 * The rules are given their numbers. A refusal takes back what was done, and is described with the
 * line. Return: 0 or a negative errno described by err_set().
 */
int rule_restore(struct module *module, struct rule_file *file, bool keep);

/** rule_report_list() - rules with their counters */
void rule_report_list(struct out_doc *doc, const struct rule_list *list);

/** rule_report_words() - rules for rule_file_read(), a line each; for programs as the list */
void rule_report_words(struct out_doc *doc, const struct rule_list *list);

/**
 * rule_report_change() - what was done, for programs
 * @rules: to which rules; one without actions, as after a removal, is its number only
 */
void rule_report_change(struct out_doc *doc, const char *verb, const struct rule_list *rules);

#endif
