/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ladder plan: what is measured between which ends, and the rungs; Documentation/ladder-plan.rst. */
#ifndef NETTOLL_LADDER_PLAN_H
#define NETTOLL_LADDER_PLAN_H

#include "knobs/knob.h"
#include "ladder/jsonpath.h"
#include "traffic/traffic.h"

#define PLAN_RUNGS_MAX	24
#define PLAN_PAIRS_MAX	16
#define PLAN_NAME_MAX	32
#define PLAN_REPEATS_MAX	1000

/* The two ends: the local one sends. */
enum plan_end { PLAN_LOCAL, PLAN_REMOTE, PLAN_ENDS };

extern const char *const plan_end_names[PLAN_ENDS];

/* How a rung is compared with those below it: in turn with them, or each state once, in the order of the plan. */
enum plan_compare { PLAN_BY_TURNS, PLAN_IN_ORDER, PLAN_COMPARES };

/* Which rungs stay for those above: the ones with a gain that is certain, or all. */
enum plan_retain { PLAN_RETAIN_GAINS, PLAN_RETAIN_ALL, PLAN_RETAINS };

extern const char *const plan_compare_names[PLAN_COMPARES + 1];
extern const char *const plan_retain_names[PLAN_RETAINS + 1];

/** struct plan_setting - a knob and the value it is to have; canonical */
struct plan_setting {
	enum plan_end end;
	struct knob knob;
	char value[KNOB_VALUE_MAX];
};

struct plan_settings {
	size_t n;
	struct plan_setting *setting;
};

/**
 * struct plan_rung - a step: settings and traffic options that come on top of the rungs below
 * @name: short, unique; @title: for people, the name when the plan gives none
 * @targets: layers expected to fall, bit mask by enum nettoll_layer
 * @workload: members that override the plan's; NULL: none
 */
struct plan_rung {
	char name[PLAN_NAME_MAX];
	char title[64];
	char doc[1024];
	uint32_t targets;
	struct plan_settings settings;
	struct json_object *workload;
};

/**
 * struct plan - a ladder
 * @line_bps: rate of the line, bits per second, link headers counted
 * @place: where the knobs of an end are; valid if @peer is here or in a namespace
 * @repeats: 0: the plan does not say
 * @least: the smallest change that counts, as a share of the throughput
 * @leave_out: measure at the end what each retained rung is worth among all others
 * @setup: settings that hold for all rungs
 * @pair: rungs whose interaction is wanted, by number
 */
struct plan {
	char file[256];
	char name[PLAN_NAME_MAX];
	char doc[1024];
	uint64_t line_bps;
	char peer[PLAN_ENDS][TRAFFIC_PEER_MAX];
	char addr[PLAN_ENDS][TRAFFIC_ADDR_MAX];
	struct knob_place place[PLAN_ENDS];
	uint32_t repeats;
	double least;
	enum plan_compare compare;
	enum plan_retain retain;
	bool leave_out;
	struct plan_settings setup;
	struct json_object *workload;
	size_t nrungs;
	struct plan_rung rung[PLAN_RUNGS_MAX];
	size_t npairs;
	struct { uint32_t a, b; } pair[PLAN_PAIRS_MAX];
};

/** plan_load() - read and validate; touches nothing but the file. plan_free() afterwards */
int plan_load(const char *file, struct plan *plan);
void plan_free(struct plan *plan);

/** plan_turns() - whether the knobs of an end can be turned: it is here or in a namespace */
bool plan_turns(const struct plan *plan, enum plan_end end);

/** plan_rung_find() - number of a rung by name; -ENOENT, described */
int plan_rung_find(const struct plan *plan, const char *name);

/**
 * plan_spec() - the traffic of a set of rungs
 * @mask: the rungs that are in force, bit by bit
 */
int plan_spec(const struct plan *plan, uint32_t mask, struct traffic_spec *spec);

/**
 * plan_value() - the value that a knob has with a set of rungs in force
 *
 * Return: that of the highest rung that sets it, or of the setup, or NULL: as it was found.
 */
const char *plan_value(const struct plan *plan, uint32_t mask, enum plan_end end, const char *knob);

/** plan_knobs() - call @fn for every knob of the plan once, in the order in which they first occur */
int plan_knobs(const struct plan *plan, int (*fn)(const struct plan_setting *first, void *arg),
	       void *arg);

#endif
