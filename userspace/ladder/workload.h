/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traffic of a plan: members of "workload" objects, named as the options of nettoll traffic. */
#ifndef NETTOLL_LADDER_WORKLOAD_H
#define NETTOLL_LADDER_WORKLOAD_H

#include "ladder/jsonpath.h"
#include "traffic/traffic.h"

/**
 * workload_apply() - let the members of an object change a spec
 * @obj: NULL changes nothing
 *
 * Later objects override earlier ones. Return: 0, or -EINVAL described with file and place.
 */
int workload_apply(struct jsonpath *at, struct json_object *obj, struct traffic_spec *spec);

/** workload_check() - whether a spec can be run; fills in what follows from it */
int workload_check(const struct jsonpath *at, struct traffic_spec *spec);

/**
 * workload_bound() - the largest share of the line that payload can take
 * @mtu: of the sending device, bytes
 *
 * One less the share of Ethernet, IP and UDP (or TCP) headers, as a token bucket filter on the
 * device counts them, for IPv4 and IPv6 without options, TCP with timestamps.
 */
double workload_bound(const struct traffic_spec *spec, uint32_t mtu);

#endif
