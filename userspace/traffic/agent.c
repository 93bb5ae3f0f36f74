// SPDX-License-Identifier: GPL-2.0-or-later
/* One end of a run as a process: takes orders over the control channel and answers with results. */
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/version.h"
#include "traffic/agent.h"
#include "traffic/engine.h"
#include "traffic/wire.h"

#define FIRST_ORDER_MS	30000
#define STOP_MS		1000	/* for the rest of an order whose beginning interrupted the loop */

struct json_object *agent_message(const char *key, struct json_object *value)
{
	struct json_object *msg = json_object_new_object();

	json_object_object_add(msg, key, value);
	return msg;
}

static int reply_error(struct chan *c, int code)
{
	struct json_object *e = json_object_new_object();

	json_object_object_add(e, "code", json_object_new_int(code));
	json_object_object_add(e, "text", json_object_new_string(err_text(code)));
	json_object_object_add(e, "cure", json_object_new_string(err_cure(code)));
	return chan_send(c, agent_message("error", e));
}

/* A member that is a string; "" for anything else. */
static const char *text_of(struct json_object *from, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(from, key, &v) || !json_object_is_type(v, json_type_string))
		return "";
	return json_object_get_string(v);
}

int receiver_stopped(struct run *r, uint64_t *sent)
{
	uint64_t end = clock_ns() + STOP_MS * 1000000ull;
	struct json_object *msg, *v;
	int ret, stopped = 0;

	/* The signal may have come with the first bytes of the order, ours come in between. */
	do
		ret = chan_recv(r->chan, STOP_MS, &msg);
	while (ret == -EINTR && clock_ns() < end);
	if (ret != 1)
		return 0;
	if (!strcmp(text_of(msg, "op"), "stop") &&
	    json_object_object_get_ex(msg, "sent", &v)) {
		*sent = json_object_get_uint64(v);
		stopped = 1;
	}
	json_object_put(msg);
	return stopped;
}

/* Take over the spec of an order. */
static int read_spec(struct run *r, struct json_object *order)
{
	struct json_object *v;
	const char *bad;

	traffic_spec_init(&r->spec);
	if (!json_object_object_get_ex(order, "spec", &v) ||
	    !json_object_is_type(v, json_type_object))
		return err_set(-EPROTO, "install the same nettoll on both hosts",
			       "an order without spec");
	if (wire_unpack(wire_spec, v, &r->spec, &bad))
		return err_set(-EPROTO, "install the same nettoll on both hosts",
			       "an order with an unusable %s", bad);
	if (json_object_object_get_ex(order, "stream", &v))
		r->stream = (uint32_t)json_object_get_int64(v);
	return traffic_spec_check(&r->spec);
}

static int pin(const char *who, int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	if (!sched_setaffinity(0, sizeof(set), &set))
		return 0;
	return err_set(-errno, "see nproc or /sys/devices/system/cpu/online",
		       "%s cannot run on CPU %d: %s", who, cpu, strerror(errno));
}

static struct json_object *pack_result(struct run *r)
{
	struct json_object *result = json_object_new_object(), *list;

	json_object_object_add(result, "tx", wire_pack(wire_tx, &r->tx));
	json_object_object_add(result, "rx", wire_pack(wire_rx, &r->rx));
	if (r->rtt) {
		list = json_object_new_array();
		for (uint32_t i = 0; i < r->spec.nsizes; i++)
			json_object_array_add(list, wire_pack(wire_rtt, &r->rtt[i]));
		json_object_object_add(result, "rtt", list);
	}
	return agent_message("result", result);
}

/* Be the receiving end: say where, receive, say what. */
static int order_recv(struct run *r, struct json_object *order)
{
	struct json_object *where = NULL;
	char addr[TRAFFIC_ADDR_MAX];
	uint32_t port;
	int ret = read_spec(r, order);

	if (!ret)
		ret = pin(r->spec.to, r->spec.cpu_to);
	if (!ret)
		ret = sock_receiver(r, addr, sizeof(addr), &port);
	if (ret)
		return ret;
	where = json_object_new_object();
	json_object_object_add(where, "addr", json_object_new_string(addr));
	json_object_object_add(where, "port", json_object_new_uint64(port));
	ret = chan_send(r->chan, agent_message("ready", where));
	if (ret)
		return ret;
	if (r->spec.kind == TRAFFIC_PING)
		ret = echo_run(r);
	else
		ret = r->spec.proto == TRAFFIC_UDP ? receiver_udp(r) : receiver_tcp(r);
	return ret ? ret : chan_send(r->chan, pack_result(r));
}

