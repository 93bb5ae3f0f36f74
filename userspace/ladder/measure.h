/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One measurement: a run of the traffic, what it achieved, and with the account attached, what it cost. */
#ifndef NETTOLL_LADDER_MEASURE_H
#define NETTOLL_LADDER_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/model.h"
#include "lib/module.h"
#include "traffic/traffic.h"

/**
 * struct sample - what a run achieved
 * @rate_bps: payload bits per second that the receiver got
 * @message_rate: messages per second that it got
 * @sent, @lost, @corrupted: counted messages
 * @bytes: payload received
 * @elapsed_ns: of the receiver
 * @cpu_tx, @cpu_rx: processor time of the two ends' threads, in CPUs; what interrupts take of
 *	other tasks and of the idle time is not in it, see bill_cpus()
 * @zerocopy: share of the bytes sent that really were not copied by the sender; NaN when not asked for
 */
struct sample {
	double rate_bps;
	double message_rate;
	uint64_t sent, lost, corrupted;
	uint64_t bytes;
	uint64_t elapsed_ns;
	double cpu_tx, cpu_rx;
	double zerocopy;
};

/** measure_sample() - run the traffic once; -EINTR when the user wants to stop */
int measure_sample(const struct traffic_spec *spec, struct sample *sample);

/** struct bill_layer - cycles of one layer in a run */
struct bill_layer {
	double cycles[MODEL_DIRECTIONS];	/* net of our own cost */
	uint64_t calls[MODEL_DIRECTIONS];
};

/**
 * struct bill - what the layers charged a run with the account attached
 * @sample: what the run achieved with the account attached
 * @packets, @wire_bytes: by direction
 * @total: cycles of all layers but wait, net of our own cost
 * @cycles: all that passed, over all @cpus
 * @own: our own
 * @self, @inclusive: their equality is the closure
 */
struct bill {
	bool valid;
	struct sample sample;
	struct bill_layer layer[MODEL_LAYERS];
	uint64_t packets[2], wire_bytes[2];
	double total, cycles, own;
	uint32_t cpus;
	uint64_t self, inclusive;
};

/** measure_bill() - run the traffic once with a reading of the attached account before and after */
int measure_bill(struct module *module, const struct traffic_spec *spec, struct bill *bill);

/** bill_per_byte() - cycles of a layer a byte of payload, both directions; NaN without a bill */
double bill_per_byte(const struct bill *bill, uint32_t layer);

/** bill_cpus() - what all layers but wait took, in CPUs; NaN without a bill */
double bill_cpus(const struct bill *bill);

/** bill_total_per_byte() - the same of all layers but wait */
double bill_total_per_byte(const struct bill *bill);

#endif
