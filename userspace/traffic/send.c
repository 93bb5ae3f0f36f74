// SPDX-License-Identifier: GPL-2.0-or-later
/* The sending loops: one as tight as a system call allows, one for everything else. */
#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "traffic/engine.h"
#include "lib/err.h"
#include "traffic/msg.h"
#include "traffic/zerocopy.h"

int sender_trouble(struct run *r, int error)
{
	const char *cure = "";
	char addr[TRAFFIC_ADDR_MAX];

	switch (error) {
	case EINTR:
		return 0;
	case ENOBUFS:
		/* A full queue discipline or driver queue; the datagram is gone. */
		return 1;
	case ECONNREFUSED:
		cure = "the receiver has closed its port";
		break;
	case EMSGSIZE:
		cure = "lower --size";
		break;
	case EINVAL:
		if (r->spec.mode & TRAFFIC_GSO)
			cure = "lower --size below the MTU, or --segments";
		break;
	case EIO:
		if (r->spec.mode & TRAFFIC_GSO)
			cure = "this kernel needs the device's checksum offload for UDP_SEGMENT: "
			       "ethtool -K DEV tx on";
		break;
	case EPERM:
		cure = "a firewall rule of this host forbids it";
		break;
	case ENETUNREACH:
	case EHOSTUNREACH:
		cure = "is the link up, and does the address answer (ip neigh)?";
		break;
	}
	addr_text(&r->peer, addr, sizeof(addr));
	r->failed = err_set(-error, cure, "%s cannot send to %s: %s",
			    r->sender ? r->spec.from : r->spec.to, addr,
			    strerror(error));
	return r->failed;
}

/* A TCP send that a signal cut short: a message is always sent to its end. */
static int finish_message(struct run *r, const char *msg, size_t size, size_t done)
{
	while (done < size) {
		ssize_t n = send(r->fd, msg + done, size - done, 0);

		r->tx.partial++;
		if (n > 0) {
			done += n;
			continue;
		}
		if (sender_trouble(r, errno) < 0)
			return r->failed;
		if (r->why & (WHY_CONTROL | WHY_STALL))
			return -EINTR;
	}
	return 0;
}

/* Plain mode: per message, one number into the header, one system call, one counter. */
static int send_plain(struct run *r)
{
	const struct sockaddr *to = r->spec.unconnected ? (struct sockaddr *)&r->peer : NULL;
	const socklen_t to_len = to ? r->peer_len : 0;
	const size_t size = r->spec.sizes[0];
	struct msg_hdr *hdr = aligned_alloc(4096, (size + 4095) & ~4095ul);
	volatile uint64_t *progress = r->progress;
	uint64_t seq = r->seq, failed = 0;
	const int fd = r->fd;
	int ret = 0;

	if (!hdr)
		return err_set(-ENOMEM, NULL, "no memory for a message");
	msg_fill(hdr, size, r->stream, 0);
	hdr->id = msg_id(MSG_DATA, r->stream);
	while (likely(seq < r->limit)) {
		ssize_t n;

		hdr->seq = htole64(seq);
		n = sendto(fd, hdr, size, 0, to, to_len);
		if (unlikely(n != (ssize_t)size)) {
			failed += n <= 0;
			ret = n > 0 ? finish_message(r, (char *)hdr, size, n)
				    : sender_trouble(r, errno);
			if (ret < 0)
				break;
			if (n <= 0 && !ret)
				continue;
			r->tx.local_drops += ret;
			ret = 0;
		}
		*progress = ++seq;
	}
	r->tx.messages = seq - r->seq - r->tx.local_drops;
	r->tx.sends = seq - r->seq - r->tx.local_drops + failed + r->tx.partial;
	r->tx.syscalls = r->tx.sends;
	r->seq = seq;
	free(hdr);
	return ret == -EINTR ? 0 : ret;
}

