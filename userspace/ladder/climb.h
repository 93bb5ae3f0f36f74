/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Climbing a ladder: the order of states, what is measured in each, and what was measured. */
#ifndef NETTOLL_LADDER_CLIMB_H
#define NETTOLL_LADDER_CLIMB_H

#include "ladder/factorial.h"
#include "ladder/measure.h"
#include "ladder/plan.h"
#include "ladder/rig.h"

/*
 * The foot, two of each rung, two of each that is left out, and of each pair at most two states that are no
 * rung. Or all states of a factorial design, which are fewer.
 */
#define CLIMB_CELLS_MAX	(4 * PLAN_RUNGS_MAX + 2 * PLAN_PAIRS_MAX)

/**
 * struct cell - what was measured with a set of rungs in force
 * @mask: the rungs
 * @turn: two cells with the same number have been measured by turns, sample by sample; 0: with no other
 * @n: samples, taken with the account detached (or attached throughout, see struct climb)
 * @mtu: of the sending device; 0: unknown
 * @bound: largest share of the line that payload can take, with these headers; NaN: unknown
 */
struct cell {
	uint32_t mask;
	uint32_t turn;
	size_t n;
	struct sample *sample;
	struct bill bill;
	uint32_t mtu;
	double bound;
};

/**
 * struct comparison - two cells, of which the second has a rung more
 *
 * NULL where they are the ones that climb_cell() finds.
 */
struct comparison {
	const struct cell *below, *above;
};

/**
 * struct climb - a ladder being climbed
 * @repeats: samples a cell
 * @compare, @retain, @least, @leave_out: as the plan has them, unless the user says
 * @factorial: measure all combinations of the rungs above the foot instead of climbing
 * @account: measure the layers too
 * @keep: leave the host on the last rung
 * @nsteps, @step: the rungs to climb, by number; step[0] is 0
 * @reverted: rungs that are not in force any more further up, bit by bit
 * @at: of each step, with the state below it
 * @out: of each step, all that was retained with all but this one; NULL: not measured
 * @on_begin: told when nothing stands in the way any more; may be NULL
 * @on_step: told after each step's cell is complete; may be NULL
 * @module: NULL when the layers are not measured
 * @attached_before: somebody else had attached the account, so that it stays attached all the time
 * @tsc_khz: cycles a millisecond; 0 without account
 */
struct climb {
	const struct plan *plan;
	uint32_t repeats;
	enum plan_compare compare;
	enum plan_retain retain;
	double least;
	bool leave_out;
	bool factorial;
	bool account;
	bool keep;
	size_t nsteps;
	uint32_t step[PLAN_RUNGS_MAX];
	uint32_t reverted;
	struct comparison at[PLAN_RUNGS_MAX], out[PLAN_RUNGS_MAX];
	void (*on_begin)(const struct climb *climb, void *ctx);
	void (*on_step)(const struct climb *climb, size_t step, void *ctx);
	void *ctx;

	struct rig rig;
	struct module *module;
	bool attached_before;
	uint32_t tsc_khz;
	uint32_t turns;
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

/** climb_mask() - the rungs in force on a step: its own, and those below that were not reverted */
uint32_t climb_mask(const struct climb *climb, size_t step);

/** climb_retained() - the rungs that are in force at the end */
uint32_t climb_retained(const struct climb *climb);

/** climb_cell() - what was measured with a set of rungs in force; NULL: nothing (yet) */
const struct cell *climb_cell(const struct climb *climb, uint32_t mask);

/** climb_above(), climb_base() - what was measured on a step, and what it is compared with; NULL: nothing yet */
const struct cell *climb_above(const struct climb *climb, size_t step);
const struct cell *climb_base(const struct climb *climb, size_t step);

/** climb_factorial_mask() - the rungs in force in a state of the factorial design */
uint32_t climb_factorial_mask(const struct climb *climb, uint32_t state);

/** climb_factorial() - what was measured of all states; false: not all, or none was asked for */
bool climb_factorial(const struct climb *climb, struct factorial *f);

/** climb_last() - what was measured with all retained rungs in force; NULL: nothing yet */
const struct cell *climb_last(const struct climb *climb);

/** climb_has_rung() - whether a rung is among the steps */
bool climb_has_rung(const struct climb *climb, uint32_t rung);

/** climb_below() - the rungs of the climb below a rung that were not reverted */
uint32_t climb_below(const struct climb *climb, uint32_t rung);

#endif
