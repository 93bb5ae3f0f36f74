// SPDX-License-Identifier: GPL-2.0-or-later
/* Defaults and limits of a run: every refusal names the value, its range and the way out. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/err.h"
#include "traffic/traffic.h"

static const char *const mode_names[8] = {
	"plain", "zerocopy", "gso", "zerocopy+gso",
	"sendmmsg", "zerocopy+sendmmsg", "gso+sendmmsg", "zerocopy+gso+sendmmsg",
};

const char *traffic_mode_name(uint32_t mode)
{
	return mode < 8 ? mode_names[mode] : "?";
}

int traffic_mode_parse(const char *text, uint32_t *mode)
{
	static const struct { const char *name; uint32_t bit; } words[] = {
		{ "zerocopy", TRAFFIC_ZEROCOPY }, { "gso", TRAFFIC_GSO },
		{ "sendmmsg", TRAFFIC_SENDMMSG },
	};
	uint32_t bits = 0;
	size_t i, len;

	if (!strcmp(text, "plain")) {
		*mode = 0;
		return 0;
	}
	for (;;) {
		len = strcspn(text, "+");
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (strlen(words[i].name) == len && !memcmp(text, words[i].name, len))
				break;
		if (i == sizeof(words) / sizeof(*words) || bits & words[i].bit)
			return -EINVAL;
		bits |= words[i].bit;
		if (!text[len])
			break;
		text += len + 1;
	}
	*mode = bits;
	return 0;
}

void traffic_spec_init(struct traffic_spec *spec)
{
	*spec = (struct traffic_spec) {
		.from = "here",
		.kind = TRAFFIC_STREAM,
		.proto = TRAFFIC_UDP,
		.nsizes = 1,
		.sizes = { 1448 },
		.warmup = 64,
		.batch = 1,
		.rx_batch = 1,
		.timeout_ms = 10000,
		.cpu_from = -1,
		.cpu_to = -1,
		.ssh = "ssh",
		.remote_nettoll = "nettoll",
	};
}

static int in_range(const char *what, uint64_t value, uint64_t low,
		    uint64_t high, const char *note)
{
	if (value >= low && value <= high)
		return 0;
	return err_set(-EINVAL, NULL, "%s %" PRIu64 " is not in %" PRIu64 " .. %" PRIu64
		       "%s%s", what, value, low, high, *note ? ", " : "", note);
}

/* One row per option that only makes sense for some runs. */
static int check_combinations(const struct traffic_spec *s)
{
	bool udp = s->proto == TRAFFIC_UDP, ping = s->kind == TRAFFIC_PING;
	bool gso = s->mode & TRAFFIC_GSO, mmsg = s->mode & TRAFFIC_SENDMMSG;
	const struct {
		bool bad;
		const char *text, *cure;
	} rules[] = {
		{ gso && !udp, "mode gso is UDP_SEGMENT, which TCP does not have",
		  "TCP segments by itself; see ethtool -K DEV tso" },
		{ mmsg && !udp, "mode sendmmsg is for datagrams, not for TCP",
		  "use a larger --size" },
		{ ping && s->mode, "a ping run sends plainly", "leave out --mode" },
		{ ping && s->bytes, "a ping run is bounded by count or time",
		  "use --count or --time" },
		{ ping && s->rate_bps, "a ping run is not paced", "leave out --rate" },
		{ ping && s->window, "a ping run has one message in flight", "leave out --window" },
		{ ping && (s->gro || s->rx_batch > 1 || s->skip_rx_copy || s->unconnected),
		  "a ping run has no gro, rx-batch, skip-rx-copy or unconnected", "" },
		{ s->segments && !gso, "segments needs mode gso", "add --mode gso" },
		{ s->batch > 1 && !mmsg, "batch needs mode sendmmsg", "add --mode sendmmsg" },
		{ s->window && !udp, "window is for UDP; TCP has its own", "leave out --window" },
		{ s->gro && !udp, "gro is UDP_GRO; TCP's is set by ethtool -K DEV gro",
		  "leave out --gro" },
		{ s->rx_batch > 1 && !udp, "rx-batch is recvmmsg, for datagrams", "use --rx-size" },
		{ s->rx_size && udp, "rx-size is for TCP; a datagram has its own size",
		  "leave out --rx-size" },
		{ s->unconnected && !udp, "unconnected is for UDP", "leave out --unconnected" },
		{ s->no_recverr && (ping || !udp), "no-recverr is for a stream of datagrams",
		  "leave out --no-recverr" },
		{ s->nodelay && udp, "nodelay is for TCP", "leave out --nodelay" },
		{ s->no_check && !udp, "no-check is for UDP; TCP always has a checksum",
		  "leave out --no-check" },
		{ s->no_check && gso, "the kernel refuses UDP_SEGMENT without a checksum",
		  "choose --no-check or gso" },
		{ s->no_check && strchr(s->addr, ':'), "IPv6 requires the UDP checksum",
		  "use IPv4 or leave out --no-check" },
		{ s->no_check && s->family == 6, "IPv6 requires the UDP checksum",
		  "use IPv4 or leave out --no-check" },
		{ s->verify && s->skip_rx_copy, "verify reads what skip-rx-copy does not fetch",
		  "choose one" },
		{ s->gro && s->skip_rx_copy, "with skip-rx-copy only the first of the "
		  "datagrams that gro joined shows its number", "choose one" },
		{ s->zc_slots && !(s->mode & TRAFFIC_ZEROCOPY), "zc-slots needs mode zerocopy",
		  "add --mode zerocopy" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].bad)
			return err_set(-EINVAL, rules[i].cure, "%s", rules[i].text);
	return 0;
}

