// SPDX-License-Identifier: GPL-2.0-or-later
/* Receives datagrams until the stream has ended; a few comparisons a message while all is well. */
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "traffic/engine.h"
#include "lib/err.h"
#include "traffic/msg.h"

#ifndef UDP_GRO
#define UDP_GRO		104
#endif

#define GRO_BUFFER	65536
#define SAMPLE_EVERY	64	/* messages between two looks at the clock */
#define SAMPLE_TAIL	256	/* the last ones before a known end are all timed */
/* After the end is known, how long the path may be quiet before the missing are given up. */
#define DRAIN_QUIET_MS	500

/* Receives within which the queue should run empty, see settle(). */
#define SETTLE_MAX	4096

/* Set while the messages of one receive are gone through, acted upon after it. */
#define DO_FIRST	1
#define DO_SAMPLE	2
#define DO_ACK		4

struct receiver {
	struct run *r;
	struct seqtrack track;
	unsigned char *mem;
	size_t stride, buf_len;	/* of each buffer: from one to the next, offered to the kernel */
	uint64_t data_id;
	uint32_t size, batch;
	int flags;
	bool gro, verify;
	uint64_t event;		/* the next sequence number that needs more than counting */
	uint64_t next_sample, next_ack;
	uint64_t last;		/* sequence number of the last message, once known */
	uint64_t near;		/* and from where on each message is timed */
	uint64_t end;		/* messages sent in all, as the sender says; UINT64_MAX: not yet */
	unsigned int todo;
	bool started;
	bool tail;		/* the last message was seen: time each that still comes */
	uint64_t ack;		/* to acknowledge: highest sequence number plus one */
	uint64_t calls_first, calls_sample, start_messages, sample_messages;
	uint64_t drops_before;
	struct mark start, sample;
	enum traffic_end_by end_by;
	struct mmsghdr *msgs;
	struct iovec *iov;
	char (*control)[CMSG_SPACE(sizeof(int))];
};

static uint64_t kernel_drops(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) ? 0 : info[SK_MEMINFO_DROPS];
}

static void next_event(struct receiver *v)
{
	uint64_t next = v->next_sample < v->next_ack ? v->next_sample : v->next_ack;

	if (v->last < next)
		next = v->last;
	v->event = v->started && !v->tail ? next : 0;
}

static void on_event(struct receiver *v, uint64_t seq, bool fresh)
{
	if (seq >= v->next_ack) {
		v->todo |= DO_ACK;
		if (v->ack <= seq)
			v->ack = seq + 1;
	}
	if (!fresh)
		return;
	if (!v->started)
		v->todo |= DO_FIRST;
	if (seq >= v->last)
		v->tail = true;
	if (v->tail || seq >= v->next_sample)
		v->todo |= DO_SAMPLE;
}

/* The time now, and what has arrived until now. @full: processor time as well, by more calls. */
static void take_sample(struct receiver *v, enum traffic_end_by why, bool full)
{
	if (full)
		mark_take(&v->sample);
	else
		v->sample.ns = clock_ns();
	v->sample_messages = seqtrack_received(&v->track);
	v->calls_sample = v->r->calls;
	v->next_sample = v->track.next + SAMPLE_EVERY;
	if (v->next_sample > v->near)
		v->next_sample = v->track.next > v->near ? v->track.next : v->near;
	v->end_by = why;
}

static void act(struct receiver *v)
{
	struct run *r = v->r;

	if (v->todo & (DO_FIRST | DO_SAMPLE))
		take_sample(v, v->tail ? TRAFFIC_END_LAST : TRAFFIC_END_SAMPLE,
			    v->tail || v->todo & DO_FIRST);
	if (v->todo & DO_FIRST) {
		v->start = v->sample;
		v->start_messages = v->sample_messages;
		v->calls_first = r->calls - 1;
		v->started = r->armed = true;
	}
	if (v->todo & DO_ACK) {
		struct msg_hdr hdr = { msg_id(MSG_ACK, r->stream), htole64(v->ack) };

		send(r->fd, &hdr, sizeof(hdr), 0);
		r->rx.acks++;
		v->next_ack = v->ack + r->spec.window / 2 - 1;
	}
	*r->progress = seqtrack_received(&v->track);
	v->todo = 0;
	next_event(v);
}

