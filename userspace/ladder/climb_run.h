/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that measure a ladder's states share. */
#ifndef NETTOLL_LADDER_CLIMB_RUN_H
#define NETTOLL_LADDER_CLIMB_RUN_H

#include "ladder/climb.h"

/** run_begin() - make an empty cell; its samples are freed with the climb once it counts */
int run_begin(struct climb *climb, struct cell *cell, uint32_t mask);

/** run_sample(), run_bill() - one run without the account, one with; -EINTR when the user wants to stop */
int run_sample(struct climb *climb, const struct traffic_spec *spec, struct cell *cell);
int run_bill(struct climb *climb, const struct traffic_spec *spec, struct cell *cell);

/** run_bound() - note the MTU of the state in force, and what headers leave of the line */
void run_bound(struct climb *climb, const struct traffic_spec *spec, struct cell *cell);

/** factorial_check() - whether all combinations of the chosen rungs can be measured */
int factorial_check(const struct climb *climb);

/** factorial_run() - measure them */
int factorial_run(struct climb *climb);

#endif
