/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module's requests as functions: one each for the operations of the nettoll netlink family. */
#ifndef NETTOLL_LIB_MODULE_H
#define NETTOLL_LIB_MODULE_H

#include <stdbool.h>

#include "lib/model.h"

/*
 * Functions return 0 or a negative errno described by err_set(); what a list or reading holds is
 * freed by its _free() function, and is empty after an error.
 */

struct module;		/* a connection to the loaded module */

/** module_open() - connect; -ENODEV, described with the cure, when the module is not loaded */
int module_open(struct module **module);

/** module_close() - NULL is fine */
void module_close(struct module *module);

/** struct module_cost - own cost of a span by one backend, in thousandths of a cycle */
struct module_cost {
	bool known;
	uint64_t inner;		/* charged to the span itself */
	uint64_t outer;		/* charged to the span around it */
};

/**
 * struct module_status - state of the module
 * @backends: bit mask by enum nettoll_backend
 * @tsc_khz: cycles a millisecond
 * @attached_ns: time that hooks were attached, in all
 * @duty: share of the time that hooks are attached, in hundredths of a per cent
 * @ceiling: share of all CPUs that the accounting may take, in the same; 0: any
 * @window_ms: length of the windows in which hooks are attached; 0: always
 */
struct module_status {
	char version[64];
	uint32_t state;
	uint32_t backends;
	uint32_t tsc_khz;
	uint32_t cpus;
	uint32_t hooks, hooks_attached;
	uint32_t generation;
	uint64_t spans_open;
	uint64_t attached_ns;
	uint32_t duty, ceiling, window_ms;
	struct module_cost cost[NETTOLL_BACKEND_TRACEPOINT + 1];	/* by backend */
};

int module_status(struct module *module, struct module_status *status);

/** struct layer_info - a layer and what it holds, in the module's words */
struct layer_info {
	uint32_t layer;
	char name[16];
	char doc[256];
};

struct layer_list {
	size_t n;
	struct layer_info *item;
};

int module_layers(struct module *module, struct layer_list *list);
void layer_list_free(struct layer_list *list);

int module_hooks(struct module *module, struct hook_list *list);

/**
 * struct attach_request - what to attach or detach; without layers and hooks, all
 * @backend: 0 leaves it to the module's setting, but for @auto_backend, which asks for auto
 * @strict: all that is named or nothing
 * @duty: attach for this share of the time only, in hundredths of a per cent; 0: always
 * @ceiling: in windows, so that the accounting takes no more than this share of all CPUs; 0: any
 * @window_ms: length of an attached window; 0: the module's choice
 *
 * Detaching uses the layers and hooks only.
 */
struct attach_request {
	size_t nlayers, nhooks;
	const uint32_t *layers;
	const char *const *hooks;
	uint32_t backend;
	bool auto_backend;
	bool strict;
	uint32_t duty, ceiling;
	uint32_t window_ms;
};

/** struct attach_result - hooks by what became of them */
struct attach_result {
	uint32_t attached;	/* or detached */
	uint32_t failed;	/* hook_info.error_text says why */
	uint32_t absent;
};

int module_attach(struct module *module, const struct attach_request *req,
		  struct attach_result *result);

/** module_detach() - does not wait for threads asleep inside a hook; module_holders() names them */
int module_detach(struct module *module, const struct attach_request *req,
		  struct attach_result *result);

/** module_stat() - take a reading of all counters, summed over the CPUs or for each */
int module_stat(struct module *module, bool per_cpu, struct stat_reading *reading);

/** struct setting_info - a scalar setting; also a sysctl below net.nettoll */
struct setting_info {
	char name[32];
	uint64_t value, minimum, maximum, standard;
	char doc[256];
};

struct setting_list {
	size_t n;
	struct setting_info *item;
};

int module_settings(struct module *module, struct setting_list *list);
void setting_list_free(struct setting_list *list);
int module_set(struct module *module, const char *name, uint64_t value);

/** struct holder_info - a thread that sleeps within a span */
struct holder_info {
	uint32_t pid;
	char comm[32];
	uint32_t hook;
	bool kthread;
	uint64_t since_cycles;
};

struct holder_list {
	size_t n;
	struct holder_info *item;
};

int module_holders(struct module *module, struct holder_list *list);
void holder_list_free(struct holder_list *list);

/** struct module_event - something changed */
struct module_event {
	uint32_t event;
	uint32_t generation;
	uint32_t count;
	uint32_t hooks_attached;
	uint32_t pid;
	char setting[32];
	uint64_t value;
	char device[16];	/* whose receive coalescing changed */
	uint32_t coalesce_change;
	bool left;		/* what another had set on it stays */
	uint32_t rule;		/* that changed; 0: all */
};

/** module_watch() - subscribe to changes; use a connection of its own for that */
int module_watch(struct module *module);

/** module_fd() - readable when there are events */
int module_fd(const struct module *module);

/** module_events() - hand out the next events; -ENOBUFS: some were lost */
int module_events(struct module *module, int (*fn)(const struct module_event *event, void *arg),
		  void *arg);

#endif
