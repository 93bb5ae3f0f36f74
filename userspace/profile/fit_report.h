/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is printed of fitted profiles: for people, as TSV, as JSON. */
#ifndef NETTOLL_PROFILE_FIT_REPORT_H
#define NETTOLL_PROFILE_FIT_REPORT_H

#include "lib/out.h"
#include "profile/fit.h"

/** fit_json() - one profile, as Documentation/json-schema/profile-fit.json has it */
struct json_object *fit_json(const struct store *s, const struct fit *f);

/**
 * fit_table() - begin the table of profiles
 * @points: a row for each RTT instead of one for each profile
 * @campaigns: there are several, and people are shown which
 */
struct out_table *fit_table(struct out_doc *doc, bool points, bool campaigns);

/** fit_rows() - a profile's rows */
void fit_rows(struct out_table *t, const struct fit *f, bool points);

/** fit_notes() - call @note for each thing that could not be told of a profile, and why */
void fit_notes(const struct store *s, const struct fit *f, void (*note)(void *ctx, const char *text), void *ctx);

/** fit_name() - "cubic, buffer 64M, 4 streams" */
void fit_name(const struct group *g, char *text, size_t size);

#endif