static bool same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	char x[TRAFFIC_ADDR_MAX], y[TRAFFIC_ADDR_MAX];

	addr_text(a, x, sizeof(x));
	addr_text(b, y, sizeof(y));
	/* An IPv4 peer of an IPv6 socket is ::ffff:a.b.c.d. */
	return !strcmp(x, y) || (!strncmp(x, "::ffff:", 7) && !strcmp(x + 7, y)) ||
	       (!strncmp(y, "::ffff:", 7) && !strcmp(y + 7, x));
}

/* Be the sending end: connect and warm up; "go" comes later. */
static int order_send(struct run *r, struct json_object *order, const struct sockaddr_storage *only)
{
	const char *addr = text_of(order, "addr");
	struct json_object *port;
	int ret = read_spec(r, order);

	if (!ret)
		ret = pin(r->spec.from, r->spec.cpu_from);
	if (ret)
		return ret;
	if (!*addr || !json_object_object_get_ex(order, "port", &port))
		return err_set(-EPROTO, NULL, "an order without destination");
	ret = addr_parse(addr, (uint32_t)json_object_get_int(port), &r->peer, &r->peer_len);
	if (ret)
		return ret;
	if (only && !same_host(&r->peer, only))
		return err_set(-EACCES, "start the far end over ssh, or let it receive",
			       "a waiting nettoll sends only to the host that asks, not to %s", addr);
	ret = sock_sender(r);
	if (ret)
		return ret;
	r->sender = true;
	if (r->spec.kind == TRAFFIC_PING) {
		r->rtt = calloc(r->spec.nsizes, sizeof(*r->rtt));
		ret = r->rtt ? pinger_warm(r) : err_set(-ENOMEM, NULL, "no memory for results");
	} else {
		ret = sender_warm(r);
	}
	return ret ? ret : chan_send(r->chan, agent_message("ready", json_object_new_object()));
}

static int order_go(struct run *r)
{
	int ret;

	if (r->fd < 0)
		return err_set(-EPROTO, NULL, "told to go before being told where");
	ret = r->spec.kind == TRAFFIC_PING ? pinger_run(r) : sender_run(r);
	if (r->spec.proto == TRAFFIC_TCP)
		r->tx.sndbuf = sock_option_u64(r->fd, SOL_SOCKET, SO_SNDBUF);
	return ret ? ret : chan_send(r->chan, pack_result(r));
}

static int obey(struct run *r, struct json_object *order, const struct sockaddr_storage *only)
{
	const char *op = text_of(order, "op");

	if (!strcmp(op, "recv") && r->fd < 0 && r->listener < 0)
		return order_recv(r, order);
	if (!strcmp(op, "send") && r->fd < 0 && r->listener < 0)
		return order_send(r, order, only);
	if (!strcmp(op, "go") && r->sender)
		return order_go(r);
	/* A receiver may end by itself before it is told to. */
	if (!strcmp(op, "stop"))
		return 0;
	return err_set(-EPROTO, "install the same nettoll on both hosts", "unexpected order '%s'",
		       op);
}

int agent_loop(struct chan *c, volatile uint64_t *progress, const struct sockaddr_storage *only)
{
	struct json_object *hello = json_object_new_object(), *order;
	uint64_t own_progress = 0;
	struct run r = {
		.fd = -1,
		.listener = -1,
		.chan = c,
		.progress = progress ? progress : &own_progress,
	};
	int ret;

	signal(SIGPIPE, SIG_IGN);
	json_object_object_add(hello, "version", json_object_new_int(TRAFFIC_VERSION));
	json_object_object_add(hello, "nettoll", json_object_new_string(NETTOLL_VERSION));
	ret = chan_send(c, agent_message("hello", hello));
	while (!ret) {
		/* A stranger must not keep a waiting receiver busy by saying nothing. */
		ret = chan_recv(c, only && r.fd < 0 && r.listener < 0 ? FIRST_ORDER_MS : -1,
				&order);
		if (ret == -EINTR) {
			ret = 0;
			continue;
		}
		if (ret != 1)
			break;
		ret = obey(&r, order, only);
		json_object_put(order);
		if (ret && ret != -EPIPE)
			ret = reply_error(c, ret);
	}
	sender_free(&r);
	sock_close(&r);
	free(r.rtt);
	return ret;
}

int traffic_serve(int in, int out)
{
	struct chan c;
	int ret;

	chan_init(&c, in, out);
	ret = agent_loop(&c, NULL, NULL);
	chan_close(&c);
	return ret;
}
