/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a rung did, and what two of them did together: arithmetic on measured cells. */
#ifndef NETTOLL_LADDER_EFFECT_H
#define NETTOLL_LADDER_EFFECT_H

#include "ladder/climb.h"
#include "lib/stats.h"

#define EFFECT_CONFIDENCE	0.95

/** struct layer_change - cycles that a layer charges a byte of payload more (or less) than before */
struct layer_change {
	uint32_t layer;
	double per_byte;
};

/* What a comparison comes to. */
enum effect_verdict {
	EFFECT_UNCLEAR,		/* may be more than the least that counts, or nothing: more repeats would tell */
	EFFECT_NONE,		/* less than the least that counts */
	EFFECT_GAIN,
	EFFECT_LOSS,
	EFFECT_VERDICTS
};

extern const char *const effect_verdict_names[EFFECT_VERDICTS];

/**
 * effect_judge() - what a change with its confidence interval comes to
 * @half: half the width of the interval; NaN: there is none
 * @least: the smallest change that counts, in the unit of @change
 */
enum effect_verdict effect_judge(double change, double half, double least);

/**
 * struct effect - a cell compared with one below
 * @rate: difference of the throughput, bits per second, with its confidence interval
 * @known: there is an interval
 * @significant: a gain or a loss: certain, and the mean is no smaller than the least that counts
 * @nchanges, @change: layers, the one that fell most first; none without bills
 */
struct effect {
	struct stats_summary rate;
	bool known;
	bool significant;
	enum effect_verdict verdict;
	size_t nchanges;
	struct layer_change change[MODEL_LAYERS];
};

/** cell_rate() - throughput of a cell, bits per second, with its confidence interval */
struct stats_summary cell_rate(const struct cell *cell);

/** cell_mean() - mean over a cell's samples of one of their members, all of which are doubles */
double cell_mean(const struct cell *cell, size_t offset);
#define CELL_MEAN(cell, member)	cell_mean(cell, offsetof(struct sample, member))

/** cell_lost() - messages lost in all of a cell's samples */
uint64_t cell_lost(const struct cell *cell);

/**
 * effect_of() - compare two cells
 * @least: the smallest change that counts, as a share of what @from has
 *
 * Cells that were measured by turns are compared pair by pair (Student's t of the differences), so that
 * what drifts slowly cancels out; others as two samples (Welch's t).
 */
struct effect effect_of(const struct cell *from, const struct cell *to, double least);

/**
 * struct interaction - what two rungs do together that they do not do alone
 * @a, @b, @both: gain of throughput over the base, bits per second
 * @value: @both - @a - @b; positive: each needs the other
 * @half: half the width of a confidence interval of @value, rather too wide than too narrow;
 *	NaN when there were no repeats
 */
struct interaction {
	double a, b, both;
	double value;
	double half;
};

struct interaction interaction_of(const struct cell *base, const struct cell *a,
				  const struct cell *b, const struct cell *both);

#endif
