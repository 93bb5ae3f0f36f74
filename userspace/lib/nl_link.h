/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network devices and their root queueing disciplines, by rtnetlink. */
#ifndef NETTOLL_LIB_NL_LINK_H
#define NETTOLL_LIB_NL_LINK_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * All act in the network namespace of the calling thread, and return 0 or a negative errno
 * described by err_set().
 */

/** enum link_size - limits of merged packets, in the order of the table in nl_link.c */
enum link_size {
	LINK_GSO_MAX_SIZE,
	LINK_GSO_MAX_SEGS,
	LINK_GRO_MAX_SIZE,
	LINK_GSO_IPV4_MAX_SIZE,
	LINK_GRO_IPV4_MAX_SIZE,
	LINK_NSIZES
};

/**
 * struct link_info - a network device
 * @mtu_min, @mtu_max: what its driver allows; @mtu_max 0: the driver does not say
 * @txqlen: packets
 * @kind: "veth", "bond", "vlan", ...; "" for hardware and what does not say
 * @lower: number of the device that it stands on or is the far end of, in this namespace; 0: none
 * @master: number of the bond or bridge that it is a port of; 0: none
 * @permanent: hardware address that the device was made with, "52:54:00:12:34:56"; "" when it has none
 * @size: see enum link_size; 0 when the kernel does not say
 * @tso_max_size, @tso_max_segs: what its driver allows; 0: it does not say
 * @up: set up by the administrator
 * @running: up, with carrier, and its queues at work
 */
struct link_info {
	int index, lower, master;
	char name[IF_NAMESIZE];
	uint32_t mtu, mtu_min, mtu_max;
	uint32_t txqlen;
	char kind[16];
	char permanent[3 * 32];
	uint32_t size[LINK_NSIZES];
	uint32_t tso_max_size, tso_max_segs;
	bool up;
	bool running;
};

/** link_get() - -ENODEV when there is no such device */
int link_get(const char *dev, struct link_info *info);

int link_set_mtu(const char *dev, uint32_t mtu);
int link_set_txqlen(const char *dev, uint32_t packets);
int link_set_size(const char *dev, enum link_size which, uint32_t value);

/** link_each() - call @fn with every device of the namespace; a negative value that it returns ends that */
int link_each(int (*fn)(const struct link_info *info, void *arg), void *arg);

/**
 * struct tbf_info - parameters of a token bucket filter
 * @rate: bits per second, link headers counted
 * @burst: bytes sent at once at most, no packet may be larger; see tbf_burst()
 * @limit: bytes waiting at most
 * @handle: number that somebody gave it; 0: the kernel chose one
 */
struct tbf_info {
	uint64_t rate;
	uint32_t burst;
	uint32_t limit;
	uint16_t handle;
};

/**
 * tbf_burst() - a burst as the kernel keeps it
 * @rate: bits per second
 *
 * The kernel keeps the time that the burst takes, in ticks of 64 ns.
 * Return: the smallest burst it can keep that is not below @burst; 0 when there is none.
 */
uint32_t tbf_burst(uint64_t rate, uint32_t burst);

/**
 * struct qdisc_info - the root queueing discipline of a device
 * @kind: "tbf", "fq_codel", ...; "" when there is none
 * @standard: the kernel chose it, and will again when another is deleted
 * @simple: @tbf says all there is to say of it
 */
struct qdisc_info {
	char kind[32];
	bool standard;
	bool simple;
	struct tbf_info tbf;
};

int qdisc_get(const char *dev, struct qdisc_info *info);

/** qdisc_set_tbf() - make a token bucket filter the root, in place of what is there */
int qdisc_set_tbf(const char *dev, const struct tbf_info *tbf);

/** qdisc_delete() - take the root away, so that the kernel puts its standard one there */
int qdisc_delete(const char *dev);

#endif
