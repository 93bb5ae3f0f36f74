// SPDX-License-Identifier: GPL-2.0-or-later
/* Conducts a run: starts both ends, lets them go, and puts together what both have seen. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/stop.h"
#include "traffic/agent.h"
#include "traffic/clock.h"
#include "traffic/engine.h"
#include "traffic/wire.h"

#define ANSWER_MS	3000	/* beyond the time-out, for what an end does at once */
#define PROGRESS_FIRST_MS 1000
#define PROGRESS_MS	200

struct conductor {
	struct traffic_spec spec;
	struct peer to, from;
	int epfd;		/* readable when an end has something to say */
	uint64_t started_ns;	/* of the counted part; 0: not yet */
};

/* Text of another host for a terminal: without control characters, which could command it. */
static const char *plain(struct json_object *from, const char *key, char *buf, size_t size)
{
	struct json_object *v;
	char *c;

	if (!json_object_object_get_ex(from, key, &v) || !v)
		return NULL;
	snprintf(buf, size, "%s", json_object_get_string(v));
	for (c = buf; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return buf;
}

/* What an end says, or its failure. Return: 1 with *msg, 0 nothing yet, negative errno. */
static int listen_to(struct conductor *c, struct peer *p, struct json_object **msg)
{
	struct json_object *e, *code, *text;
	char words[512], cure[256];
	int ret = chan_recv(&p->chan, 0, msg);

	if (ret == -ETIMEDOUT || ret == -EINTR)
		return 0;
	if (!ret)
		return peer_died(p, &c->spec);
	if (ret < 0)
		return err_set(ret, "is that nettoll?", "%s does not speak our protocol: %s",
			       p->name, strerror(-ret));
	if (!json_object_object_get_ex(*msg, "error", &e))
		return 1;
	ret = -EPROTO;
	if (json_object_object_get_ex(e, "code", &code) && json_object_get_int(code) < 0)
		ret = json_object_get_int(code);
	if (!json_object_object_get_ex(e, "text", &text) || !text)
		err_set(-EPROTO, "install the same nettoll on both hosts", "%s failed without saying why",
			p->name);
	else
		err_set(ret, plain(e, "cure", cure, sizeof(cure)), "%s",
			plain(e, "text", words, sizeof(words)));
	json_object_put(*msg);
	*msg = NULL;
	return ret;
}

static void show_progress(struct conductor *c)
{
	const struct traffic_spec *s = &c->spec;
	uint64_t done, total, elapsed = clock_ns() - c->started_ns;

	if (s->duration_ns) {
		total = s->duration_ns * s->nsizes;
		done = elapsed < total ? elapsed : total;
	} else if (c->from.progress) {
		total = s->count * s->nsizes;
		done = *c->from.progress;
		if (s->kind == TRAFFIC_STREAM)
			done = done > s->warmup ? done - s->warmup : 0;
	} else if (c->to.progress) {
		total = s->count * s->nsizes;
		done = *c->to.progress;
		if (s->kind == TRAFFIC_STREAM && s->proto == TRAFFIC_TCP) {
			done /= s->sizes[0];
			done = done > s->warmup ? done - s->warmup : 0;
		}
	} else {
		total = done = 0;
	}
	s->progress(s->ctx, done, total, elapsed);
}

/* Until when to sleep. Without anybody to show progress to: until something happens. */
static uint64_t wake_ns(const struct conductor *c, uint64_t deadline)
{
	uint64_t now = clock_ns(), first = c->started_ns + PROGRESS_FIRST_MS * 1000000ull;

	if (!c->spec.progress || !c->started_ns)
		return deadline;
	if (now >= first)
		first = now + PROGRESS_MS * 1000000ull;
	return first < deadline ? first : deadline;
}

static void watch(struct conductor *c, struct peer *p, int op)
{
	struct epoll_event ev = { .events = EPOLLIN };

	epoll_ctl(c->epfd, op, p->chan.in, &ev);
}

/*
 * Wait for the answer of @wanted, and put it into *msg. The other end may answer first: its message
 * is kept for later, its failure is ours.
 */
static int await(struct conductor *c, struct peer *wanted, int wait_ms, struct json_object **msg)
{
	struct peer *both[2] = { &c->to, &c->from };
	uint64_t deadline = wait_ms < 0 ? UINT64_MAX : clock_ns() + (uint64_t)wait_ms * 1000000;
	int i, n;

	for (;;) {
		for (i = 0; i < 2; i++) {
			if (both[i]->chan.in < 0 || both[i]->answer)
				continue;
			n = listen_to(c, both[i], &both[i]->answer);
			if (n < 0)
				return n;
			/* An end that has said its word may end; only look at it when asked for. */
			if (n)
				watch(c, both[i], EPOLL_CTL_DEL);
		}
		if (wanted->answer) {
			*msg = wanted->answer;
			wanted->answer = NULL;
			watch(c, wanted, EPOLL_CTL_ADD);
			return 0;
		}
		n = stop_wait(wake_ns(c, deadline), c->epfd);
		if (n < 0 && stop_pending())
			return err_set(-EINTR, NULL, "interrupted");
		if (!n && clock_ns() >= deadline)
			return err_set(-ETIMEDOUT, "is the host up?",
				       "the %s end %s does not answer", wanted->role, wanted->name);
		if (!n && c->spec.progress && c->started_ns)
			show_progress(c);
	}
}

static int await_key(struct conductor *c, struct peer *p, int wait_ms, const char *key,
		     struct json_object **msg, struct json_object **value)
{
	int ret = await(c, p, wait_ms, msg);

	if (ret)
		return ret;
	if (json_object_object_get_ex(*msg, key, value) &&
	    json_object_is_type(*value, json_type_object))
		return 0;
	json_object_put(*msg);
	*msg = NULL;
	return err_set(-EPROTO, "install the same nettoll on both hosts", "%s answers without '%s'",
		       p->name, key);
}

static int greet(struct conductor *c, struct peer *p)
{
	struct json_object *msg, *hello, *version;
	int ret = await_key(c, p, peer_hello_ms(p), "hello", &msg, &hello), theirs = 0;

	if (ret)
		return ret;
	if (json_object_object_get_ex(hello, "version", &version))
		theirs = json_object_get_int(version);
	json_object_put(msg);
	if (theirs == TRAFFIC_VERSION)
		return 0;
	return err_set(-EPROTONOSUPPORT, "install the same nettoll on both hosts",
		       "%s speaks version %d of the traffic protocol, this command %d", p->name,
		       theirs, TRAFFIC_VERSION);
}

static int order(struct conductor *c, struct peer *p, const char *op, uint32_t stream,
		 const struct traffic_result *where)
{
	struct json_object *msg = agent_message("op", json_object_new_string(op));
	int ret;

	if (stream) {
		json_object_object_add(msg, "stream", json_object_new_uint64(stream));
		json_object_object_add(msg, "spec", wire_pack(wire_spec, &c->spec));
	}
	if (where) {
		json_object_object_add(msg, "addr", json_object_new_string(where->addr));
		json_object_object_add(msg, "port", json_object_new_uint64(where->port));
	}
	if (!strcmp(op, "stop"))
		json_object_object_add(msg, "sent", json_object_new_uint64(where->tx.messages +
				       where->tx.local_drops + c->spec.warmup));
	ret = chan_send(&p->chan, msg);
	return ret == -EPIPE ? peer_died(p, &c->spec) : ret;
}

/* Both ends in place, connected and warm. */
static int prepare(struct conductor *c, struct traffic_result *result)
{
	struct json_object *msg, *ready, *v;
	uint32_t stream = 0;
	int ret, port;

	ret = peer_start(&c->to, &c->spec);
	if (!ret) {
		watch(c, &c->to, EPOLL_CTL_ADD);
		ret = peer_start(&c->from, &c->spec);
	}
	if (!ret) {
		watch(c, &c->from, EPOLL_CTL_ADD);
		ret = greet(c, &c->to);
	}
	if (!ret)
		ret = greet(c, &c->from);
	if (ret)
		return ret;
	if (!*c->spec.addr && c->to.control.ss_family)
		addr_text(&c->to.control, c->spec.addr, sizeof(c->spec.addr));
	while (!stream)
		if (getrandom(&stream, sizeof(stream), 0) < 0)
			stream = (uint32_t)clock_ns();
	ret = order(c, &c->to, "recv", stream, NULL);
	if (!ret)
		ret = await_key(c, &c->to, (int)c->spec.timeout_ms + ANSWER_MS, "ready", &msg,
				&ready);
	if (ret)
		return ret;
	result->port = 0;
	port = json_object_object_get_ex(ready, "port", &v) ? json_object_get_int(v) : 0;
	if (port > 0 && port <= UINT16_MAX && plain(ready, "addr", result->addr, sizeof(result->addr)))
		result->port = (uint32_t)port;
	json_object_put(msg);
	if (!result->port)
		return err_set(-EPROTO, "install the same nettoll on both hosts",
			       "%s does not say where it receives", c->to.name);
	ret = order(c, &c->from, "send", stream, result);
	/* However long the warm-up takes: its end watches itself. */
	if (!ret)
		ret = await_key(c, &c->from, -1, "ready", &msg, &ready);
	if (ret)
		return ret;
	json_object_put(msg);
	return 0;
}

static int unpack(struct peer *p, const struct wire_field *fields, struct json_object *from,
		  const char *key, void *to)
{
	struct json_object *v;
	const char *bad = key;

	if (json_object_object_get_ex(from, key, &v) && !wire_unpack(fields, v, to, &bad))
		return 0;
	return err_set(-EPROTO, "install the same nettoll on both hosts",
		       "%s reports an unusable '%s'", p->name, bad);
}

static int unpack_rtt(struct peer *p, struct json_object *from, struct traffic_result *result)
{
	struct json_object *list;
	const char *bad = "rtt";
	size_t i, n;

	if (!json_object_object_get_ex(from, "rtt", &list) ||
	    !json_object_is_type(list, json_type_array))
		goto unusable;
	n = json_object_array_length(list);
	if (n > TRAFFIC_SIZES_MAX)
		goto unusable;
	for (i = 0; i < n; i++)
		if (wire_unpack(wire_rtt, json_object_array_get_idx(list, i), &result->rtt[i],
				&bad))
			goto unusable;
	result->nrtt = (uint32_t)n;
	return 0;
unusable:
	return err_set(-EPROTO, "install the same nettoll on both hosts",
		       "%s reports an unusable '%s'", p->name, bad);
}

/* The counted part: not a word until the sender has finished. */
static int conduct(struct conductor *c, struct traffic_result *result)
{
	bool ping = c->spec.kind == TRAFFIC_PING;
	struct json_object *msg, *v;
	int ret;

	c->started_ns = clock_ns();
	ret = order(c, &c->from, "go", 0, NULL);
	if (!ret)
		ret = await_key(c, &c->from, -1, "result", &msg, &v);
	if (ret)
		return ret;
	ret = unpack(&c->from, wire_tx, v, "tx", &result->tx);
	if (!ret && ping)
		ret = unpack_rtt(&c->from, v, result);
	json_object_put(msg);
	/* TCP ends by itself; UDP's end marker may be lost. */
	if (!ret && c->spec.proto == TRAFFIC_UDP)
		ret = order(c, &c->to, "stop", 0, result);
	if (!ret)
		ret = await_key(c, &c->to, (int)c->spec.timeout_ms + ANSWER_MS, "result", &msg, &v);
	c->started_ns = 0;
	if (ret)
		return ret;
	ret = unpack(&c->to, wire_rx, v, "rx", &result->rx);
	json_object_put(msg);
	if (c->spec.proto == TRAFFIC_TCP && !ping && result->rx.messages < result->tx.messages)
		result->rx.lost = result->tx.messages - result->rx.messages;
	return ret;
}

int traffic_run(const struct traffic_spec *spec, struct traffic_result *result)
{
	struct conductor c = { .spec = *spec };
	int ret = traffic_spec_check(&c.spec);

	memset(result, 0, sizeof(*result));
	if (ret)
		return ret;
	peer_init(&c.to, c.spec.to, "receiving");
	peer_init(&c.from, c.spec.from, "sending");
	c.epfd = epoll_create1(EPOLL_CLOEXEC);
	if (c.epfd < 0)
		return err_set(-errno, NULL, "cannot wait for events: %s", strerror(errno));
	stop_begin();
	ret = prepare(&c, result);
	if (!ret && spec->before)
		ret = spec->before(spec->ctx);
	if (!ret) {
		ret = conduct(&c, result);
		if (spec->after)
			spec->after(spec->ctx);
	}
	peer_end(&c.from);
	peer_end(&c.to);
	stop_end();
	close(c.epfd);
	return ret;
}

bool traffic_too_short(const struct traffic_result *result)
{
	return result->rx.elapsed_ns < result->tx.elapsed_ns / 2;
}

static double per_second(const struct traffic_result *result, uint64_t timed, uint64_t all)
{
	if (traffic_too_short(result))
		return (double)all * 1e9 / (double)result->tx.elapsed_ns;
	return result->rx.elapsed_ns ? (double)timed * 1e9 / (double)result->rx.elapsed_ns : 0;
}

double traffic_rate(const struct traffic_result *result)
{
	return 8 * per_second(result, result->rx.timed_bytes, result->rx.bytes);
}

double traffic_message_rate(const struct traffic_result *result)
{
	return per_second(result, result->rx.timed_messages, result->rx.messages);
}