/* What the general loop needs besides the run. */
struct sender {
	struct run *r;
	struct zc_ring zc;	/* lives as long as the socket, whose sends it numbers */
	bool zerocopy;
	unsigned char *mem;	/* buffers without zero-copy */
	size_t stride;
	struct mmsghdr *msgs;
	struct iovec *iov;
	uint32_t batch, segments, size;
	int flags;
	uint64_t acked;		/* window: the receiver has seen everything below */
	int acked_tick;		/* r->ticks when that last changed */
	uint64_t due;		/* pacing: when the next send may start, ns */
	uint64_t interval;	/* pacing: ns a message takes at the rate, in 1/1024 */
};

void sender_free(struct run *r)
{
	struct sender *s = r->batches;

	if (!s)
		return;
	zc_free(&s->zc);
	free(s->mem);
	free(s->msgs);
	free(s->iov);
	free(s);
	r->batches = NULL;
}

static int sender_alloc(struct run *r)
{
	const struct traffic_spec *spec = &r->spec;
	struct sender *s = r->batches = calloc(1, sizeof(*s));
	uint32_t i, unit;

	if (!s)
		goto no_memory;
	s->r = r;
	s->size = spec->sizes[0];
	s->segments = spec->mode & TRAFFIC_GSO ? spec->segments : 1;
	s->batch = spec->batch;
	unit = s->size * s->segments;
	s->zerocopy = spec->mode & TRAFFIC_ZEROCOPY;
	s->flags = s->zerocopy ? MSG_ZEROCOPY : 0;
	if (spec->rate_bps && spec->proto == TRAFFIC_UDP)
		s->interval = (uint64_t)((double)s->size * 8e9 * 1024 / (double)spec->rate_bps);
	s->stride = (unit + 4095) & ~4095ul;
	s->msgs = calloc(s->batch, sizeof(*s->msgs));
	s->iov = calloc(s->batch, sizeof(*s->iov));
	if (!s->msgs || !s->iov)
		goto no_memory;
	for (i = 0; i < s->batch; i++) {
		s->msgs[i].msg_hdr.msg_iov = &s->iov[i];
		s->msgs[i].msg_hdr.msg_iovlen = 1;
		if (spec->unconnected) {
			s->msgs[i].msg_hdr.msg_name = &r->peer;
			s->msgs[i].msg_hdr.msg_namelen = r->peer_len;
		}
	}
	if (s->zerocopy)
		return zc_init(&s->zc, r, unit);
	s->mem = aligned_alloc(4096, s->stride * s->batch);
	if (!s->mem)
		goto no_memory;
	memset(s->mem, 0, s->stride * s->batch);
	return 0;
no_memory:
	return err_set(-ENOMEM, "lower --batch or --size", "no memory for messages");
}

/* Lay out up to a batch of sends for messages [seq, end). Return: messages laid out. */
static uint64_t gather(struct sender *s, uint64_t seq, uint64_t end, uint32_t *count)
{
	const uint64_t id = msg_id(MSG_DATA, s->r->stream), first = seq;
	uint32_t n;

	for (n = 0; n < s->batch && seq < end; n++) {
		uint32_t i, segs = end - seq < s->segments ? (uint32_t)(end - seq) : s->segments;
		unsigned char *buf = s->zerocopy ? zc_buffer(&s->zc, n) : s->mem + n * s->stride;

		if (!buf)
			break;
		s->iov[n] = (struct iovec) { buf, (size_t)segs * s->size };
		for (i = 0; i < segs; i++, buf += s->size, seq++) {
			struct msg_hdr hdr = { id, htole64(seq) };

			memcpy(buf, &hdr, sizeof(hdr));
			if (s->r->spec.verify)
				msg_fill(buf, s->size, s->r->stream, seq);
		}
	}
	*count = n;
	return seq - first;
}

