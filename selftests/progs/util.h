/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the test programs share: ending with a message, namespaces, addresses, a pattern to verify. */
#ifndef SELFTESTS_UTIL_H
#define SELFTESTS_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/** die() - say what failed, with errno's text if @err is not 0, and end with status 1 */
void die(int err, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/** check() - @ret, unless it is negative: then die with @what */
long check(long ret, const char *what);

/** number() - a decimal argument from @min to @max; dies otherwise */
long number(const char *text, long min, long max);

/** enter_ns() - into the network namespace that `ip netns` calls @name; NULL or "": where the program began */
void enter_ns(const char *name);

/** address() - of a host in numbers, and a port; returns its length */
socklen_t address(struct sockaddr_storage *ss, const char *host, uint16_t port);

/** socket_port() - the local port of a socket */
uint16_t socket_port(int fd);

/** socket_pair_udp() - a bound and a connected UDP socket, in two namespaces; port 0: any free one */
void udp_pair(const char *host, const char *rx_ns, const char *tx_ns, int *rx, int *tx);

/** tcp_pair() - both ends of a TCP connection, in two namespaces; the connecting one is @tx */
void tcp_pair(const char *host, const char *rx_ns, const char *tx_ns, int *rx, int *tx);

/*
 * Every stream of bytes has the same pattern, of a period that is prime, so that bytes that were
 * moved, lost or repeated are seen.
 */
#define PATTERN_PERIOD	65521u
#define PATTERN_MAX	(1u << 18)	/* most bytes in one piece */

/** pattern_at() - the bytes from offset @at on; at least PATTERN_MAX of them */
const uint8_t *pattern_at(uint64_t at);

/** pattern_ok() - whether @data is what stands at offset @at */
bool pattern_ok(const void *data, size_t len, uint64_t at);

/** say() - print a line at once */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
