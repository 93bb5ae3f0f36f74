// SPDX-License-Identifier: GPL-2.0-or-later
/* From the words of the command line to a spec. */
#include "traffic/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/args.h"
#include "lib/err.h"

const char traffic_usage[] =
	"traffic [send|ping|recv] [OPTION]...\n"
	"  send (default)        send a stream of messages from one end to the other\n"
	"  ping                  time round trips, one message at a time\n"
	"  recv                  be the far end and wait to be told what to do\n"
	"\n"
	"The two ends, each here | netns:NAME | ssh:[USER@]HOST | host:ADDR[:PORT]:\n"
	"      --to PEER         the receiving end; it is started there, but for host:, where\n"
	"                        nettoll traffic recv --listen waits\n"
	"      --from PEER       the sending end (here)\n"
	"      --addr ADDR       the receiving end's address (its only one)\n"
	"      --source ADDR     the sending end's address (by route)\n"
	"      --port N          data port (any free one)\n"
	"  -4, -6                choose an IPv4 or an IPv6 address\n"
	"      --ssh COMMAND, --remote-nettoll PATH\n"
	"\n"
	"What to send:\n"
	"      --proto udp|tcp   (udp)\n"
	"      --size N[,N...]   bytes of a message (1448; ping: 64, and several sizes)\n"
	"      --count N | --bytes N | --time T\n"
	"                        how much (100000 messages; ping: 1000 of each size)\n"
	"      --warmup N|NB     messages (or bytes, with B) sent before and not counted (64)\n"
	"      --rate R          payload bits per second, 1.2G (as fast as it goes)\n"
	"      --window N        UDP datagrams in flight, acknowledged by the receiver (no limit)\n"
	"      --verify          fill each message with a pattern and compare every byte\n"
	"\n"
	"How to send:\n"
	"      --mode plain|zerocopy|gso|sendmmsg, or several joined by +\n"
	"      --segments N      messages a gso send carries (as many as fit)\n"
	"      --batch N         sends a sendmmsg carries (32)\n"
	"      --zc-slots N      buffers lent to the kernel (twice the send buffer)\n"
	"      --no-check        no UDP checksum (IPv4)\n"
	"      --unconnected     name the destination in each call\n"
	"      --nodelay         TCP_NODELAY\n"
	"      --no-recverr      no IP_RECVERR: drops of own queues go untold (UDP)\n"
	"      --sndbuf N        bytes of the sender's socket buffer\n"
	"\n"
	"How to receive:\n"
	"      --rcvbuf N        bytes of the receiver's socket buffer\n"
	"      --gro             UDP_GRO: take datagrams joined by the kernel\n"
	"      --rx-batch N      datagrams a recvmmsg takes (1: plain recv)\n"
	"      --rx-size N       bytes a TCP receive takes (128K)\n"
	"      --skip-rx-copy    leave the payload in the kernel (MSG_TRUNC)\n"
	"\n"
	"Both ends:\n"
	"      --cpu N[,M]       CPU of the sending and of the receiving end\n"
	"      --busy-poll US    SO_BUSY_POLL\n"
	"      --timeout T       how long a peer may be silent, or nothing move (10s)\n"
	"\n"
	"recv:\n"
	"      --listen [ADDR:]PORT   wait on a TCP port (5209 on all addresses)\n"
	"      --once            end after one run\n"
	"      --stdio           be told over standard input and output (what ssh: runs)\n"
	"\n"
	"Options:\n";

enum {
	OPT_TO = 256, OPT_FROM, OPT_ADDR, OPT_SOURCE, OPT_PORT, OPT_SSH, OPT_REMOTE, OPT_PROTO,
	OPT_SIZE, OPT_COUNT, OPT_BYTES, OPT_TIME, OPT_WARMUP, OPT_RATE, OPT_WINDOW, OPT_VERIFY,
	OPT_MODE, OPT_SEGMENTS, OPT_BATCH, OPT_ZC_SLOTS, OPT_NO_CHECK, OPT_UNCONNECTED, OPT_NODELAY,
	OPT_NO_RECVERR,
	OPT_SNDBUF, OPT_RCVBUF, OPT_GRO, OPT_RX_BATCH, OPT_RX_SIZE, OPT_SKIP_RX_COPY, OPT_CPU,
	OPT_BUSY_POLL, OPT_TIMEOUT, OPT_LISTEN, OPT_ONCE, OPT_STDIO, OPT_PING,
};

