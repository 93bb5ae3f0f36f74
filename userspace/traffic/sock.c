// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses and the data sockets of both ends, with every option a spec can ask for. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "traffic/engine.h"
#include "lib/err.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#endif
#ifndef UDP_GRO
#define UDP_GRO		104
#endif
#ifndef SO_ZEROCOPY
#define SO_ZEROCOPY	60
#endif

int addr_parse(const char *text, uint32_t port, struct sockaddr_storage *ss, socklen_t *len)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				  .ai_socktype = SOCK_DGRAM }, *found;
	char service[8];
	int ret;

	snprintf(service, sizeof(service), "%u", port & 0xffff);
	ret = getaddrinfo(text, service, &hints, &found);
	if (ret)
		return err_set(-EADDRNOTAVAIL, "such as 10.0.0.2, fd00::2 or fe80::1%eth0",
			       "address '%s': %s", text, gai_strerror(ret));
	memcpy(ss, found->ai_addr, found->ai_addrlen);
	*len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

void addr_text(const struct sockaddr_storage *ss, char *buf, size_t size)
{
	if (getnameinfo((const struct sockaddr *)ss, sizeof(*ss), buf, (socklen_t)size, NULL, 0,
			NI_NUMERICHOST))
		snprintf(buf, size, "?");
}

uint32_t addr_port(const struct sockaddr_storage *ss)
{
	return ntohs(ss->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)ss)->sin6_port
					       : ((const struct sockaddr_in *)ss)->sin_port);
}

/* Could another host reach this interface address? */
static bool usable(const struct ifaddrs *a, uint32_t family)
{
	if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) || a->ifa_flags & IFF_LOOPBACK)
		return false;
	if (a->ifa_addr->sa_family == AF_INET)
		return family != 6;
	if (a->ifa_addr->sa_family != AF_INET6 || family == 4)
		return false;
	return !IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr);
}

int addr_choose(uint32_t family, const char *where, char *buf, size_t size)
{
	struct ifaddrs *all, *a, *best = NULL;
	int count[2] = { 0, 0 };
	char list[160] = "";
	int ret = 0;

	if (getifaddrs(&all))
		return err_set(-errno, NULL, "cannot list addresses: %s", strerror(errno));
	for (a = all; a; a = a->ifa_next) {
		char text[TRAFFIC_ADDR_MAX];
		bool v6;

		if (!usable(a, family))
			continue;
		v6 = a->ifa_addr->sa_family == AF_INET6;
		/* IPv4 first, if there is a choice between one of each. */
		if (!count[v6]++ && (!best || !v6))
			best = a;
		getnameinfo(a->ifa_addr,
			    v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in), text,
			    sizeof(text), NULL, 0, NI_NUMERICHOST);
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
			 *list ? ", " : "", text);
	}
	if (best && count[best->ifa_addr->sa_family == AF_INET6] == 1)
		getnameinfo(best->ifa_addr, sizeof(struct sockaddr_in6), buf, (socklen_t)size, NULL,
			    0, NI_NUMERICHOST);
	else if (best)
		ret = err_set(-EINVAL, "choose one with --addr", "%s has several addresses: %s",
			      where, list);
	else
		ret = err_set(-EADDRNOTAVAIL, "give it one (ip addr add), or choose with --addr",
			      "%s has no address another host could use", where);
	freeifaddrs(all);
	return ret;
}

uint64_t sock_option_u64(int fd, int level, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	return getsockopt(fd, level, name, &value, &len) || value < 0 ? 0 : (uint64_t)value;
}

static int set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/* The privileged option passes net.core.[rw]mem_max; without privilege take what one may have. */
static void set_buffer(int fd, uint32_t bytes, int force, int plain)
{
	if (bytes && set_int(fd, SOL_SOCKET, force, (int)bytes))
		set_int(fd, SOL_SOCKET, plain, (int)bytes);
}

