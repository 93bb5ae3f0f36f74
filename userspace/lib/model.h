/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the module tells, as plain structures, and the arithmetic on two readings of it. */
#ifndef NETTOLL_LIB_MODEL_H
#define NETTOLL_LIB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/nettoll.h>

#define MODEL_LAYERS		(NETTOLL_LAYER_WAIT + 1)
#define MODEL_DIRECTIONS	(NETTOLL_DIRECTION_BOTH + 1)

/** struct hook_info - one hook of the module's table; see hook-get in the netlink specification */
struct hook_info {
	uint32_t id;
	uint32_t layer;
	uint32_t direction;
	uint32_t backend;
	uint32_t state;
	int32_t error;
	uint64_t missed;
	char name[64];
	char symbol[128];	/* "" when it is the name */
	char error_text[256];
};

struct hook_list {
	size_t n;
	struct hook_info *hook;
};

void hook_list_free(struct hook_list *list);

/** hook_by_id() - NULL when there is none */
const struct hook_info *hook_by_id(const struct hook_list *list, uint32_t id);

/** hook_count() - hooks in a state */
size_t hook_count(const struct hook_list *list, uint32_t state);

/** hook_missed() - calls that probes could not see, over all hooks */
uint64_t hook_missed(const struct hook_list *list);

/**
 * struct stat_charge - counters of one hook and direction
 * @cpu: -1 in a sum over all CPUs
 * @calls: spans ended
 * @self: cycles of the spans less those of the spans nested in them
 * @own: part of @self that is our own cost
 * @total: cycles of the spans, nested ones included
 */
struct stat_charge {
	uint32_t hook;
	uint32_t direction;
	int32_t cpu;
	uint64_t calls, self, own, total;
};

/**
 * struct stat_cpu - counters of one CPU
 * @cpu: -1 in a sum
 * @cpus: how many CPUs this covers
 * @inclusive: cycles of the outermost spans
 */
struct stat_cpu {
	int32_t cpu;
	uint32_t cpus;
	uint64_t inclusive;
	uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes;
};

/**
 * struct stat_reading - one reading of all counters, taken at one instant
 * @time_ns: CLOCK_MONOTONIC
 * @cycles: time stamp counter
 * @attached_ns: time that hooks were attached, in all
 */
struct stat_reading {
	uint32_t generation;
	uint64_t time_ns, cycles, attached_ns;
	size_t ncpus, ncharges;
	struct stat_cpu *cpu;
	struct stat_charge *charge;
};

void stat_reading_free(struct stat_reading *reading);

/** struct toll - what was counted between two readings, unscaled */
struct toll {
	uint64_t calls, self, own, total;
};

/** toll_net() - the toll in cycles: self less own; with @raw, self. Below 0 where the calibrated
 * own cost, an average, exceeds what a few spans really cost.
 */
static inline int64_t toll_net(const struct toll *toll, bool raw)
{
	return (int64_t)(raw ? toll->self : toll->self - toll->own);
}

/** struct toll_cpu - the share of one CPU in a toll_diff */
struct toll_cpu {
	int32_t cpu;
	struct stat_cpu count;
	struct toll charged[MODEL_DIRECTIONS];	/* without wait */
	struct toll wait[MODEL_DIRECTIONS];
};

/**
 * struct toll_diff - what happened between two readings
 * @ns, @cycles: that passed
 * @attached_ns: of which hooks were attached
 * @scale: factor that counts the time without hooks in; 1 when they were attached throughout
 * @cpus: CPUs that the figures cover
 * @changed: hooks were attached or detached, or a setting changed, meanwhile
 * @count: packets, bytes and inclusive cycles, over all CPUs
 * @layer: by layer and direction
 * @charged: sum without wait, by direction; @all: over all directions
 * @wait: cycles off the CPU within spans
 * @nhooks: hook numbers below this may index @hook
 * @hook: by hook number and direction
 * @ncpu, @cpu: by CPU, in order of their numbers; none when the readings were sums
 */
struct toll_diff {
	uint64_t ns, cycles, attached_ns;
	double scale;
	uint32_t cpus;
	bool changed;
	struct stat_cpu count;
	struct toll layer[MODEL_LAYERS][MODEL_DIRECTIONS];
	struct toll charged[MODEL_DIRECTIONS];
	struct toll all;
	struct toll wait;
	size_t nhooks;
	struct toll (*hook)[MODEL_DIRECTIONS];
	size_t ncpu;
	struct toll_cpu *cpu;
};

/**
 * toll_diff_make() - subtract two readings
 * @from, @to: both summed or both per CPU
 * @hooks: the table, for the layers of the hooks
 *
 * Return: 0; -ESTALE when the module was loaded anew in between or the table is not the one of the
 * readings; -EINVAL when @to is not after @from; -ENOMEM. Described by err_set().
 */
int toll_diff_make(struct toll_diff *diff, const struct stat_reading *from,
		   const struct stat_reading *to, const struct hook_list *hooks);

void toll_diff_free(struct toll_diff *diff);

/** toll_packets(), toll_bytes() - of a direction; both: the sum of the two */
uint64_t toll_packets(const struct stat_cpu *count, uint32_t direction);
uint64_t toll_bytes(const struct stat_cpu *count, uint32_t direction);

/** toll_ratio() - @part / @whole, NaN when @whole is 0 */
double toll_ratio(double part, double whole);

/** toll_layer_per_packet() - cycles that a layer charges each packet of its direction, or NaN */
double toll_layer_per_packet(const struct toll_diff *diff, uint32_t layer, uint32_t direction,
			     bool raw);

/** toll_layer_per_byte() - cycles that a layer charges each byte of its direction, or NaN */
double toll_layer_per_byte(const struct toll_diff *diff, uint32_t layer, uint32_t direction,
			   bool raw);

/** toll_coverage() - share of all CPU cycles that fell inside spans, wait excluded */
double toll_coverage(const struct toll_diff *diff);

/** toll_own_share() - share of all CPU cycles that went into the accounting itself */
double toll_own_share(const struct toll_diff *diff);

/** toll_self_sum() - self time over all hooks, wait included; equals count.inclusive: closure */
uint64_t toll_self_sum(const struct toll_diff *diff);

/* Words of the netlink specification; "?" for numbers that this version does not know. */
extern const char *const model_layer_names[MODEL_LAYERS];
extern const char *const model_backend_names[NETTOLL_BACKEND_TRACEPOINT + 1];
const char *model_layer(uint32_t layer);
const char *model_direction(uint32_t direction);
const char *model_backend(uint32_t backend);
const char *model_hook_state(uint32_t state);
const char *model_state(uint32_t state);
const char *model_event(uint32_t event);

#endif