/* Everything that is not an intact data message of this stream. */
static void other_message(struct receiver *v, const unsigned char *buf, size_t len)
{
	struct run *r = v->r;
	struct msg_hdr hdr;

	if (len < sizeof(hdr)) {
		r->rx.foreign++;
		return;
	}
	memcpy(&hdr, buf, sizeof(hdr));
	if (hdr.id == msg_id(MSG_PROBE, r->stream)) {
		hdr.id = msg_id(MSG_PROBE_ACK, r->stream);
		send(r->fd, &hdr, sizeof(hdr), 0);
	} else if (hdr.id == msg_id(MSG_END, r->stream)) {
		/* Its arrival times the last message, if that is lost or was not known to be it;
		 * a repeated one comes too late for that, but is better than nothing. */
		if (v->end == UINT64_MAX && v->started && !v->tail &&
		    (le64toh(hdr.seq) <= MSG_END_COUNT || v->sample_messages == v->start_messages))
			take_sample(v, TRAFFIC_END_MARK, true);
		v->end = le64toh(hdr.seq) & MSG_END_COUNT;
		hdr.id = msg_id(MSG_END_ACK, r->stream);
		send(r->fd, &hdr, sizeof(hdr), 0);
	} else if (hdr.id == v->data_id) {
		r->rx.corrupted++;	/* its length is wrong */
	} else if (len == v->size && le64toh(hdr.id) >> 48 != MSG_MAGIC && r->spec.no_check) {
		r->rx.corrupted++;	/* ours, most likely: nothing checked it on the way */
	} else {
		r->rx.foreign++;
	}
}

static inline __attribute__((always_inline)) void
one_message(struct receiver *v, const unsigned char *buf, size_t len)
{
	const struct msg_hdr *hdr = (const struct msg_hdr *)buf;
	uint64_t seq;
	bool fresh;

	if (unlikely(len != v->size || hdr->id != v->data_id)) {
		other_message(v, buf, len);
		return;
	}
	seq = le64toh(hdr->seq);
	if (unlikely(v->verify) && msg_check(buf + MSG_HDR, len - MSG_HDR, MSG_HDR, v->r->stream,
					     seq) >= 0) {
		/* Its number may be what is wrong with it: it does not count as arrived. */
		v->r->rx.corrupted++;
		return;
	}
	fresh = seqtrack_add(&v->track, seq);
	if (unlikely(seq >= v->event))
		on_event(v, seq, fresh);
}

/* Note how many segments the kernel joined in a packet of counted messages. */
static void note_packet(struct receiver *v, const unsigned char *buf, size_t len, size_t segments)
{
	const struct msg_hdr *hdr = (const struct msg_hdr *)buf;
	struct traffic_rx *rx = &v->r->rx;

	if (len < sizeof(*hdr) || hdr->id != v->data_id || le64toh(hdr->seq) < v->track.base)
		return;
	rx->gro_packets += segments > 1;
	rx->gro_hist[segments < TRAFFIC_GRO_HIST ? segments : TRAFFIC_GRO_HIST - 1]++;
	if (len > rx->gro_size_max)
		rx->gro_size_max = len;
}

/* Go through what one system call returned in one buffer. */
static inline __attribute__((always_inline)) void
one_packet(struct receiver *v, const unsigned char *buf, size_t len, size_t segment)
{
	size_t at;

	if (!segment || segment > len)
		segment = len;
	if (v->gro)
		note_packet(v, buf, len, segment ? (len + segment - 1) / segment : 1);
	if (likely(segment == len)) {
		one_message(v, buf, len);
		return;
	}
	for (at = 0; at < len; at += segment)
		one_message(v, buf + at, len - at < segment ? len - at : segment);
}

static size_t segment_size(struct msghdr *msg)
{
	struct cmsghdr *c;
	int size;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO) {
			memcpy(&size, CMSG_DATA(c), sizeof(size));
			return size > 0 ? (size_t)size : 0;
		}
	}
	return 0;
}

static void reset_messages(struct receiver *v, int n)
{
	while (n--) {
		struct msghdr *m = &v->msgs[n].msg_hdr;

		m->msg_control = v->gro ? v->control[n] : NULL;
		m->msg_controllen = v->gro ? sizeof(v->control[n]) : 0;
	}
}

/* One blocking (or with MSG_DONTWAIT trying) system call and all it brought. Return: datagrams, or
 * -1 with errno. */
