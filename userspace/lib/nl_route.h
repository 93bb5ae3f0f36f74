/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Initial windows of routes, by rtnetlink. */
#ifndef NETTOLL_LIB_NL_ROUTE_H
#define NETTOLL_LIB_NL_ROUTE_H

#include <stdint.h>

/*
 * All act on the main table of the network namespace of the calling thread, on routes that leave
 * by one device, and return 0 or a negative errno described by err_set(). A destination is
 * "192.0.2.0/24", "2001:db8::/32", "default" or "default6".
 */

#define ROUTE_DST_MAX	64

enum route_metric { ROUTE_INITCWND, ROUTE_INITRWND };

/** route_dst() - any spelling of a destination to the one above; -EINVAL, not described */
int route_dst(const char *text, char dst[ROUTE_DST_MAX]);

/** route_each() - call @fn with the destinations of a device; a negative value it returns ends that */
int route_each(const char *dev, int (*fn)(const char *dst, void *arg), void *arg);

/**
 * route_metric_get() - packets; 0: the kernel's own choice
 *
 * Return: -EOPNOTSUPP when there is no such route.
 */
int route_metric_get(const char *dev, const char *dst, enum route_metric metric, uint32_t *value);

/**
 * route_metric_set() - replace a route by one that differs in this alone
 *
 * Return: -EOPNOTSUPP when the route cannot be replaced by an equal one.
 */
int route_metric_set(const char *dev, const char *dst, enum route_metric metric, uint32_t value);

#endif