/* What both ends have in common. Return: the socket or a negative errno. */
static int open_common(struct run *r, int family)
{
	const struct traffic_spec *s = &r->spec;
	bool udp = s->proto == TRAFFIC_UDP;
	int ret, fd;

	if (s->no_check && family == AF_INET6)
		return err_set(-EINVAL, "use IPv4 or leave out --no-check",
			       "IPv6 requires the UDP checksum");
	fd = socket(family, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(-errno, NULL, "cannot open a socket: %s", strerror(errno));
	set_buffer(fd, s->sndbuf, SO_SNDBUFFORCE, SO_SNDBUF);
	set_buffer(fd, s->rcvbuf, SO_RCVBUFFORCE, SO_RCVBUF);
	if (!udp && (s->nodelay || s->kind == TRAFFIC_PING))
		set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (s->busy_poll_us && set_int(fd, SOL_SOCKET, SO_BUSY_POLL, (int)s->busy_poll_us)) {
		ret = err_set(-errno, "run as root, or on a kernel with CONFIG_NET_RX_BUSY_POLL",
			      "cannot busy-poll: %s", strerror(errno));
		goto err_close;
	}
	if (s->no_check && set_int(fd, SOL_SOCKET, SO_NO_CHECK, 1)) {
		ret = err_set(-errno, NULL, "cannot turn the checksum off: %s", strerror(errno));
		goto err_close;
	}
	return fd;
err_close:
	close(fd);
	return ret;
}

int sock_receiver(struct run *r, char *addr, size_t size, uint32_t *port)
{
	const struct traffic_spec *s = &r->spec;
	struct sockaddr_storage ss;
	char which[16] = "any port", bare[TRAFFIC_ADDR_MAX];
	socklen_t len;
	int ret = 0, fd;

	if (*s->addr)
		snprintf(addr, size, "%s", s->addr);
	else
		ret = addr_choose(s->family, s->to, addr, size);
	/* A link-local address carries the scope of the sending end: accept on any. */
	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(addr, "%"), addr);
	if (!ret)
		ret = addr_parse(bare, s->port, &ss, &len);
	if (ret)
		return ret;
	if (s->port)
		snprintf(which, sizeof(which), "port %u", s->port & 0xffff);
	if (ss.ss_family == AF_INET6 &&
	    IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)&ss)->sin6_addr))
		((struct sockaddr_in6 *)&ss)->sin6_addr = in6addr_any;
	fd = open_common(r, ss.ss_family);
	if (fd < 0)
		return fd;
	if (s->proto == TRAFFIC_TCP)
		set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(fd, (struct sockaddr *)&ss, len)) {
		ret = err_set(-errno,
			      errno == EADDRINUSE ? "choose another --port"
						  : "--addr is the receiving end's own address",
			      "%s cannot receive on %s, %s: %s", s->to, addr, which,
			      strerror(errno));
		goto err_close;
	}
	if (s->gro && set_int(fd, SOL_UDP, UDP_GRO, 1)) {
		ret = err_set(-errno, "leave out --gro; UDP_GRO needs Linux 5.0",
			      "%s cannot receive joined datagrams: %s", s->to, strerror(errno));
		goto err_close;
	}
	if (s->proto == TRAFFIC_TCP && listen(fd, 1)) {
		ret = err_set(-errno, NULL, "cannot listen: %s", strerror(errno));
		goto err_close;
	}
	len = sizeof(ss);
	getsockname(fd, (struct sockaddr *)&ss, &len);
	*port = addr_port(&ss);
	r->rx.rcvbuf = sock_option_u64(fd, SOL_SOCKET, SO_RCVBUF);
	*(s->proto == TRAFFIC_TCP ? &r->listener : &r->fd) = fd;
	return 0;
err_close:
	close(fd);
	return ret;
}

int sock_accept(struct run *r)
{
	/* The handlers of watch.c end this; see there. */
	while (r->limit) {
		r->peer_len = sizeof(r->peer);
		r->fd = accept4(r->listener, (struct sockaddr *)&r->peer, &r->peer_len,
				SOCK_CLOEXEC);
		if (r->fd >= 0)
			return 0;
		if (errno != EINTR && errno != ECONNABORTED)
			return err_set(-errno, NULL, "cannot accept: %s",
				       strerror(errno));
	}
	return -EINTR;
}

