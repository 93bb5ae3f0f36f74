// SPDX-License-Identifier: GPL-2.0-or-later
/* Round trips, one at a time: the pinging end with its clock, and the end that echoes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "traffic/engine.h"
#include "lib/err.h"
#include "traffic/latency.h"
#include "traffic/msg.h"

/* A ping's seq holds its size (upper half, so that a TCP echo knows where it ends), the warm-up
 * bit, and its number. */
#define PING_WARM	0x80000000u

/* A UDP answer is given up after one to two of these. */
#define PING_TICK_MS	500

/* Receive exactly @size bytes (TCP) or a datagram. Return: bytes, 0: at the end, -1 with errno. */
static ssize_t take(struct run *r, unsigned char *buf, size_t size, size_t have)
{
	ssize_t n;

	r->rx.syscalls++;
	if (r->spec.proto == TRAFFIC_UDP)
		return recv(r->fd, buf, size, 0);
	while (have < size) {
		n = recv(r->fd, buf + have, size - have, 0);
		if (n <= 0 && !(n < 0 && errno == EINTR && r->limit))
			return n;
		have += n > 0 ? n : 0;
	}
	return (ssize_t)size;
}

/* Write all of a message; a signal may cut a TCP send short. */
static int give(struct run *r, const unsigned char *buf, size_t size)
{
	size_t done = 0;

	r->tx.syscalls++;
	while (done < size) {
		ssize_t n = send(r->fd, buf + done, size - done, 0);

		if (n > 0)
			done += n;
		else if (errno != EINTR || !r->limit)
			return -1;
	}
	return 0;
}

/* One round trip. Return: ns; 0: lost; -1: ended or failed, as r->failed and r->why say. */
static int64_t round_trip(struct run *r, unsigned char *buf, size_t size, uint64_t seq,
			  uint64_t *corrupted)
{
	const uint64_t pong = msg_id(MSG_PONG, r->stream);
	struct msg_hdr hdr = { msg_id(MSG_PING, r->stream), htole64(seq) };
	uint64_t start, ns;
	int tick = r->ticks;

	if (r->spec.verify)
		msg_fill(buf, size, r->stream, seq);
	memcpy(buf, &hdr, sizeof(hdr));
	start = clock_ns();
	if (give(r, buf, size))
		return !r->limit ? -1 : sender_trouble(r, errno) < 0 ? -1 : 0;
	for (;;) {
		ssize_t n = take(r, buf, size, 0);

		ns = clock_ns() - start;
		if (n == (ssize_t)size) {
			memcpy(&hdr, buf, sizeof(hdr));
			if (hdr.id == pong && hdr.seq == htole64(seq))
				break;
			/* A late answer to a ping given up. */
		} else if (n == 0 && r->spec.proto == TRAFFIC_TCP) {
			r->failed = err_set(-ECONNRESET, NULL, "%s closed the connection",
					    r->spec.to);
			return -1;
		} else if (n < 0 && errno != EINTR) {
			return sender_trouble(r, errno) < 0 ? -1 : 0;
		} else if (n < 0) {
			if (!r->limit)
				return -1;
			if (r->spec.proto == TRAFFIC_UDP && r->ticks - tick >= 2)
				return 0;
		}
	}
	if (r->spec.verify &&
	    msg_check(buf + MSG_HDR, size - MSG_HDR, MSG_HDR, r->stream, seq) >= 0)
		++*corrupted;
	return ns ? (int64_t)ns : 1;
}

static int ping_ended(struct run *r)
{
	if (r->failed)
		return r->failed;
	if (r->why & WHY_CONTROL)
		return -ECANCELED;
	if (r->why & WHY_STALL)
		return err_set(-ETIMEDOUT, "is the other end alive and the link up?",
			       "%s has not answered for %u ms", r->spec.to, r->spec.timeout_ms);
	return 0;
}

