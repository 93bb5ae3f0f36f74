/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bill: what happened between two readings, as a document. */
#ifndef NETTOLL_CMD_STAT_REPORT_H
#define NETTOLL_CMD_STAT_REPORT_H

#include "lib/model.h"
#include "lib/out.h"

enum stat_by { STAT_BY_LAYER, STAT_BY_HOOK, STAT_BY_CPU };

/**
 * struct stat_view - how to show it
 * @by: a row for each layer, hook or CPU, and direction
 * @raw: do not subtract our own cost
 * @totals: people see counts of the whole time instead of rates
 * @nparts, @part: the time in parts, where hooks were attached in windows: how far they differ says how
 *	far the scaled figures can be trusted
 */
struct stat_view {
	enum stat_by by;
	bool raw;
	bool totals;
	size_t nparts;
	const struct toll_diff *part;
};

#define STAT_CONFIDENCE	0.95

/**
 * stat_report() - describe a difference
 * @doc: to add to; see Documentation/json-schema/stat.json for what
 * @hooks: the table of the hooks as of the end
 * @missed: calls that probes could not see meanwhile
 */
void stat_report(struct out_doc *doc, const struct toll_diff *diff, const struct hook_list *hooks,
		 uint64_t missed, const struct stat_view *view);

#endif
