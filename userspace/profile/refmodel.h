/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reference model: throughput over RTT of ramp-up and sustainment, in closed form. */
#ifndef NETTOLL_PROFILE_REFMODEL_H
#define NETTOLL_PROFILE_REFMODEL_H

/**
 * struct refmodel - a connection
 * @capacity_bps: of the line, bits per second
 * @streams: how many share it
 * @buffer_bytes: largest window of each, bytes
 * @initial_bytes: first window of each
 * @seconds: how long it is observed
 * @growth: of the window in a round trip while it ramps up; 2 in the ideal
 */
struct refmodel {
	double capacity_bps, streams, buffer_bytes, initial_bytes, seconds, growth;
};

#define REFMODEL_INITIAL	(10 * 1448.0)	/* bytes: Linux's initial window at an MTU of 1500 */

/**
 * struct refmodel_phases - @ramp_s: how long it ramps up; @ramp_bps, @sustained_bps: means of the phases; @share:
 *	of the time
 */
struct refmodel_phases {
	double ramp_s, ramp_bps, sustained_bps, share;
};

/** refmodel_bps() - mean throughput at an RTT, bits per second; @phases may be NULL */
double refmodel_bps(const struct refmodel *m, double rtt_ms, struct refmodel_phases *phases);

/** refmodel_turn_ms() - where it turns from concave to convex: the RTT at which the buffers just hold the line's */
double refmodel_turn_ms(const struct refmodel *m);

#endif