static const struct option longs[] = {
	{ "to", required_argument, NULL, OPT_TO },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "addr", required_argument, NULL, OPT_ADDR },
	{ "source", required_argument, NULL, OPT_SOURCE },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "ssh", required_argument, NULL, OPT_SSH },
	{ "remote-nettoll", required_argument, NULL, OPT_REMOTE },
	{ "proto", required_argument, NULL, OPT_PROTO },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "bytes", required_argument, NULL, OPT_BYTES },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "warmup", required_argument, NULL, OPT_WARMUP },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ "verify", no_argument, NULL, OPT_VERIFY },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "segments", required_argument, NULL, OPT_SEGMENTS },
	{ "batch", required_argument, NULL, OPT_BATCH },
	{ "zc-slots", required_argument, NULL, OPT_ZC_SLOTS },
	{ "no-check", no_argument, NULL, OPT_NO_CHECK },
	{ "unconnected", no_argument, NULL, OPT_UNCONNECTED },
	{ "no-recverr", no_argument, NULL, OPT_NO_RECVERR },
	{ "nodelay", no_argument, NULL, OPT_NODELAY },
	{ "sndbuf", required_argument, NULL, OPT_SNDBUF },
	{ "rcvbuf", required_argument, NULL, OPT_RCVBUF },
	{ "gro", no_argument, NULL, OPT_GRO },
	{ "rx-batch", required_argument, NULL, OPT_RX_BATCH },
	{ "rx-size", required_argument, NULL, OPT_RX_SIZE },
	{ "skip-rx-copy", no_argument, NULL, OPT_SKIP_RX_COPY },
	{ "cpu", required_argument, NULL, OPT_CPU },
	{ "busy-poll", required_argument, NULL, OPT_BUSY_POLL },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "listen", required_argument, NULL, OPT_LISTEN },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "stdio", no_argument, NULL, OPT_STDIO },
	{ "ping", no_argument, NULL, OPT_PING },
	{ NULL, 0, NULL, 0 }
};

/* What the options leave to be decided when all are read. */
struct given {
	bool size, batch, run, recv;
};

static int take_text(const char *what, const char *text, char *to, size_t size)
{
	if (strlen(text) >= size)
		return err_set(-EINVAL, NULL, "%s: '%.20s...' is longer than %zu characters", what,
			       text, size - 1);
	strcpy(to, text);
	return 0;
}

static int take_u32(const char *what, const char *text, uint64_t min, uint64_t max, uint32_t *to)
{
	uint64_t v;
	int ret = arg_uint(what, text, min, max, &v);

	if (!ret)
		*to = (uint32_t)v;
	return ret;
}

static int take_bytes(const char *what, const char *text, uint64_t min, uint64_t max, uint32_t *to)
{
	uint64_t v;
	int ret = arg_size(what, text, min, max, &v);

	if (!ret)
		*to = (uint32_t)v;
	return ret;
}

/* @list and the piece's end: a comma-separated piece of text, copied. */
static const char *piece(const char **list, char *buf, size_t size)
{
	size_t len = strcspn(*list, ",");

	snprintf(buf, size, "%.*s", (int)len, *list);
	*list += len;
	if (**list)
		++*list;
	else
		*list = NULL;
	return buf;
}

static int take_sizes(const char *text, struct traffic_spec *s)
{
	char buf[32];
	int ret = 0;

	memset(s->sizes, 0, sizeof(s->sizes));
	for (s->nsizes = 0; text && !ret; s->nsizes++) {
		if (s->nsizes == TRAFFIC_SIZES_MAX)
			return err_set(-EINVAL, NULL, "--size: more than %d sizes",
				       TRAFFIC_SIZES_MAX);
		/* The upper bound depends on the protocol: traffic_spec_check() knows. */
		ret = take_bytes("--size", piece(&text, buf, sizeof(buf)), 0, UINT32_MAX,
				 &s->sizes[s->nsizes]);
	}
	return ret;
}

static int take_cpus(const char *text, struct traffic_spec *s)
{
	const char *whole = text;
	uint32_t cpu = 0;
	char buf[32];
	int ret;

	ret = take_u32("--cpu", piece(&text, buf, sizeof(buf)), 0, 4095, &cpu);
	if (ret)
		return ret;
	s->cpu_from = s->cpu_to = (int32_t)cpu;
	if (!text)
		return 0;
	ret = take_u32("--cpu", piece(&text, buf, sizeof(buf)), 0, 4095, &cpu);
	if (!ret && text)
		ret = err_set(-EINVAL, NULL, "--cpu: '%s' is more than two CPUs", whole);
	s->cpu_to = (int32_t)cpu;
	return ret;
}