/* @count round trips of one size. @samples may be NULL. */
static int ping_size(struct run *r, uint32_t size, uint64_t count, uint64_t duration_ns,
		     uint32_t flag, uint64_t *samples, struct traffic_rtt *rtt)
{
	unsigned char *buf = calloc(1, size);
	uint64_t i, got = 0, start;
	int ret;

	if (!buf)
		return err_set(-ENOMEM, NULL, "no memory for a message");
	memset(rtt, 0, sizeof(*rtt));
	rtt->size = size;
	r->limit = count;
	ret = watch_start(r, duration_ns, PING_TICK_MS);
	if (ret) {
		free(buf);
		return ret;
	}
	start = clock_ns();
	for (i = 0; i < r->limit; i++) {
		int64_t ns = round_trip(r, buf, size, (uint64_t)size << 32 | flag | i,
					&rtt->corrupted);

		if (ns < 0)
			break;
		if (!ns) {
			rtt->lost++;
			continue;
		}
		if (samples)
			samples[got] = (uint64_t)ns;
		got++;
		++*r->progress;
	}
	rtt->sent = i;
	rtt->elapsed_ns = clock_ns() - start;
	watch_stop(r);
	free(buf);
	if (samples)
		latency_summary(rtt, samples, got);
	return ping_ended(r);
}

int pinger_warm(struct run *r)
{
	struct traffic_rtt scratch;
	uint32_t i;
	int ret = 0;

	*r->progress = 0;
	for (i = 0; i < r->spec.nsizes && !ret; i++) {
		if (r->spec.proto == TRAFFIC_UDP &&
		    ((!i && path_probe(r, MSG_HDR, r->spec.timeout_ms)) ||
		     path_probe(r, r->spec.sizes[i], r->spec.timeout_ms)))
			return r->failed;
		if (r->spec.warmup)
			ret = ping_size(r, r->spec.sizes[i], r->spec.warmup, 0, PING_WARM, NULL,
					&scratch);
	}
	return ret;
}

int pinger_run(struct run *r)
{
	uint64_t most = r->spec.count ? r->spec.count : TRAFFIC_PINGS_MAX;
	uint64_t *samples = malloc(most * sizeof(*samples));
	struct mark a, b;
	uint32_t i;
	int ret = 0;

	if (!samples)
		return err_set(-ENOMEM, "lower --count", "no memory for the samples");
	*r->progress = 0;
	r->tx.syscalls = r->rx.syscalls = 0;
	mark_take(&a);
	for (i = 0; i < r->spec.nsizes && !ret; i++)
		ret = ping_size(r, r->spec.sizes[i], most, r->spec.duration_ns, 0, samples,
				&r->rtt[i]);
	mark_take(&b);
	free(samples);
	if (ret)
		return ret;
	mark_cpu(&a, &b, &r->tx.cpu);
	r->tx.elapsed_ns = b.ns - a.ns;
	r->tx.sends = r->tx.syscalls;
	r->tx.syscalls += r->rx.syscalls;
	for (i = 0; i < r->spec.nsizes; i++) {
		r->tx.messages += r->rtt[i].sent;
		r->tx.bytes += r->rtt[i].sent * r->rtt[i].size;
	}
	if (r->spec.proto == TRAFFIC_UDP)
		path_end(r, r->tx.messages);
	else
		shutdown(r->fd, SHUT_WR);
	return 0;
}

struct echo {
	struct run *r;
	unsigned char *buf;
	size_t size;		/* of buf */
	struct mark first, last;
	bool started;
};

/* Answer one message that has arrived whole. Return: 1 to go on, 0 at the end, negative errno. */
static int answer(struct echo *e, size_t len)
{
	struct run *r = e->r;
	struct msg_hdr hdr;
	int more = 1;

	memcpy(&hdr, e->buf, sizeof(hdr));
	if (hdr.id == msg_id(MSG_PING, r->stream)) {
		hdr.id = msg_id(MSG_PONG, r->stream);
		if (unlikely(!e->started && !(le64toh(hdr.seq) & PING_WARM))) {
			mark_take(&e->first);
			e->started = r->armed = true;
			r->tx.syscalls = r->rx.syscalls = 0;
			r->rx.messages = r->rx.bytes = 0;
		}
		r->rx.messages++;
		r->rx.bytes += len;
	} else if (hdr.id == msg_id(MSG_PROBE, r->stream)) {
		hdr.id = msg_id(MSG_PROBE_ACK, r->stream);
	} else if (hdr.id == msg_id(MSG_END, r->stream)) {
		hdr.id = msg_id(MSG_END_ACK, r->stream);
		more = 0;
	} else {
		r->rx.foreign++;
		return 1;
	}
	memcpy(e->buf, &hdr, sizeof(hdr));
	r->calls++;
	*r->progress = r->rx.messages;
	return give(r, e->buf, len) && r->limit ? sender_trouble(r, errno) : more;
}

