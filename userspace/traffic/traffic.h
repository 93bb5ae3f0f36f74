/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traffic engine's public face: what to send (spec), what was seen (result), how to run it. */
#ifndef NETTOLL_TRAFFIC_H
#define NETTOLL_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of the control protocol and of the JSON documents. */
#define TRAFFIC_VERSION		1

#define TRAFFIC_PEER_MAX	192	/* bytes of a peer's name, with the final zero */
#define TRAFFIC_ADDR_MAX	64	/* a numeric address, with %scope */
#define TRAFFIC_SIZES_MAX	16	/* message sizes of one ping run */
#define TRAFFIC_UDP_MAX		65507	/* largest UDP message, as over IPv4 */
#define TRAFFIC_SIZE_MIN	16	/* the header */
#define TRAFFIC_TCP_MAX		(16u << 20)
#define TRAFFIC_SEGS_MAX	64	/* messages a UDP_SEGMENT send carries on every kernel */
#define TRAFFIC_BATCH_MAX	1024	/* messages of one sendmmsg or recvmmsg */
#define TRAFFIC_PINGS_MAX	10000000
#define TRAFFIC_HIST		320	/* buckets of a latency histogram, see latency.h */
#define TRAFFIC_GRO_HIST	65	/* segments per received packet: 1 .. 63, and 64 or more */
#define TRAFFIC_PORT		5209	/* where a waiting receiver listens unless told otherwise */

enum traffic_kind { TRAFFIC_STREAM, TRAFFIC_PING };
enum traffic_proto { TRAFFIC_UDP, TRAFFIC_TCP };

/* How the sender hands over its messages; bits combine, 0 is plain send(). */
#define TRAFFIC_ZEROCOPY	1u	/* MSG_ZEROCOPY */
#define TRAFFIC_GSO		2u	/* UDP_SEGMENT, UDP only */
#define TRAFFIC_SENDMMSG	4u	/* sendmmsg(), UDP only */

/**
 * struct traffic_spec - one run, complete
 *
 * Start from traffic_spec_init(), set what differs, let traffic_spec_check() judge. Peers are
 * "here" (this process's own network namespace), "netns:NAME", "ssh:[USER@]HOST" or
 * "host:ADDR[:PORT]", where a `nettoll traffic recv --listen` waits.
 *
 * @from: peer of the sending (pinging) end
 * @to: peer of the receiving (echoing) end
 * @addr: numeric address of the receiving end; empty: the only one it has, or for host:ADDR
 *	that address
 * @source: numeric address the sender binds to; empty: by route
 * @family: 4 or 6 restricts the choice of an address when @addr is empty; 0: any
 * @port: data port of the receiver; 0: any free one
 * @mode: TRAFFIC_ZEROCOPY | TRAFFIC_GSO | TRAFFIC_SENDMMSG
 * @sizes: message sizes in bytes; a stream has one, a ping run up to TRAFFIC_SIZES_MAX
 * @count: messages to send after the warm-up (for each size); or
 * @bytes: bytes to send, rounded up to whole messages; or
 * @duration_ns: how long to send. Exactly one of the three is set.
 * @warmup: messages sent first and not counted; or
 * @warmup_bytes: the same in bytes, rounded up to messages
 * @rate_bps: payload bits per second; 0: as fast as it goes
 * @segments: messages a UDP_SEGMENT send carries; 0: as many as fit
 * @batch: messages (with gso: sends) a sendmmsg carries
 * @window: UDP datagrams in flight at most, acknowledged by the receiver; 0: no window
 * @sndbuf, @rcvbuf: socket buffer sizes in bytes; 0: the kernel's default
 * @zc_slots: buffers in the zero-copy ring; 0: by the send buffer
 * @rx_size: bytes of one TCP receive; 0: 128 KiB
 * @rx_batch: datagrams of one recvmmsg; 1: plain recv
 * @busy_poll_us: SO_BUSY_POLL on both ends; 0: off
 * @timeout_ms: how long a peer may be silent or a transfer stand still
 * @cpu_from, @cpu_to: CPU the end is bound to; -1: not bound
 * @verify: payload carries a pattern and the receiver compares every byte
 * @no_check: no UDP checksum (IPv4)
 * @unconnected: the sender names the destination in each call, so that each is routed anew
 * @nodelay: TCP_NODELAY
 * @no_recverr: a UDP sender without IP_RECVERR, as most programs are: what its own host's
 *	queues drop, it is not told
 * @gro: UDP_GRO on the receiver
 * @skip_rx_copy: receive with MSG_TRUNC, so that the payload is not copied to user space
 * @ssh: command that reaches ssh peers
 * @remote_nettoll: the nettoll command there
 * @before, @after: called when both ends are ready and warm, and when both results are in;
 *	nothing of this run is on the wire before the one or after the other. A negative
 *	errno from @before cancels the run. May be NULL.
 * @progress: called a few times a second while a run lasts longer than one; @done of @total
 *	(messages, or ns when the run is timed; total 0: unknown). NULL: never, and then the
 *	calling process sleeps throughout the run.
 * @ctx: passed to the callbacks
 */
