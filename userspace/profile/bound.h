/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distribution-free bound on how far a profile of means is from the best one. */
#ifndef NETTOLL_PROFILE_BOUND_H
#define NETTOLL_PROFILE_BOUND_H

/**
 * bound_log10() - log10 of the bound on the probability that the expected squared error of the profile of means
 * exceeds that of the best unimodal profile by more than @eps (throughput scaled to [0, 1]), with @n runs
 *
 * From 0 up it says nothing: it is vacuous. Documentation/profile-method.rst tells where it comes from.
 */
double bound_log10(double eps, double n);

/** bound_runs() - how many runs it takes for the bound to be at most @delta */
double bound_runs(double eps, double delta);

/** bound_hoeffding() - half the width, as share of the capacity, of Hoeffding's interval of a mean of @m runs */
double bound_hoeffding(double m, double confidence);

#endif