static int check_peer(const char *what, const char *peer)
{
	const char *cure = "here, netns:NAME, ssh:[USER@]HOST or host:ADDR[:PORT]";
	const char *name;

	if (!*peer)
		return err_set(-EINVAL, cure, "%s is not given", what);
	if (!strcmp(peer, "here"))
		return 0;
	name = strchr(peer, ':');
	if (!name || (strncmp(peer, "netns:", 6) && strncmp(peer, "ssh:", 4) &&
		      strncmp(peer, "host:", 5)))
		return err_set(-EINVAL, cure, "%s '%s' is no peer", what, peer);
	name++;
	/* A name that starts with '-' would be an option of ssh, one with '/' another file. */
	if (!*name || *name == '-' || (*peer == 'n' && (strchr(name, '/') || *name == '.')))
		return err_set(-EINVAL, cure, "%s '%s' names nothing usable", what, peer);
	return 0;
}

static int check_addr(const char *what, const char *addr)
{
	char bare[TRAFFIC_ADDR_MAX];
	struct in6_addr v6;
	struct in_addr v4;

	if (!*addr || inet_pton(AF_INET, addr, &v4) == 1)
		return 0;
	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(addr, "%"), addr);
	if (inet_pton(AF_INET6, bare, &v6) != 1)
		return err_set(-EINVAL, "such as 10.0.0.2, fd00::2 or fe80::1%eth0",
			       "%s '%s' is not a numeric address", what, addr);
	if (IN6_IS_ADDR_LINKLOCAL(&v6) && !strchr(addr, '%'))
		return err_set(-EINVAL, "such as fe80::1%eth0, as the sending end calls it",
			       "%s '%s' is link-local and needs its interface", what, addr);
	return 0;
}

static int check_length(struct traffic_spec *s)
{
	uint32_t size = s->sizes[0];
	int set = !!s->count + !!s->bytes + !!s->duration_ns;

	if (set > 1)
		return err_set(-EINVAL, "choose one",
			       "count, bytes and time exclude each other");
	if (!set)
		s->count = s->kind == TRAFFIC_PING ? 1000 : 100000;
	if (s->bytes) {
		if (in_range("bytes", s->bytes, 1, 1000000000000000ull, ""))
			return -EINVAL;
		s->count = (s->bytes + size - 1) / size;
		s->bytes = 0;
	}
	if (s->count &&
	    in_range("count", s->count, 1,
		     s->kind == TRAFFIC_PING ? TRAFFIC_PINGS_MAX : 1000000000000ull, ""))
		return -EINVAL;
	if (s->duration_ns && in_range("time in ns", s->duration_ns, 1000000,
				       86400000000000ull, "1 ms to a day"))
		return -EINVAL;
	if (s->warmup_bytes) {
		if (in_range("warmup bytes", s->warmup_bytes, 1, 1000000000000ull, ""))
			return -EINVAL;
		s->warmup = (s->warmup_bytes + size - 1) / size;
		s->warmup_bytes = 0;
	}
	return in_range("warmup", s->warmup, 0,
			s->kind == TRAFFIC_PING ? TRAFFIC_PINGS_MAX : 1000000000ull, "messages");
}