static int take_warmup(const char *text, struct traffic_spec *s)
{
	size_t len = strlen(text);

	s->warmup = s->warmup_bytes = 0;
	if (len > 1 && (text[len - 1] == 'B' || text[len - 1] == 'b'))
		return arg_size("--warmup", text, 0, 1000000000000ull, &s->warmup_bytes);
	return arg_uint("--warmup", text, 0, 1000000000, &s->warmup);
}

static int take_duration(const char *what, const char *text, uint64_t min_ms, uint64_t max_ms,
			 uint64_t *ns)
{
	return arg_duration(what, text, "s", min_ms * 1000000, max_ms * 1000000, ns);
}

/* ADDR:PORT, [ADDR]:PORT, PORT. */
static int take_listen(const char *text, struct traffic_options *o)
{
	const char *colon = strrchr(text, ':'), *from = text, *to = colon;
	uint32_t port;
	int ret = take_u32("--listen port", colon ? colon + 1 : text, 0, 65535, &port);

	if (ret)
		return ret;
	o->listen = true;
	o->listen_port = (uint16_t)port;
	if (!colon)
		return 0;
	if (*from == '[' && to > from && to[-1] == ']') {
		from++;
		to--;
	}
	if (to - from >= (int)sizeof(o->listen_addr))
		return err_set(-EINVAL, NULL, "--listen: '%s' is not ADDR:PORT", text);
	snprintf(o->listen_addr, sizeof(o->listen_addr), "%.*s", (int)(to - from), from);
	return 0;
}

static int take_word(const char *what, const char *text, const char *const *words, size_t n,
		     uint32_t *to)
{
	int i = arg_word(what, text, words, n);

	if (i >= 0)
		*to = (uint32_t)i;
	return i < 0 ? i : 0;
}

static int take_mode(const char *text, uint32_t *mode)
{
	if (!traffic_mode_parse(text, mode))
		return 0;
	return err_set(-EINVAL, "plain, or zerocopy, gso, sendmmsg joined by +",
		       "--mode: there is no mode '%s'", text);
}

