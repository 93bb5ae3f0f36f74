/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Send coalescing: datagrams of one socket, of one size, to one destination
 * pass the stack together and leave as they would have alone.
 */
#ifndef NETTOLL_FASTPATH_COALESCE_H
#define NETTOLL_FASTPATH_COALESCE_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/socket.h>

#include "batch.h"
#include "rule.h"
#include "send.h"
#include "sock.h"

/* The longest address of a datagram's destination. */
#define NETTOLL_NAME_MAX	sizeof(struct sockaddr_in6)

/**
 * struct nettoll_dest - where datagrams go, as the program says it
 * @name: the address
 * @len: of it, 0 for the peer that the socket is connected to
 */
struct nettoll_dest {
	u8 name[NETTOLL_NAME_MAX];
	u32 len;
};

/**
 * struct nettoll_load - a batch and all it needs to leave
 * @b: how much it is
 * @dest: where it goes
 * @orig: the protocol's send
 * @sk: holds a reference, and @b.bytes of its send buffer
 * @rule: holds a reference
 * @page: where the datagrams are, one behind the other; holds a reference
 * @offset: of the first
 * @gen: of the rules
 * @family: of the packets
 * @cpu: where it began, whose transmit queue it takes
 * @opened: when the first was accepted, nanoseconds
 * @due: when the timer comes
 */
struct nettoll_load {
	struct nettoll_batch b;
	struct nettoll_dest dest;
	nettoll_send_fn *orig;
	struct sock *sk;
	struct nettoll_rule *rule;
	struct page *page;
	u32 offset;
	u32 gen;
	u16 family;
	u32 cpu;
	u64 opened;
	u64 due;
};

/**
 * struct nettoll_gather - what coalescing keeps of a socket
 * @ns: whose it is
 * @leave: batches leave one at a time, and what goes alone waits for them
 * @lock: of all below but @timer and @work
 * @cur: being gathered, if @cur.b.n is not 0
 * @pace: what was learned
 * @last: destination of the last send that went alone
 * @last_size: its size
 * @why: the last reason not to gather, enum nettoll_fallback
 * @alone: rule of sends that go alone while @pace says so, to @last; no reference
 * @alone_gen: of the rules for which @alone is
 * @alone_family: of the packets
 * @page: what the next batch is written to, NULL if there is none
 * @room: bytes of @page
 * @fill: bytes of @page that are taken
 * @timer: has a reference to @ns while it is armed
 * @work: has one while it is queued
 * @worker: does @work
 */
struct nettoll_gather {
	struct nettoll_sock *ns;
	/* Of the order on the wire. */
	struct mutex leave;
	/* Of what is gathered; inside the other. */
	spinlock_t lock;
	struct nettoll_load cur;
	struct nettoll_pace pace;
	struct nettoll_dest last;
	u32 last_size;
	u32 why;
	struct nettoll_rule *alone;
	u32 alone_gen;
	u16 alone_family;
	struct page *page;
	u32 room;
	u32 fill;
	struct hrtimer timer;
	struct kthread_work work;
	struct kthread_worker *worker;
};

/**
 * enum nettoll_left - why a batch leaves
 * @NETTOLL_LEFT_CALL: another call of the program has it leave
 * @NETTOLL_LEFT_TIMER: it has waited long enough
 * @NETTOLL_LEFT_END: the program will not ask for an error any more
 */
enum nettoll_left {
	NETTOLL_LEFT_CALL,
	NETTOLL_LEFT_TIMER,
	NETTOLL_LEFT_END,
};

/* Namespaces whose rules coalesce; sockets are looked for only then. */
extern int nettoll_coalescers;

/**
 * struct nettoll_coalesce_try - a send that a rule has gathered if possible
 * @ns: what is known of the socket
 * @rule: the rule
 * @sk: the socket
 * @orig: the protocol's send
 * @gen: of the rules, from before @rule was asked for
 * @family: of the packets
 * @began: when it was not gathered but may be followed by what is, nanoseconds
 */
struct nettoll_coalesce_try {
	struct nettoll_sock *ns;
	struct nettoll_rule *rule;
	struct sock *sk;
	nettoll_send_fn *orig;
	u32 gen;
	u16 family;
	u64 began;
};

/** nettoll_gather_of() - what coalescing keeps of a socket, NULL if nothing yet */
static inline struct nettoll_gather *nettoll_gather_of(const struct nettoll_sock *ns)
{
	/* Pairs with cmpxchg() in nettoll_gather_make(). */
	return READ_ONCE(ns->part[NETTOLL_PART_GATHER]);
}

bool nettoll_coalesce_join(struct sock *sk, struct msghdr *msg, size_t len, u16 family, int *ret,
			   struct nettoll_rule **alone);
bool nettoll_coalesce_send(struct nettoll_coalesce_try *try, struct msghdr *msg, size_t len);
void nettoll_coalesce_sent(const struct nettoll_coalesce_try *try, int ret);
bool nettoll_coalesce_may_wait(const struct sock *sk);
void nettoll_coalesce_flush(struct sock *sk, enum nettoll_left left);
void nettoll_coalesce_settle(void);
int nettoll_coalesce_start(void);
void nettoll_coalesce_stop(void);
void nettoll_coalesce_free(void *part);
void nettoll_coalesce_exit(void);
struct nettoll_gather *nettoll_gather_make(struct nettoll_sock *ns);
int nettoll_gather_flush(struct nettoll_gather *g, enum nettoll_left left);
void nettoll_gather_leave(struct nettoll_gather *g, struct sock *sk, enum nettoll_left left);
int nettoll_load_send(const struct nettoll_load *load, int *refused);

#endif /* NETTOLL_FASTPATH_COALESCE_H */