struct traffic_spec {
	char from[TRAFFIC_PEER_MAX];
	char to[TRAFFIC_PEER_MAX];
	char addr[TRAFFIC_ADDR_MAX];
	char source[TRAFFIC_ADDR_MAX];
	uint32_t family;
	uint32_t port;
	uint32_t kind;
	uint32_t proto;
	uint32_t mode;
	uint32_t nsizes;
	uint32_t sizes[TRAFFIC_SIZES_MAX];
	uint64_t count;
	uint64_t bytes;
	uint64_t duration_ns;
	uint64_t warmup;
	uint64_t warmup_bytes;
	uint64_t rate_bps;
	uint32_t segments;
	uint32_t batch;
	uint32_t window;
	uint32_t sndbuf;
	uint32_t rcvbuf;
	uint32_t zc_slots;
	uint32_t rx_size;
	uint32_t rx_batch;
	uint32_t busy_poll_us;
	uint32_t timeout_ms;
	int32_t cpu_from;
	int32_t cpu_to;
	bool verify;
	bool no_check;
	bool unconnected;
	bool nodelay;
	bool no_recverr;
	bool gro;
	bool skip_rx_copy;
	char ssh[TRAFFIC_PEER_MAX];
	char remote_nettoll[TRAFFIC_PEER_MAX];

	int (*before)(void *ctx);
	void (*after)(void *ctx);
	void (*progress)(void *ctx, uint64_t done, uint64_t total, uint64_t elapsed_ns);
	void *ctx;
};

/* Processor time of one end, between its first and last counted message. */
struct traffic_cpu {
	uint64_t user_ns;	/* getrusage() */
	uint64_t system_ns;
	uint64_t thread_ns;	/* CLOCK_THREAD_CPUTIME_ID: exact, user and system together */
	uint64_t switches_voluntary;
	uint64_t switches_involuntary;
};

/* What the sending end saw of its counted messages. */
struct traffic_tx {
	uint64_t messages;	/* accepted by the kernel */
	uint64_t bytes;
	uint64_t elapsed_ns;	/* from the first send to the return of the last */
	uint64_t syscalls;	/* all calls made for them, completions and waits included */
	uint64_t sends;		/* calls that hand over data */
	uint64_t partial;	/* sends the kernel took only in part */
	uint64_t local_drops;	/* datagrams dropped in this host's queues (ENOBUFS) */
	uint64_t window_stalls;	/* window re-opened by time-out, not by the receiver */
	uint64_t late_max_ns;	/* paced: how far a send fell behind its time at most */
	uint64_t end_markers;	/* end-of-stream datagrams sent after the counted ones */
	uint64_t sndbuf;	/* as the kernel set it (twice the request) */
	uint64_t segments;	/* messages per send */
	uint64_t batch;		/* sends per call */
	uint64_t zc_sends;	/* sends with MSG_ZEROCOPY */
	uint64_t zc_completions;	/* of them, reported complete */
	uint64_t zc_copied;	/* completions marked SO_EE_CODE_ZEROCOPY_COPIED */
	uint64_t zc_bytes;	/* bytes really not copied */
	uint64_t zc_copied_bytes;	/* bytes the kernel copied after all */
	uint64_t zc_notifications;	/* messages read from the error queue */
	uint64_t zc_backoffs;	/* ENOBUFS: no room for another notification or pinned page */
	uint64_t zc_waits;	/* sleeps for a completion */
	uint64_t zc_limit;	/* sends in flight the socket allowed */
	struct traffic_cpu cpu;
};

