/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One end of a run: its state, and the parts that set it up, drive it and watch over it. */
#ifndef NETTOLL_TRAFFIC_ENGINE_H
#define NETTOLL_TRAFFIC_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#include "traffic/chan.h"
#include "traffic/clock.h"
#include "traffic/seqtrack.h"
#include "traffic/traffic.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* Why a run ends before its count; bits. */
#define WHY_TIME	1	/* the duration is over */
#define WHY_CONTROL	2	/* the control channel has something to say, or has ended */
#define WHY_STALL	4	/* no progress for the time-out */

/**
 * struct run - one end
 * @progress: messages (ping: round trips; TCP receiver: bytes) so far. In memory shared with the
 *	command when it forked this end, so that it can show progress without a word exchanged.
 * @limit: sequence number to stop at. Signal handlers set it to 0: the loops need no other test
 *	for the end of time or for a stop.
 * @why: WHY_ bits, set by the handlers
 */
struct run {
	struct traffic_spec spec;
	uint32_t stream;		/* tells runs apart on the wire */
	int fd;				/* the data socket, -1: none */
	int listener;
	struct sockaddr_storage peer;	/* the other end's data address */
	socklen_t peer_len;
	struct chan *chan;
	volatile uint64_t *progress;
	volatile uint64_t limit;
	volatile sig_atomic_t why;
	volatile sig_atomic_t ticks;	/* of the watch since the run began */
	uint64_t seen, seen_ns;		/* progress, and when it was last seen to grow */
	timer_t tick, clock;
	bool sender;
	bool armed;			/* watch a receiver: it has had a counted message */
	uint64_t calls;			/* receives that brought something */
	uint64_t seq;			/* next to send */
	struct sender *batches;		/* send.c: buffers, kept from phase to phase */
	struct traffic_tx tx;
	struct traffic_rx rx;
	struct traffic_rtt *rtt;	/* ping: one a size */
	int failed;			/* what ended a loop, described by err_set() */
};

/* watch.c: signals and timers around the loops, so that these need not look at clocks. */

/**
 * watch_start() - guard a run: control input, stall, and optionally a duration
 * @duration_ns: 0: none
 * @period_ms: of the ticks that interrupt a blocked call and look for progress
 *
 * Until watch_stop() the handlers work on @r; one run a process.
 */
int watch_start(struct run *r, uint64_t duration_ns, uint32_t period_ms);
void watch_stop(struct run *r);

/* Ticks in a time-out: how exactly a stall is timed. */
#define WATCH_TICKS	4

/* sock.c: addresses and sockets. */
int addr_parse(const char *text, uint32_t port, struct sockaddr_storage *ss, socklen_t *len);
void addr_text(const struct sockaddr_storage *ss, char *buf, size_t size);
uint32_t addr_port(const struct sockaddr_storage *ss);
/** addr_choose() - the only address of this namespace that a peer could use */
int addr_choose(uint32_t family, const char *where, char *buf, size_t size);
/** sock_receiver() - open, set and bind r->fd (TCP: r->listener); @addr and @port tell where */
int sock_receiver(struct run *r, char *addr, size_t size, uint32_t *port);
/** sock_accept() - wait for the sender's TCP connection */
int sock_accept(struct run *r);
/** sock_sender() - open, set and connect r->fd to r->peer */
int sock_sender(struct run *r);
void sock_close(struct run *r);
/** sock_control() - options of a TCP control connection */
void sock_control(int fd);
/** sock_option_u64() - an integer option, 0 if it cannot be read */
uint64_t sock_option_u64(int fd, int level, int name);

/* path.c: questions and answers on the data path outside the counted part (UDP). */
/** path_probe() - send probes of @size until one is answered */
int path_probe(struct run *r, uint32_t size, uint32_t wait_ms);
/** path_end() - tell the receiver that @sent messages were all */
void path_end(struct run *r, uint64_t sent);

/* send.c */
int sender_warm(struct run *r);
int sender_run(struct run *r);
void sender_free(struct run *r);
/** sender_trouble() - judge a failed send: 0 go on, 1 dropped locally, else a failure */
int sender_trouble(struct run *r, int error);

/* recv_udp.c, recv_tcp.c: run until the stream has ended; fills r->rx */
int receiver_udp(struct run *r);
int receiver_tcp(struct run *r);
/** receiver_stopped() - after WHY_CONTROL: is it "stop" (1, with @sent) or the end of all (0)? */
int receiver_stopped(struct run *r, uint64_t *sent);

/* ping.c */
int pinger_warm(struct run *r);
int pinger_run(struct run *r);
int echo_run(struct run *r);

#endif
