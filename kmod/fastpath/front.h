/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fronts: handlers that are called instead of a function of the kernel and
 * call it themselves. A handler that adds nothing ends in a jump to it and
 * leaves no frame behind; one that has something to do afterwards stays, and
 * where it may sleep meanwhile it says so, so that an unload can wait for it.
 */
#ifndef NETTOLL_FASTPATH_FRONT_H
#define NETTOLL_FASTPATH_FRONT_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/socket.h>
#include <linux/sockptr.h>
#include <linux/static_call.h>
#include <linux/types.h>
#include <net/sock.h>

#include "../account/site.h"

/**
 * enum nettoll_front_group - fronts that are wanted together
 * @NETTOLL_FRONTS_SEND: sends of UDP and TCP sockets, and the end of a socket
 * @NETTOLL_FRONTS_COALESCE: what else a program can do to a socket that sends
 * @NETTOLL_FRONTS_CSUM_TX: what devices can do for packets that leave
 * @NETTOLL_FRONTS_CSUM_RX: packets that drivers hand up
 * @NETTOLL_FRONTS_ZEROCOPY: sends of many datagrams
 */
enum nettoll_front_group {
	NETTOLL_FRONTS_SEND,
	NETTOLL_FRONTS_COALESCE,
	NETTOLL_FRONTS_CSUM_TX,
	NETTOLL_FRONTS_CSUM_RX,
	NETTOLL_FRONTS_ZEROCOPY,
	NETTOLL_FRONT_GROUPS,
};

#define NETTOLL_FRONT(group, ret, fn, nargs, proto) \
	notrace ret nettoll_front_##fn proto;		\
	DECLARE_STATIC_CALL(nettoll_orig_##fn, nettoll_front_##fn);
#include "front_table.def"
#undef NETTOLL_FRONT

/* The function itself, from behind its front. */
#define nettoll_orig(fn)	static_call(nettoll_orig_##fn)

struct nettoll_bunch;

/**
 * struct nettoll_stay - a call that will return into a handler
 * @node: in the list of all
 * @task: whose call it is
 * @batch: what the calls within it may leave to it, NULL if it does nothing of theirs
 *
 * On the stack of the handler.
 */
struct nettoll_stay {
	struct list_head node;
	struct task_struct *task;
	struct nettoll_bunch *batch;
};

void nettoll_fronts_init(void);
int nettoll_fronts_get(unsigned long groups, const char **why);
void nettoll_fronts_put(unsigned long groups);
void nettoll_fronts_exit(void);
void nettoll_stay_begin(struct nettoll_stay *stay);
void nettoll_stay_end(struct nettoll_stay *stay);
struct nettoll_bunch *nettoll_stay_bunch(void);

#endif /* NETTOLL_FASTPATH_FRONT_H */