static int check_sizes(struct traffic_spec *s)
{
	bool udp = s->proto == TRAFFIC_UDP;
	uint32_t i, most;

	if (in_range("number of sizes", s->nsizes, 1,
		     s->kind == TRAFFIC_PING ? TRAFFIC_SIZES_MAX : 1,
		     s->kind == TRAFFIC_PING ? "" : "a stream has one"))
		return -EINVAL;
	for (i = 0; i < s->nsizes; i++)
		if (in_range("size", s->sizes[i], TRAFFIC_SIZE_MIN,
			     udp ? TRAFFIC_UDP_MAX : TRAFFIC_TCP_MAX,
			     udp ? "the payload of one UDP datagram" : "bytes"))
			return -EINVAL;
	if (!(s->mode & TRAFFIC_GSO))
		return 0;
	most = TRAFFIC_UDP_MAX / s->sizes[0];
	if (most > TRAFFIC_SEGS_MAX)
		most = TRAFFIC_SEGS_MAX;
	if (!s->segments)
		s->segments = most;
	return in_range("segments", s->segments, 1, most,
			"all segments of a send fit in one 65507-byte packet");
}

static int check_pace(const struct traffic_spec *s)
{
	double interval;

	if (!s->rate_bps)
		return 0;
	if (in_range("rate in bit/s", s->rate_bps, 1000, 10000000000000ull, ""))
		return -EINVAL;
	interval = 8e3 * s->sizes[0] * (s->segments ? s->segments : 1) * s->batch /
		   (double)s->rate_bps;
	if (interval * 2 > s->timeout_ms)
		return err_set(-EINVAL, "raise --rate or --timeout",
			       "rate %" PRIu64 " bit/s is a send every %.0f ms, more than half "
			       "of the time-out of %u ms", s->rate_bps, interval, s->timeout_ms);
	return 0;
}

int traffic_spec_check(struct traffic_spec *s)
{
	const uint32_t gib = 1u << 30;

	if (s->kind > TRAFFIC_PING || s->proto > TRAFFIC_TCP || s->mode > 7 ||
	    (s->family && s->family != 4 && s->family != 6))
		return err_set(-EINVAL, NULL, "unknown kind, protocol, mode or family");
	if (check_peer("to", s->to) || check_peer("from", s->from) ||
	    check_addr("addr", s->addr) || check_addr("source", s->source))
		return -EINVAL;
	if (in_range("timeout in ms", s->timeout_ms, 100, 3600000, "") ||
	    check_sizes(s) || check_combinations(s) || check_length(s))
		return -EINVAL;
	if (in_range("port", s->port, 0, 65535, "0 is any") ||
	    in_range("batch", s->batch, 1, TRAFFIC_BATCH_MAX, "") ||
	    in_range("rx-batch", s->rx_batch, 1, TRAFFIC_BATCH_MAX, "") ||
	    (s->rx_size && in_range("rx-size", s->rx_size, 1, 64u << 20, "")) ||
	    (s->zc_slots && in_range("zc-slots", s->zc_slots, 1, 16384, "")) ||
	    (s->sndbuf && in_range("sndbuf", s->sndbuf, 2048, gib, "bytes")) ||
	    (s->rcvbuf && in_range("rcvbuf", s->rcvbuf, 2048, gib, "bytes")) ||
	    in_range("busy-poll in us", s->busy_poll_us, 0, 1000000, ""))
		return -EINVAL;
	if (s->cpu_from < -1 || s->cpu_to < -1)
		return err_set(-EINVAL, NULL, "a CPU number is not negative");
	if (s->window) {
		uint32_t least = (s->segments ? s->segments : 1) * s->batch;

		if (in_range("window", s->window, least < 2 ? 2 : least, 1000000,
			     "datagrams, at least one call's worth"))
			return -EINVAL;
	}
	return check_pace(s);
}