/* Return: bytes of a whole message, 0 at the end of the stream, -1 with errno. */
static ssize_t next_message(struct echo *e)
{
	struct run *r = e->r;
	uint64_t seq;
	ssize_t n;

	if (r->spec.proto == TRAFFIC_UDP)
		return take(r, e->buf, e->size, 0);
	/* One message is on its way at a time: this mostly brings all of it. */
	for (n = 0; n < (ssize_t)MSG_HDR;) {
		ssize_t more = recv(r->fd, e->buf + n, e->size - n, 0);

		if (more <= 0)
			return more;
		n += more;
	}
	memcpy(&seq, e->buf + offsetof(struct msg_hdr, seq), sizeof(seq));
	seq = le64toh(seq) >> 32;
	if (seq < MSG_HDR || seq > e->size) {
		errno = EPROTO;
		return -1;
	}
	return take(r, e->buf, seq, n);
}

static int echo_loop(struct echo *e)
{
	struct run *r = e->r;
	int ret;

	while (r->limit) {
		ssize_t n = next_message(e);

		if (!n && r->spec.proto == TRAFFIC_TCP)
			return 0;
		if (n < 0 && errno != EINTR && errno != ECONNREFUSED)
			return err_set(-errno, NULL, "%s cannot receive: %s", r->spec.to,
				       strerror(errno));
		if (n < (ssize_t)MSG_HDR)
			continue;
		ret = answer(e, n);
		if (ret <= 0)
			return ret;
	}
	if (r->why & WHY_STALL)
		return err_set(-ETIMEDOUT, "is the pinging end alive and the link up?",
			       "%s has heard nothing for %u ms", r->spec.to, r->spec.timeout_ms);
	return receiver_stopped(r, &(uint64_t) { 0 }) ? 0 : -ECANCELED;
}

/* Until the first probe comes from somewhere, there is nobody to answer. */
static int await_pinger(struct echo *e)
{
	struct run *r = e->r;

	while (r->limit) {
		struct msg_hdr *hdr = (struct msg_hdr *)e->buf;
		ssize_t n;
		int ret;

		r->peer_len = sizeof(r->peer);
		n = recvfrom(r->fd, e->buf, e->size, 0, (struct sockaddr *)&r->peer, &r->peer_len);
		if (n < 0 && errno != EINTR)
			return err_set(-errno, NULL, "%s cannot receive: %s", r->spec.to,
				       strerror(errno));
		if (n < (ssize_t)MSG_HDR || hdr->id != msg_id(MSG_PROBE, r->stream))
			continue;
		if (connect(r->fd, (struct sockaddr *)&r->peer, r->peer_len))
			return err_set(-errno, "is there a route back?",
				       "%s cannot answer: %s", r->spec.to, strerror(errno));
		ret = answer(e, n);
		return ret < 0 ? ret : 0;
	}
	return 0;
}

int echo_run(struct run *r)
{
	struct echo e = { .r = r };
	uint32_t i;
	int ret;

	for (i = 0; i < r->spec.nsizes; i++)
		if (r->spec.sizes[i] > e.size)
			e.size = r->spec.sizes[i];
	e.buf = aligned_alloc(64, (e.size + 63) & ~63ul);
	if (!e.buf)
		return err_set(-ENOMEM, NULL, "no memory for a message");
	*r->progress = 0;
	r->limit = 1;
	ret = watch_start(r, 0, r->spec.timeout_ms / WATCH_TICKS);
	if (!ret) {
		ret = r->spec.proto == TRAFFIC_UDP ? await_pinger(&e) : sock_accept(r);
		if (!ret)
			ret = echo_loop(&e);
		watch_stop(r);
	}
	mark_take(&e.last);
	if (!ret && e.started) {
		mark_cpu(&e.first, &e.last, &r->rx.cpu);
		r->rx.elapsed_ns = e.last.ns - e.first.ns;
		r->rx.syscalls += r->tx.syscalls;
	}
	free(e.buf);
	return ret == -EINTR ? -ECANCELED : ret;
}
