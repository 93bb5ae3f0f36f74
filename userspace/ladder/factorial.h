/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All combinations of a few rungs, and what each rung and each set does by itself: a full two-level factorial. */
#ifndef NETTOLL_LADDER_FACTORIAL_H
#define NETTOLL_LADDER_FACTORIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FACTORIAL_MAX		6	/* rungs */
#define FACTORIAL_STATES_MAX	(1u << FACTORIAL_MAX)

/**
 * struct factorial - the states of a design
 * @k: rungs; state s has rung i in force when bit i of s is set
 * @n, @mean, @sd: of each of the 2^k states
 */
struct factorial {
	size_t k;
	size_t n[FACTORIAL_STATES_MAX];
	double mean[FACTORIAL_STATES_MAX], sd[FACTORIAL_STATES_MAX];
};

/**
 * struct factorial_effect - what the rungs of a set do together that none of its parts does
 * @value: of one rung: the mean of all states with it less the mean of those without. Of two: half the difference
 *	between the effect of the one with and without the other. And so on.
 * @half: half the width of its confidence interval; NaN when no state was measured twice
 */
struct factorial_effect {
	double value, half;
};

/**
 * factorial_effect() - the effect of a set of rungs, bit by bit, not 0
 *
 * The interval is Student's t with the spread within the states, pooled: they are taken to be equally noisy.
 */
struct factorial_effect factorial_effect(const struct factorial *f, uint32_t set, double confidence);

/** factorial_best() - the state of the highest mean; of equal ones that with the fewest rungs */
uint32_t factorial_best(const struct factorial *f);

/**
 * factorial_order() - a random order of so many states, decided by @seed
 *
 * Each repeat goes through all states in an order of its own, so that what drifts is spread over all of them.
 */
void factorial_order(uint32_t *order, size_t states, uint64_t seed);

#endif
