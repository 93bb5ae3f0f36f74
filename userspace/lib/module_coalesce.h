/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module's requests about receive coalescing as functions. */
#ifndef NETTOLL_LIB_MODULE_COALESCE_H
#define NETTOLL_LIB_MODULE_COALESCE_H

#include "lib/coalesce.h"
#include "lib/module.h"

/*
 * All about devices of the network namespace of the connection. Functions return 0 or a negative
 * errno described by err_set().
 */

/** module_coalesce() - the devices that are moderated; @list is empty after an error */
int module_coalesce(struct module *module, struct coalesce_list *list);
void coalesce_list_free(struct coalesce_list *list);

/** module_coalesce_one() - one device; a list of one; -ENOENT: it is not moderated */
int module_coalesce_one(struct module *module, const char *device, struct coalesce_list *list);

/**
 * module_coalesce_set() - moderate a device, or change what it is moderated for
 * @target_ns: for latency, that 99 of 100 packets wait at most; 0: for throughput
 * @while_open: until the connection is closed, by whatever
 */
int module_coalesce_set(struct module *module, const char *device, uint32_t target_ns, bool while_open);

/** module_coalesce_end() - stop; @last is a list of one, its last reading */
int module_coalesce_end(struct module *module, const char *device, struct coalesce_list *last);

#endif
