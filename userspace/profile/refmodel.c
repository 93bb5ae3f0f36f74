// SPDX-License-Identifier: GPL-2.0-or-later
/* The reference model: throughput over RTT of ramp-up and sustainment, in closed form. */
#include "profile/refmodel.h"

#include <math.h>

#define BITS	8

double refmodel_bps(const struct refmodel *m, double rtt_ms, struct refmodel_phases *phases)
{
	double tau = rtt_ms / 1e3, first = m->streams * m->initial_bytes, c = m->capacity_bps / BITS;
	double rate, window, ramp, ramp_bytes, bytes;

	/* At no distance at all there is nothing to ramp up for. */
	rate = tau > 0 ? fmin(c, m->streams * m->buffer_bytes / tau) : c;
	window = rate * tau;
	ramp = window > first ? tau * log(window / first) / log(m->growth) : 0;
	if (ramp < m->seconds) {
		ramp_bytes = ramp > 0 ? (window - first) / log(m->growth) : 0;
		bytes = ramp_bytes + rate * (m->seconds - ramp);
	} else {
		ramp = m->seconds;
		ramp_bytes = first * (pow(m->growth, m->seconds / tau) - 1) / log(m->growth);
		bytes = ramp_bytes;
	}
	if (phases) {
		phases->ramp_s = ramp;
		phases->ramp_bps = ramp > 0 ? BITS * ramp_bytes / ramp : NAN;
		phases->sustained_bps = ramp < m->seconds ? BITS * rate : NAN;
		phases->share = ramp / m->seconds;
	}
	return BITS * bytes / m->seconds;
}

double refmodel_turn_ms(const struct refmodel *m)
{
	return 1e3 * m->streams * m->buffer_bytes * BITS / m->capacity_bps;
}