/* What the receiving end saw of the counted messages. */
struct traffic_rx {
	uint64_t messages;	/* distinct counted messages */
	uint64_t bytes;
	uint64_t warmup_messages;
	uint64_t elapsed_ns;	/* from the first counted message (rather: as soon as the backlog
				 * that waited with it was read) to the last */
	uint64_t timed_bytes;	/* bytes that arrived after that start */
	uint64_t timed_messages;
	uint64_t syscalls;	/* receives that brought counted messages */
	uint64_t lost;
	uint64_t reordered;	/* arrived after a later one */
	uint64_t reorder_max;	/* how many messages too late at most */
	uint64_t duplicates;
	uint64_t corrupted;	/* wrong header, size or payload */
	uint64_t foreign;	/* datagrams of somebody else */
	uint64_t socket_drops;	/* the kernel's count for a full receive buffer or a bad checksum */
	uint64_t acks;		/* window acknowledgements sent */
	uint64_t end_by;	/* how the last message was timed, enum traffic_end_by */
	uint64_t rcvbuf;
	uint64_t gro_packets;	/* packets of more than one segment */
	uint64_t gro_size_max;	/* bytes of the largest */
	uint64_t gro_hist[TRAFFIC_GRO_HIST];	/* packets by segments; [64]: 64 and more */
	struct traffic_cpu cpu;
};

enum traffic_end_by {
	TRAFFIC_END_LAST,	/* the last message itself */
	TRAFFIC_END_MARK,	/* the end marker (or end of the TCP stream) right behind it */
	TRAFFIC_END_SAMPLE,	/* both lost: the last message whose time was taken */
};

/* Round trips of one message size, in ns. */
struct traffic_rtt {
	uint64_t size;		/* bytes of a message */
	uint64_t sent;
	uint64_t lost;		/* no answer within the time-out */
	uint64_t corrupted;
	uint64_t elapsed_ns;
	uint64_t min, p50, p90, p99, p999, max;
	double mean, sd;
	uint64_t hist[TRAFFIC_HIST];
};

/**
 * struct traffic_result - what both ends saw
 * @addr, @port: where the data went
 * @tx, @rx: the two ends (a ping run fills only cpu, syscalls and buffer sizes)
 * @nrtt, @rtt: ping runs, one entry a size
 */
struct traffic_result {
	char addr[TRAFFIC_ADDR_MAX];
	uint32_t port;
	struct traffic_tx tx;
	struct traffic_rx rx;
	uint32_t nrtt;
	struct traffic_rtt rtt[TRAFFIC_SIZES_MAX];
};

/** traffic_spec_init() - defaults: UDP, plain, 100000 messages of 1448 bytes from "here" */
void traffic_spec_init(struct traffic_spec *spec);

/**
 * traffic_spec_check() - validate a spec and fill in what follows from it
 *
 * Turns bytes into a count, warmup_bytes into messages, and fits segments to the size.
 * Return: 0, or -EINVAL described by err_set(): the value, its range, the way out.
 */
int traffic_spec_check(struct traffic_spec *spec);

/**
 * traffic_run() - run one transfer and collect what both ends saw
 *
 * Each end runs in a process of its own (a child, or remote), so the caller's namespace and files
 * stay as they are. Signals as lib/stop.h has it: one that asks to stop ends both ends first. The
 * calling thread must live as long as the run: its death kills the local ends.
 *
 * Return: 0; -EINTR when such a signal came; otherwise a negative errno described by err_set().
 * Lost or corrupted messages are results, not errors.
 */
int traffic_run(const struct traffic_spec *spec, struct traffic_result *result);

/**
 * traffic_too_short() - whether most of a short run had arrived before the receiver was scheduled
 *
 * Then its clock says little, and the rates are what arrived over the sender's time.
 */
bool traffic_too_short(const struct traffic_result *result);

/** traffic_rate() - payload bits per second as the receiver saw them; 0 if nothing came */
double traffic_rate(const struct traffic_result *result);

/** traffic_message_rate() - messages per second as the receiver saw them */
double traffic_message_rate(const struct traffic_result *result);

struct json_object;

/** traffic_result_json() - the document `nettoll traffic --json` prints; NULL without memory */
struct json_object *traffic_result_json(const struct traffic_spec *spec,
					const struct traffic_result *result);

/**
 * traffic_serve() - be one end of a run, told what to do over two descriptors
 *
 * This is what an ssh peer runs on its standard input and output. Returns when @in ends.
 */
int traffic_serve(int in, int out);

/**
 * traffic_listen() - wait for runs to ask for this host as one end, one run at a time
 * @addr: numeric address or empty for all
 * @port: TCP port
 * @once: return after the first run
 * @ready: called when the port is open; may be NULL
 *
 * Return: 0 after @once, or a negative errno described by err_set(); -EINTR on a signal.
 */
int traffic_listen(const char *addr, uint16_t port, bool once,
		   void (*ready)(const char *addr, uint16_t port));

/** traffic_mode_name() - "plain", "zerocopy+gso" ...; the string is static */
const char *traffic_mode_name(uint32_t mode);

/** traffic_mode_parse() - the reverse; -EINVAL for an unknown word */
int traffic_mode_parse(const char *text, uint32_t *mode);

#endif