/* Hand over what gather() laid out. Return: sends the kernel took, or -1 with errno. */
static int hand_over(struct sender *s, uint32_t count)
{
	struct run *r = s->r;
	const struct sockaddr *to = r->spec.unconnected ? (struct sockaddr *)&r->peer : NULL;
	size_t done = 0, len = s->iov[0].iov_len;

	if (s->batch > 1) {
		r->tx.syscalls++;
		r->tx.sends++;
		return sendmmsg(r->fd, s->msgs, count, s->flags);
	}
	while (done < len) {
		ssize_t n;

		r->tx.syscalls++;
		r->tx.sends++;
		n = sendto(r->fd, (char *)s->iov[0].iov_base + done, len - done, s->flags, to,
			   to ? r->peer_len : 0);
		if (n > 0) {
			done += n;
			if (s->zerocopy)
				zc_sent(&s->zc, r, (uint32_t)n, done == len);
			r->tx.partial += done < len;
		} else if (!done) {
			return -1;
		} else if (errno == ENOBUFS && s->zerocopy) {
			/* In the middle of a TCP message: it has to be finished. */
			if (zc_full(&s->zc, r))
				return -1;
		} else if (sender_trouble(r, errno) || r->why & (WHY_CONTROL | WHY_STALL)) {
			return -1;
		}
	}
	return 1;
}

/* Window closed: sleep until the receiver acknowledges. Return: 0 or an error described. */
static int await_window(struct sender *s, uint64_t seq)
{
	struct run *r = s->r;
	struct msg_hdr hdr;
	ssize_t n;

	r->tx.syscalls++;
	n = recv(r->fd, &hdr, sizeof(hdr), 0);
	if (n == sizeof(hdr) && hdr.id == msg_id(MSG_ACK, r->stream)) {
		if (le64toh(hdr.seq) > s->acked && le64toh(hdr.seq) <= seq) {
			s->acked = le64toh(hdr.seq);
			s->acked_tick = r->ticks;
		}
	} else if (n < 0 && errno != EINTR) {
		return sender_trouble(r, errno) < 0 ? r->failed : 0;
	} else if (n < 0 && r->ticks - s->acked_tick >= 2) {
		/* A whole window or its acknowledgement is lost: start over. */
		r->tx.window_stalls++;
		s->acked = seq;
		s->acked_tick = r->ticks;
	}
	return 0;
}

/* Sleep until @messages more may go out. Absolute times: a late wake-up is made good. */
static void pace(struct sender *s, uint64_t messages)
{
	uint64_t step = s->interval * messages / 1024, now = clock_ns();

	if (!s->due)
		s->due = now;
	if (now < s->due) {
		struct timespec t = { (time_t)(s->due / 1000000000u),
				      (long)(s->due % 1000000000u) };

		s->r->tx.syscalls++;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	} else if (now - s->due > s->r->tx.late_max_ns) {
		s->r->tx.late_max_ns = now - s->due;
	}
	s->due += step;
}

/* What to do about a call that failed as a whole. Return: 0 to go on, or an error described. */
static int send_failed(struct sender *s, int error, uint64_t *seq)
{
	struct run *r = s->r;
	uint64_t messages = s->iov[0].iov_len / s->size;
	int ret;

	if (r->failed)
		return r->failed;
	if (s->zerocopy && error == ENOBUFS)
		return zc_full(&s->zc, r);
	ret = sender_trouble(r, error);
	if (ret <= 0)
		return ret;
	r->tx.local_drops += messages;
	*seq += messages;
	return 0;
}

static int send_general(struct run *r)
{
	struct sender *s = r->batches;
	uint64_t seq = r->seq, end;
	uint32_t count;
	int i, n, ret = 0;

	s->acked = seq;
	s->acked_tick = 0;
	s->due = 0;
	if (s->interval)
		prctl(PR_SET_TIMERSLACK, 1);
	while (seq < (end = r->limit)) {
		uint64_t messages;

		if (r->spec.window && end > s->acked + r->spec.window)
			end = s->acked + r->spec.window;
		messages = gather(s, seq, end, &count);
		if (!messages) {
			ret = seq < end ? zc_reap(&s->zc, r, true) : await_window(s, seq);
			if (ret)
				break;
			continue;
		}
		if (s->interval)
			pace(s, messages);
		n = hand_over(s, count);
		if (n <= 0) {
			ret = send_failed(s, errno, &seq);
			if (ret || (r->why & (WHY_CONTROL | WHY_STALL)))
				break;
			continue;
		}
		for (i = 0; i < n; i++) {
			seq += s->iov[i].iov_len / s->size;
			if (s->zerocopy && s->batch > 1)
				zc_sent(&s->zc, r, (uint32_t)s->iov[i].iov_len, true);
		}
		*r->progress = seq;
	}
	r->tx.elapsed_ns = clock_ns();
	r->tx.messages = seq - r->seq - r->tx.local_drops;
	r->seq = seq;
	if (s->zerocopy && !ret)
		ret = zc_drain(&s->zc, r);
	return ret;
}