static int receive(struct receiver *v, int flags)
{
	const int fd = v->r->fd;
	int i, n = 1;

	if (likely(!v->msgs)) {
		ssize_t len = recv(fd, v->mem, v->buf_len, v->flags | flags);

		if (unlikely(len < 0))
			return -1;
		one_packet(v, v->mem, len, 0);
	} else if (v->batch == 1) {
		struct msghdr *msg = &v->msgs[0].msg_hdr;
		ssize_t len = recvmsg(fd, msg, v->flags | flags);

		if (unlikely(len < 0))
			return -1;
		one_packet(v, v->mem, len, segment_size(msg));
		reset_messages(v, 1);
	} else {
		n = recvmmsg(fd, v->msgs, v->batch, v->flags | flags | MSG_WAITFORONE, NULL);
		if (unlikely(n < 0))
			return -1;
		for (i = 0; i < n; i++)
			one_packet(v, v->mem + i * v->stride, v->msgs[i].msg_len,
				   v->gro ? segment_size(&v->msgs[i].msg_hdr) : 0);
		reset_messages(v, n);
	}
	v->r->calls++;
	if (unlikely(v->todo))
		act(v);
	return n;
}

/* The first datagram of this stream tells the sender's address; from then on only it is heard. */
static int await_sender(struct receiver *v)
{
	struct run *r = v->r;
	const struct msg_hdr *hdr = (const struct msg_hdr *)v->mem;

	while (r->limit) {
		socklen_t len = sizeof(r->peer);
		ssize_t n = recvfrom(r->fd, v->mem, v->buf_len, v->flags,
				     (struct sockaddr *)&r->peer, &len);

		if (n < 0 && errno != EINTR)
			return err_set(-errno, NULL, "%s cannot receive: %s", r->spec.to,
				       strerror(errno));
		if (n < (ssize_t)sizeof(*hdr) || hdr->id != msg_id(MSG_PROBE, r->stream))
			continue;
		r->peer_len = len;
		if (connect(r->fd, (struct sockaddr *)&r->peer, len))
			return err_set(-errno, "is there a route back to the sender?",
				       "%s cannot answer the sender: %s", r->spec.to,
				       strerror(errno));
		other_message(v, v->mem, n);
		break;
	}
	return 0;
}

/* The end is known: take what is still on its way. */
static void drain(struct receiver *v)
{
	struct timespec nap = { 0, 1000000 };
	uint64_t quiet = clock_ns(), now;

	for (;;) {
		if (receive(v, MSG_DONTWAIT) > 0) {
			quiet = clock_ns();
			continue;
		}
		if (v->track.next >= v->end && !v->track.missing)
			return;
		now = clock_ns();
		if (now - quiet > DRAIN_QUIET_MS * 1000000ull || v->r->why & WHY_STALL)
			return;
		nanosleep(&nap, NULL);
	}
}

static void report(struct receiver *v)
{
	struct run *r = v->r;
	struct traffic_rx *rx = &r->rx;
	uint64_t end = v->end == UINT64_MAX ? v->track.next : v->end;

	rx->messages = seqtrack_received(&v->track);
	rx->bytes = rx->messages * v->size;
	rx->warmup_messages = v->track.early;
	rx->lost = seqtrack_lost(&v->track, end);
	rx->reordered = v->track.reordered;
	rx->reorder_max = v->track.reorder_max;
	rx->duplicates = v->track.duplicates;
	rx->socket_drops = kernel_drops(r->fd) - v->drops_before;
	rx->end_by = v->end_by;
	if (!v->started)
		return;
	rx->elapsed_ns = v->sample.ns - v->start.ns;
	rx->timed_messages = v->sample_messages - v->start_messages;
	rx->timed_bytes = rx->timed_messages * v->size;
	rx->syscalls = v->calls_sample - v->calls_first;
	mark_cpu(&v->start, &v->sample, &rx->cpu);
}

static void receiver_free(struct receiver *v)
{
	seqtrack_free(&v->track);
	free(v->mem);
	free(v->msgs);
	free(v->iov);
	free(v->control);
}