/* One option. Return: 0 or a described negative errno. */
static int take_option(int c, const char *arg, struct traffic_options *o, struct given *given)
{
	static const char *const protos[] = { "udp", "tcp" };
	struct traffic_spec *s = &o->spec;
	uint64_t v = 0;
	int ret;

	given->recv |= c == OPT_LISTEN || c == OPT_ONCE || c == OPT_STDIO;
	given->run |= c != OPT_LISTEN && c != OPT_ONCE && c != OPT_STDIO;
	switch (c) {
	case OPT_TO:		return take_text("--to", arg, s->to, sizeof(s->to));
	case OPT_FROM:		return take_text("--from", arg, s->from, sizeof(s->from));
	case OPT_ADDR:		return take_text("--addr", arg, s->addr, sizeof(s->addr));
	case OPT_SOURCE:	return take_text("--source", arg, s->source, sizeof(s->source));
	case OPT_SSH:		return take_text("--ssh", arg, s->ssh, sizeof(s->ssh));
	case OPT_REMOTE:	return take_text("--remote-nettoll", arg, s->remote_nettoll,
						 sizeof(s->remote_nettoll));
	case OPT_PORT:		return take_u32("--port", arg, 0, 65535, &s->port);
	case '4':
	case '6':		s->family = (uint32_t)(c - '0'); return 0;
	case OPT_PROTO:		return take_word("protocol", arg, protos, 2, &s->proto);
	case OPT_SIZE:		given->size = true; return take_sizes(arg, s);
	case OPT_COUNT:		return arg_uint("--count", arg, 1, 1000000000000ull, &s->count);
	case OPT_BYTES:		return arg_size("--bytes", arg, 1, 1000000000000000ull, &s->bytes);
	case OPT_TIME:		return take_duration("--time", arg, 1, 86400000, &s->duration_ns);
	case OPT_WARMUP:	return take_warmup(arg, s);
	case OPT_RATE:
		return arg_rate("--rate", arg, 1000, 10000000000000ull, &s->rate_bps);
	case OPT_WINDOW:	return take_u32("--window", arg, 2, 1000000, &s->window);
	case OPT_VERIFY:	s->verify = true; return 0;
	case OPT_MODE:		return take_mode(arg, &s->mode);
	case OPT_SEGMENTS:
		return take_u32("--segments", arg, 1, TRAFFIC_SEGS_MAX, &s->segments);
	case OPT_BATCH:		given->batch = true;
				return take_u32("--batch", arg, 1, TRAFFIC_BATCH_MAX, &s->batch);
	case OPT_ZC_SLOTS:	return take_u32("--zc-slots", arg, 1, 16384, &s->zc_slots);
	case OPT_NO_CHECK:	s->no_check = true; return 0;
	case OPT_UNCONNECTED:	s->unconnected = true; return 0;
	case OPT_NO_RECVERR:	s->no_recverr = true; return 0;
	case OPT_NODELAY:	s->nodelay = true; return 0;
	case OPT_SNDBUF:	return take_bytes("--sndbuf", arg, 2048, 1u << 30, &s->sndbuf);
	case OPT_RCVBUF:	return take_bytes("--rcvbuf", arg, 2048, 1u << 30, &s->rcvbuf);
	case OPT_GRO:		s->gro = true; return 0;
	case OPT_RX_BATCH:
		return take_u32("--rx-batch", arg, 1, TRAFFIC_BATCH_MAX, &s->rx_batch);
	case OPT_RX_SIZE:	return take_bytes("--rx-size", arg, 1, 64u << 20, &s->rx_size);
	case OPT_SKIP_RX_COPY:	s->skip_rx_copy = true; return 0;
	case OPT_CPU:		return take_cpus(arg, s);
	case OPT_BUSY_POLL:	return take_u32("--busy-poll", arg, 0, 1000000, &s->busy_poll_us);
	case OPT_TIMEOUT:	ret = take_duration("--timeout", arg, 100, 3600000, &v);
				s->timeout_ms = (uint32_t)(v / 1000000);
				return ret;
	case OPT_LISTEN:	return take_listen(arg, o);
	case OPT_ONCE:		o->once = true; return 0;
	case OPT_STDIO:		o->stdio = true; return 0;
	case OPT_PING:		o->verb = VERB_PING; return 0;
	}
	return -EINVAL;
}

/* Defaults that depend on the verb, and what does not go together. */
static int settle(struct traffic_options *o, const struct given *given)
{
	struct traffic_spec *s = &o->spec;

	if (o->verb == VERB_RECV) {
		if (given->run)
			return usage_error("recv takes only --listen, --once and --stdio: the "
					   "rest is told by the command that connects");
		if (o->stdio && (o->listen || o->once))
			return usage_error("--stdio excludes --listen and --once");
		return 0;
	}
	if (given->recv)
		return usage_error("--listen, --once and --stdio are for nettoll traffic recv");
	if (o->verb == VERB_PING) {
		s->kind = TRAFFIC_PING;
		if (!given->size)
			s->sizes[0] = 64;
	}
	if (s->mode & TRAFFIC_SENDMMSG && !given->batch)
		s->batch = 32;
	if (!*s->to)
		return usage_error("where is the other end? give --to netns:NAME, ssh:HOST, "
				   "host:ADDR or here");
	return traffic_spec_check(s) ? usage_report(-EINVAL) : 0;
}

int traffic_options(int argc, char **argv, struct traffic_options *o)
{
	static const char *const verbs[] = { "send", "ping", "recv" };
	struct given given = { 0 };
	int c, ret;

	memset(o, 0, sizeof(*o));
	traffic_spec_init(&o->spec);
	o->listen_port = TRAFFIC_PORT;
	if (argc > 1 && argv[1][0] != '-') {
		uint32_t verb;

		ret = take_word("verb", argv[1], verbs, 3, &verb);
		if (ret)
			return usage_report(ret);
		o->verb = verb;
		argc--;
		argv++;
	}
	while ((c = arg_getopt(argc, argv, "46", longs)) != -1) {
		if (c == '?')
			return EXIT_USAGE;
		ret = take_option(c, optarg, o, &given);
		if (ret)
			return usage_report(ret);
	}
	if (optind < argc)
		return usage_error("there is nothing to do with '%s'", argv[optind]);
	return settle(o, &given);
}