/* Run one phase: messages [r->seq, end), or until the time is over. */
static int send_phase(struct run *r, uint64_t end, uint64_t duration_ns)
{
	const struct traffic_spec *s = &r->spec;
	bool plain = !s->mode && !s->verify && !s->window &&
		     !(s->rate_bps && s->proto == TRAFFIC_UDP);
	uint64_t sndbuf = r->tx.sndbuf;
	/* With a window, a tick means that an acknowledgement is overdue. */
	uint32_t period = s->window ? 200 : s->timeout_ms / WATCH_TICKS;
	struct mark a, b;
	int ret;

	memset(&r->tx, 0, sizeof(r->tx));
	r->tx.sndbuf = sndbuf;
	r->tx.segments = s->mode & TRAFFIC_GSO ? s->segments : 1;
	r->tx.batch = s->batch;
	r->limit = end;
	if (!plain && !r->batches) {
		ret = sender_alloc(r);
		if (ret)
			return ret;
	}
	ret = watch_start(r, duration_ns, period);
	if (ret)
		return ret;
	mark_take(&a);
	ret = plain ? send_plain(r) : send_general(r);
	mark_take(&b);
	watch_stop(r);
	/* With zero-copy, processor time includes the completions; elapsed time does not. */
	r->tx.elapsed_ns = (r->tx.elapsed_ns ? r->tx.elapsed_ns : b.ns) - a.ns;
	mark_cpu(&a, &b, &r->tx.cpu);
	r->tx.bytes = r->tx.messages * s->sizes[0];
	if (ret < 0)
		return ret;
	if (r->why & WHY_CONTROL)
		return -ECANCELED;
	if (r->why & WHY_STALL)
		return err_set(-ETIMEDOUT, "is the receiving end alive and the link up?",
			       "%s could send nothing for %u ms (%" PRIu64 " messages sent)",
			       s->from, s->timeout_ms, r->tx.messages);
	return 0;
}

/* Everything written has reached the receiver's kernel. */
static int tcp_settle(struct run *r)
{
	uint64_t end = clock_ns() + r->spec.timeout_ms * 1000000ull;
	struct timespec nap = { 0, 1000000 };
	int queued = 0;

	while (!ioctl(r->fd, SIOCOUTQ, &queued) && queued) {
		if (clock_ns() > end)
			return err_set(-ETIMEDOUT, "is the receiving end alive and the "
				       "link up?", "the warm-up is not acknowledged after %u ms",
				       r->spec.timeout_ms);
		nanosleep(&nap, NULL);
	}
	return 0;
}

int sender_warm(struct run *r)
{
	const struct traffic_spec *s = &r->spec;
	int ret;

	if (s->proto == TRAFFIC_UDP && (path_probe(r, MSG_HDR, s->timeout_ms) ||
					path_probe(r, s->sizes[0], s->timeout_ms)))
		return r->failed;
	if (!s->warmup)
		return 0;
	ret = send_phase(r, s->warmup, 0);
	if (ret)
		return ret;
	/* The answer to a probe comes when all before it is received. */
	return s->proto == TRAFFIC_UDP ? path_probe(r, MSG_HDR, s->timeout_ms) : tcp_settle(r);
}

int sender_run(struct run *r)
{
	uint64_t end = r->spec.count ? r->spec.warmup + r->spec.count : UINT64_MAX;
	int ret = send_phase(r, end, r->spec.duration_ns);

	if (ret)
		return ret;
	if (r->spec.proto == TRAFFIC_UDP)
		path_end(r, r->seq);
	else
		shutdown(r->fd, SHUT_WR);
	return 0;
}
