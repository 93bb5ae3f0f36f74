/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The document of nettoll coalesce. */
#ifndef NETTOLL_CMD_COALESCE_REPORT_H
#define NETTOLL_CMD_COALESCE_REPORT_H

#include "lib/coalesce.h"
#include "lib/out.h"

/**
 * coalesce_report() - a row for each device: what is asked, what is done, and what that comes to
 * @list: with differences of counters, see coalesce_since()
 */
void coalesce_report(struct out_doc *doc, const struct coalesce_list *list);

#endif
