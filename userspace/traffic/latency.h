/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentiles and histogram of round-trip samples. */
#ifndef NETTOLL_TRAFFIC_LATENCY_H
#define NETTOLL_TRAFFIC_LATENCY_H

#include <stddef.h>
#include <stdint.h>

#include "traffic/traffic.h"

/*
 * Buckets are one ns wide below 16, then eight to each power of two: no bucket is wider than an
 * eighth of its lower bound. The last one takes everything above.
 */

/** latency_bucket() - the bucket of a sample */
unsigned int latency_bucket(uint64_t ns);

/** latency_bucket_low() - smallest sample that falls into @bucket */
uint64_t latency_bucket_low(unsigned int bucket);

/**
 * latency_summary() - fill min ... sd and hist of @rtt from samples
 * @samples: ns; they are sorted in place
 *
 * Percentiles are exact: the smallest sample such that at least that share of all is not larger
 * (nearest rank). Without samples all are 0.
 */
void latency_summary(struct traffic_rtt *rtt, uint64_t *samples, size_t n);

#endif