/* A connect() that gives up in time, whatever the peer's firewall does to the packets. */
static int connect_within(int fd, const struct sockaddr *sa, socklen_t len, uint32_t wait_ms)
{
	struct timeval limit = { wait_ms / 1000, wait_ms % 1000 * 1000 }, none = { 0, 0 };
	int ret;

	/* For a connecting socket the send time-out bounds the wait. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	ret = connect(fd, sa, len) ? -errno : 0;
	if (ret == -EINPROGRESS)
		ret = -ETIMEDOUT;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof(none));
	return ret;
}

/* Mode bits to socket options, with the reason when the kernel says no. */
static int set_mode(struct run *r, int fd, bool v6)
{
	const struct traffic_spec *s = &r->spec;
	uint64_t mtu = sock_option_u64(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_MTU : IP_MTU);
	uint32_t header = v6 ? 48 : 28;

	if (s->mode & TRAFFIC_ZEROCOPY && set_int(fd, SOL_SOCKET, SO_ZEROCOPY, 1))
		return err_set(-errno, "use --mode plain",
			       "this kernel has no MSG_ZEROCOPY for %s (needs Linux %s): %s",
			       s->proto == TRAFFIC_UDP ? "UDP" : "TCP",
			       s->proto == TRAFFIC_UDP ? "5.0" : "4.14", strerror(errno));
	if (!(s->mode & TRAFFIC_GSO))
		return 0;
	if (mtu && s->sizes[0] + header > mtu)
		return err_set(-EMSGSIZE, "lower --size or raise the MTU",
			       "segments of %u bytes do not fit the path's MTU of %u (at most %u)",
			       s->sizes[0], (unsigned int)mtu, (unsigned int)mtu - header);
	if (set_int(fd, SOL_UDP, UDP_SEGMENT, (int)s->sizes[0]))
		return err_set(-errno, "use --mode plain or sendmmsg",
			       "this kernel has no UDP_SEGMENT (needs Linux 4.18): %s",
			       strerror(errno));
	return 0;
}

static int bind_source(const struct traffic_spec *s, int fd)
{
	struct sockaddr_storage src;
	socklen_t len;
	int ret = addr_parse(s->source, 0, &src, &len);

	if (ret || !bind(fd, (struct sockaddr *)&src, len))
		return ret;
	return err_set(-errno, "--source is the sending end's own address",
		       "%s cannot send from %s: %s", s->from, s->source, strerror(errno));
}

int sock_sender(struct run *r)
{
	const struct traffic_spec *s = &r->spec;
	struct sockaddr *sa = (struct sockaddr *)&r->peer;
	bool v6 = r->peer.ss_family == AF_INET6, udp = s->proto == TRAFFIC_UDP;
	uint64_t pace = s->rate_bps / 8;
	char addr[TRAFFIC_ADDR_MAX];
	int ret = 0, fd = open_common(r, r->peer.ss_family);

	if (fd < 0)
		return fd;
	addr_text(&r->peer, addr, sizeof(addr));
	if (*s->source)
		ret = bind_source(s, fd);
	if (ret)
		goto err_close;
	/* Connected even if each send names the destination: that finds the route and its MTU. */
	ret = udp ? (connect(fd, sa, r->peer_len) ? -errno : 0)
		  : connect_within(fd, sa, r->peer_len, s->timeout_ms);
	if (ret) {
		err_set(ret, ret == -ETIMEDOUT ? "is the link up, and no firewall in between?" :
			"check addresses and routes of both ends",
			"%s cannot connect to %s port %u: %s", s->from, addr, addr_port(&r->peer),
			strerror(-ret));
		goto err_close;
	}
	ret = set_mode(r, fd, v6);
	if (ret)
		goto err_close;
	if (udp && !s->no_recverr && !(s->mode & TRAFFIC_ZEROCOPY)) {
		/* Only so does a send tell that this host's queues dropped the datagram. Not with
		 * zero-copy, where the same ENOBUFS means that completions are outstanding. */
		set_int(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVERR : IP_RECVERR, 1);
	}
	if (!udp && pace && setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pace, sizeof(pace))) {
		ret = err_set(-errno, "leave out --rate", "cannot pace: %s", strerror(errno));
		goto err_close;
	}
	r->fd = fd;
	r->tx.sndbuf = sock_option_u64(fd, SOL_SOCKET, SO_SNDBUF);
	return 0;
err_close:
	close(fd);
	return ret;
}

void sock_control(int fd)
{
	/* Silent for ten seconds, then notice a vanished host within twenty more. */
	static const struct { int level, name, value; } options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 }, { SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, 10 }, { IPPROTO_TCP, TCP_KEEPINTVL, 5 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 4 },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		setsockopt(fd, options[i].level, options[i].name, &options[i].value, sizeof(int));
}

void sock_close(struct run *r)
{
	if (r->fd >= 0)
		close(r->fd);
	if (r->listener >= 0)
		close(r->listener);
	r->fd = r->listener = -1;
}