static int receiver_init(struct receiver *v, struct run *r)
{
	const struct traffic_spec *s = &r->spec;
	uint32_t i;

	memset(v, 0, sizeof(*v));
	v->r = r;
	v->data_id = msg_id(MSG_DATA, r->stream);
	v->size = s->sizes[0];
	v->batch = s->rx_batch;
	v->gro = s->gro;
	v->verify = s->verify;
	v->flags = s->skip_rx_copy ? MSG_TRUNC : 0;
	/* One byte more than a message, so that a longer one shows. */
	v->buf_len = v->gro ? GRO_BUFFER : s->skip_rx_copy ? MSG_HDR : v->size + 1;
	v->stride = (v->buf_len + 63) & ~63ul;
	v->end = UINT64_MAX;
	v->last = s->count ? s->warmup + s->count - 1 : UINT64_MAX;
	v->near = UINT64_MAX;
	if (s->count)
		v->near = v->last > SAMPLE_TAIL ? v->last - SAMPLE_TAIL : 0;
	v->next_ack = s->window ? s->window / 2 - 1 : UINT64_MAX;
	v->mem = aligned_alloc(64, v->stride * v->batch);
	if (!v->mem || seqtrack_init(&v->track, s->warmup))
		goto no_memory;
	memset(v->mem, 0, v->stride * v->batch);
	if (v->batch == 1 && !v->gro)
		return 0;
	v->msgs = calloc(v->batch, sizeof(*v->msgs));
	v->iov = calloc(v->batch, sizeof(*v->iov));
	v->control = calloc(v->batch, sizeof(*v->control));
	if (!v->msgs || !v->iov || !v->control)
		goto no_memory;
	for (i = 0; i < v->batch; i++) {
		v->iov[i] = (struct iovec) { v->mem + i * v->stride, v->buf_len };
		v->msgs[i].msg_hdr.msg_iov = &v->iov[i];
		v->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	reset_messages(v, (int)v->batch);
	return 0;
no_memory:
	receiver_free(v);
	err_set(-ENOMEM, "lower --rx-batch", "no memory for datagrams");
	return -ENOMEM;
}

/*
 * The clock has started with the first counted message, but that may have waited long for this
 * process to be scheduled, and others behind it: on one CPU a sender first fills the buffer. So the
 * clock starts again when the queue has run empty, unless the stream is nearly over by then.
 */
static void settle(struct receiver *v)
{
	const struct traffic_spec *s = &v->r->spec;
	uint64_t messages;
	int n = 0;

	while (v->r->limit && v->end == UINT64_MAX && receive(v, MSG_DONTWAIT) > 0)
		if (++n == SETTLE_MAX)
			return;
	messages = seqtrack_received(&v->track);
	if (v->end != UINT64_MAX || v->tail || (s->count && messages > s->count / 2))
		return;
	take_sample(v, TRAFFIC_END_SAMPLE, true);
	v->start = v->sample;
	v->start_messages = messages;
	next_event(v);
}

/* Receive until the end marker, the word of the command, or a stall. Return: 0 to report. */
static int receive_all(struct receiver *v)
{
	struct run *r = v->r;
	bool settled = false;
	int ret;

	ret = await_sender(v);
	if (ret)
		return ret;
	v->drops_before = kernel_drops(r->fd);
	while (likely(r->limit) && likely(v->end == UINT64_MAX)) {
		if (unlikely(receive(v, 0) < 0) && errno != EINTR && errno != ECONNREFUSED)
			return err_set(-errno, NULL, "%s cannot receive: %s", r->spec.to,
				       strerror(errno));
		if (unlikely(v->started && !settled)) {
			settle(v);
			settled = true;
		}
	}
	if (r->why & WHY_STALL)
		return err_set(-ETIMEDOUT, "is the sending end alive and the link up?",
			       "%s has received nothing for %u ms", r->spec.to,
			       r->spec.timeout_ms);
	if (v->end == UINT64_MAX && !receiver_stopped(r, &v->end))
		return -ECANCELED;
	if (v->started && v->end_by == TRAFFIC_END_SAMPLE) {
		uint64_t ns = v->sample.ns;

		/* The processor time up to here: waiting for the end took none. */
		mark_take(&v->sample);
		v->sample.ns = ns;
	}
	v->last = v->end ? v->end - 1 : 0;
	v->tail = true;
	next_event(v);
	drain(v);
	return 0;
}

int receiver_udp(struct run *r)
{
	struct receiver v;
	int ret = receiver_init(&v, r);

	if (ret)
		return ret;
	*r->progress = 0;
	r->limit = 1;
	ret = watch_start(r, 0, r->spec.timeout_ms / WATCH_TICKS);
	if (!ret) {
		ret = receive_all(&v);
		watch_stop(r);
	}
	if (!ret)
		report(&v);
	receiver_free(&v);
	return ret;
}
