/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending without copying: what its parts share.
 */
#ifndef NETTOLL_FASTPATH_ZEROCOPY_H
#define NETTOLL_FASTPATH_ZEROCOPY_H

#include <linux/completion.h>
#include <linux/skbuff.h>
#include <linux/socket.h>
#include <linux/types.h>

#include "auto.h"
#include "rule.h"
#include "send.h"
#include "sock.h"

/* What a path answers that has sent, rather than why it has not. */
#define NETTOLL_ZC_SENT	(-1)

/* Segments shorter than this cost more as pages than as bytes. */
#define NETTOLL_ZC_SEGMENT_MIN	2048

/**
 * struct nettoll_held - user pages that packets hold while a call waits for them
 * @ubuf: what the packets refer to; its count is theirs and the call's
 * @pin: what is charged to RLIMIT_MEMLOCK
 * @copied: bytes that were copied on the way after all
 * @taken: a packet held the pages; complete once @done is
 * @state: enum held_state
 * @done: no packet holds the pages any more
 */
struct nettoll_held {
	struct ubuf_info ubuf;
	struct mmpin pin;
	atomic_long_t copied;
	bool taken;
	atomic_t state;
	struct completion done;
};

/**
 * struct nettoll_zc_sock - what is known of a socket that sends without copying
 * @spare: for the next send, NULL while in use or not yet needed
 * @zerocopy_bytes: sent from the user's pages
 * @copied_bytes: copied
 * @sends: since the rule matched first
 * @fallback: why sends were copied
 * @hopeless: sends to copy before the next try, since the last was copied anyway
 * @why: it was, enum nettoll_fallback
 * @slow_until: jiffies until which datagrams are copied, since the last wait was long; 0: none was
 * @lock: of @learned
 * @learned: which way costs less
 *
 * The counters are for reports and may lose a little where threads share a socket.
 */
struct nettoll_zc_sock {
	struct nettoll_held *spare;
	u64 zerocopy_bytes;
	u64 copied_bytes;
	u64 sends;
	u64 fallback[NETTOLL_FALLBACKS];
	unsigned int hopeless;
	unsigned int why;
	unsigned long slow_until;
	/* Of learned. */
	spinlock_t lock;
	struct nettoll_auto learned;
};

/**
 * struct nettoll_zc_call - one send
 * @zs: its socket's
 * @rule: that is for it
 * @sk: the socket
 * @msg: what is sent
 * @len: bytes of it
 * @family: of the packets
 * @orig: how it is sent otherwise
 */
struct nettoll_zc_call {
	struct nettoll_zc_sock *zs;
	struct nettoll_rule *rule;
	struct sock *sk;
	struct msghdr *msg;
	size_t len;
	u16 family;
	nettoll_send_fn *orig;
};

/**
 * struct nettoll_bunch - sends of one system call that are waited for together
 * @held: what their packets refer to, NULL before the first
 * @zs: their socket's
 * @ns: the socket, with a reference while @held
 * @rule: theirs, with a reference while @held
 * @bytes: sent
 *
 * On the stack of the front of the call.
 */
struct nettoll_bunch {
	struct nettoll_held *held;
	struct nettoll_zc_sock *zs;
	struct nettoll_sock *ns;
	struct nettoll_rule *rule;
	size_t bytes;
};

void nettoll_zerocopy_init(void);
int nettoll_zerocopy_send(struct nettoll_sock *ns, struct nettoll_rule *rule, struct sock *sk,
			  struct msghdr *msg, size_t len, u16 family, nettoll_send_fn *orig);
void nettoll_zc_count(struct nettoll_zc_sock *zs, struct nettoll_rule *rule, size_t bytes,
		      size_t copied);
void nettoll_zc_result(struct nettoll_zc_sock *zs, struct nettoll_rule *rule, bool taken,
		       size_t copied, size_t bytes);
void nettoll_zc_fallback(struct nettoll_zc_sock *zs, struct nettoll_rule *rule,
			 unsigned int reason);
void nettoll_zc_sock_free(struct nettoll_zc_sock *zs);

struct nettoll_held *nettoll_held_get(struct nettoll_zc_sock *zs);
void nettoll_held_put(struct nettoll_zc_sock *zs, struct nettoll_held *held);
void nettoll_held_release(struct nettoll_held *held);
bool nettoll_held_wait(struct nettoll_held *held);

int nettoll_sync_udp(const struct nettoll_zc_call *call, struct nettoll_sock *ns, int *ret);
int nettoll_sync_tcp(const struct nettoll_zc_call *call, int *ret);
void nettoll_bunch_end(struct nettoll_bunch *batch);

#endif /* NETTOLL_FASTPATH_ZEROCOPY_H */
