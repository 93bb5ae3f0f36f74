// SPDX-License-Identifier: GPL-2.0-or-later
/* Receives a TCP stream to its end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "traffic/engine.h"
#include "lib/err.h"
#include "traffic/msg.h"

#define RX_SIZE		(128u << 10)

struct stream {
	struct run *r;
	unsigned char *buf;
	struct msg_stream check;
	uint64_t warm, total;		/* bytes of the warm-up; bytes so far */
	uint64_t last;			/* bytes there will be, if known */
	uint64_t start_total, calls_first;
	struct mark start, end;
	bool started, ended;
};

/* More than the warm-up has arrived, or everything has. Return: the total of the next event. */
static uint64_t on_event(struct stream *s)
{
	struct run *r = s->r;

	if (!s->started) {
		mark_take(&s->start);
		s->start_total = s->total;
		s->calls_first = r->calls - 1;
		s->started = r->armed = true;
	}
	if (s->total < s->last)
		return s->last;
	mark_take(&s->end);
	s->ended = true;
	return UINT64_MAX;
}

/* The queue has run empty for the first time. */
static void restart_clock(struct stream *s)
{
	if (s->ended || (s->last != UINT64_MAX && s->total - s->warm > (s->last - s->warm) / 2))
		return;
	mark_take(&s->start);
	s->start_total = s->total;
}

static int receive_all(struct stream *s)
{
	struct run *r = s->r;
	const size_t len = r->spec.rx_size ? r->spec.rx_size : RX_SIZE;
	int flags = r->spec.skip_rx_copy ? MSG_TRUNC : 0;
	uint64_t event = s->warm + 1;

	while (likely(r->limit)) {
		ssize_t n = recv(r->fd, s->buf, len, flags);

		if (unlikely(n <= 0)) {
			if (!n)
				return 0;
			if (errno == EAGAIN && flags & MSG_DONTWAIT) {
				flags &= ~MSG_DONTWAIT;
				restart_clock(s);
				continue;
			}
			if (errno == EINTR)
				continue;
			return err_set(-errno, NULL, "%s cannot receive: %s", r->spec.to,
				       strerror(errno));
		}
		r->calls++;
		if (r->spec.verify)
			msg_stream_check(&s->check, s->buf, n);
		s->total += n;
		*r->progress = s->total;
		if (unlikely(s->total >= event)) {
			/* See settle() in recv_udp.c: find out when the queue has run empty. */
			if (!s->started)
				flags |= MSG_DONTWAIT;
			event = on_event(s);
		}
	}
	if (r->why & WHY_STALL)
		return err_set(-ETIMEDOUT, "is the sending end alive and the link up?",
			       "%s has received nothing for %u ms", r->spec.to,
			       r->spec.timeout_ms);
	return -ECANCELED;
}

static void report(struct stream *s)
{
	struct traffic_rx *rx = &s->r->rx;
	uint32_t size = s->r->spec.sizes[0];

	rx->end_by = s->ended ? TRAFFIC_END_LAST : TRAFFIC_END_MARK;
	if (!s->ended)
		mark_take(&s->end);
	rx->bytes = s->total > s->warm ? s->total - s->warm : 0;
	rx->messages = rx->bytes / size;
	rx->warmup_messages = (s->total < s->warm ? s->total : s->warm) / size;
	rx->corrupted = s->check.corrupted + (s->check.bad ? 1 : 0);
	rx->rcvbuf = sock_option_u64(s->r->fd, SOL_SOCKET, SO_RCVBUF);
	if (!s->started)
		return;
	rx->elapsed_ns = s->end.ns - s->start.ns;
	rx->timed_bytes = s->total - s->start_total;
	rx->timed_messages = rx->timed_bytes / size;
	rx->syscalls = s->r->calls - s->calls_first;
	mark_cpu(&s->start, &s->end, &rx->cpu);
}

int receiver_tcp(struct run *r)
{
	const struct traffic_spec *spec = &r->spec;
	struct stream s = { .r = r, .warm = spec->warmup * spec->sizes[0], .last = UINT64_MAX };
	int ret;

	s.check.stream = r->stream;
	s.check.size = spec->sizes[0];
	if (spec->count)
		s.last = s.warm + spec->count * spec->sizes[0];
	s.buf = aligned_alloc(4096, ((spec->rx_size ? spec->rx_size : RX_SIZE) + 4095) & ~4095ul);
	if (!s.buf)
		return err_set(-ENOMEM, "lower --rx-size", "no memory to receive into");
	*r->progress = 0;
	r->limit = 1;
	ret = watch_start(r, 0, spec->timeout_ms / WATCH_TICKS);
	if (!ret) {
		ret = sock_accept(r);
		if (!ret)
			ret = receive_all(&s);
		watch_stop(r);
	}
	if (!ret)
		report(&s);
	free(s.buf);
	return ret == -EINTR ? -ECANCELED : ret;
}
