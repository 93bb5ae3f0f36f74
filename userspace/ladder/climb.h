/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Climbing a ladder: the order of states, what is measured in each, and what was measured. */
#ifndef NETTOLL_LADDER_CLIMB_H
#define NETTOLL_LADDER_CLIMB_H

#include "ladder/measure.h"
#include "ladder/plan.h"
#include "ladder/rig.h"

/* Every rung, and of each pair at most two states that are no rung of the climb. */
#define CLIMB_CELLS_MAX	(PLAN_RUNGS_MAX + 2 * PLAN_PAIRS_MAX)

/**
 * struct cell - what was measured with a set of rungs in force
 * @mask: the rungs
 * @n: samples, taken with the account detached (or attached throughout, see struct climb)
 * @mtu: of the sending device; 0: unknown
 * @bound: largest share of the line that payload can take, with these headers; NaN: unknown
 */
struct cell {
	uint32_t mask;
	size_t n;
	struct sample *sample;
	struct bill bill;
	uint32_t mtu;
	double bound;
};

/**
 * struct climb - a ladder being climbed
 * @repeats: samples a cell
 * @account: measure the layers too
 * @keep: leave the host on the last rung
 * @nsteps, @step: the rungs to climb, by number; step[0] is 0
 * @on_begin: told when nothing stands in the way any more; may be NULL
 * @on_step: told after each step's cell is complete; may be NULL
 * @module: NULL when the layers are not measured
 * @attached_before: somebody else had attached the account, so that it stays attached all the time
 * @tsc_khz: cycles a millisecond; 0 without account
 */
struct climb {
	const struct plan *plan;
	uint32_t repeats;
	bool account;
	bool keep;
	size_t nsteps;
	uint32_t step[PLAN_RUNGS_MAX];
	void (*on_begin)(const struct climb *climb, void *ctx);
	void (*on_step)(const struct climb *climb, size_t step, void *ctx);
	void *ctx;

	struct rig rig;
	struct module *module;
	bool attached_before;
	uint32_t tsc_khz;
	size_t ncells;
	struct cell cell[CLIMB_CELLS_MAX];
	uint64_t runs, runs_done;
};

/**
 * climb_run() - climb, measure the pairs, and put the host back
 *
 * SIGINT, TERM and HUP have to be held back, see lib/stop.h. Return: 0; -EINTR when one came;
 * another negative errno after reporting what went wrong. The cells that are complete stay valid in
 * each case. When the host could not be put back, that was reported, and @dirty is set.
 */
int climb_run(struct climb *climb, bool *dirty);

void climb_free(struct climb *climb);

/** climb_mask() - the rungs in force on a step */
uint32_t climb_mask(const struct climb *climb, size_t step);

/** climb_cell() - what was measured with a set of rungs in force; NULL: nothing (yet) */
const struct cell *climb_cell(const struct climb *climb, uint32_t mask);

/** climb_has_rung() - whether a rung is among the steps */
bool climb_has_rung(const struct climb *climb, uint32_t rung);

/** climb_below() - the rungs of the climb below a rung */
uint32_t climb_below(const struct climb *climb, uint32_t rung);

#endif
