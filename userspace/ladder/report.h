/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A climbed ladder as lines and tables for people, as TSV, as a JSON document, and as a picture. */
#ifndef NETTOLL_LADDER_REPORT_H
#define NETTOLL_LADDER_REPORT_H

#include "ladder/climb.h"

struct json_object;

/* Of numbers in JSON: more than any measurement has. */
#define REPORT_DIGITS	10

/** report_head() - what is about to be climbed, and the heading of the lines that follow */
int report_head(const struct climb *climb);

/** report_step() - a line for a step that is complete */
int report_step(const struct climb *climb, size_t step);

/** report_foot() - the layers, the interactions, and the ladder in one line */
int report_foot(const struct climb *climb);

/** report_factorial() - all states of a factorial design, what each set of rungs does, and the best in one line */
int report_factorial(const struct climb *climb);

/** report_factorial_json() - the same as JSON; NULL when not all was measured, or none was asked for */
struct json_object *report_factorial_json(const struct climb *climb);

/** report_tsv() - the table of the steps */
int report_tsv(const struct climb *climb);

/** report_json() - the document that Documentation/json-schema/ladder.json describes; NULL without memory */
struct json_object *report_json(const struct climb *climb);

/** report_save() - write a JSON document to a file, by way of another name */
int report_save(struct json_object *root, const char *path);

/** report_dry() - what would be changed, rung by rung */
int report_dry(const struct rig *rig, const uint32_t *step, size_t nsteps);

/**
 * report_changes() - the layers that fell and rose most, as text: "ip* -1.20, copy -0.31; csum +0.02"
 * @targets: layers that were aimed at, marked with a star, and shown whatever their rank
 *
 * Changes below a hundredth of a cycle a byte are left out. "" when there is nothing to say.
 */
struct effect;
void report_changes(const struct effect *effect, uint32_t targets, char *buf, size_t size);

/** plot_check() - whether pictures can be made; -ENOENT with the cure when gnuplot is missing */
int plot_check(void);

/** plot_svg() - draw the layers of all steps as stacked bars, and the throughput above them */
int plot_svg(const struct climb *climb, const char *path);

#endif
