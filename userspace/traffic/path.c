// SPDX-License-Identifier: GPL-2.0-or-later
/* Is the UDP path open, has the stream ended? Asked on the data path, before and after counting. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "traffic/engine.h"
#include "lib/err.h"
#include "traffic/msg.h"

#define END_TRIES	6
#define END_WAIT_MS	20	/* for the first answer; doubled for each further try */
#define END_FULL_MAX	100	/* naps of a millisecond for room in the local queue */

/* Wait for a datagram that starts with @id and @seq. Return: 1, 0 on time-out, negative errno. */
static int await_answer(struct run *r, uint64_t id, uint64_t seq, uint32_t wait_ms)
{
	uint64_t end = clock_ns() + wait_ms * 1000000ull, now;
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	struct msg_hdr hdr;

	while ((now = clock_ns()) < end) {
		if (poll(&p, 1, (int)((end - now + 999999) / 1000000)) <= 0)
			continue;
		if (recv(r->fd, &hdr, sizeof(hdr), MSG_DONTWAIT) == sizeof(hdr)) {
			if (hdr.id == id && le64toh(hdr.seq) == seq)
				return 1;
		} else if (errno == ECONNREFUSED) {
			return -errno;
		}
	}
	return 0;
}

static int ask(struct run *r, void *msg, uint32_t size, enum msg_type type, uint64_t seq)
{
	struct msg_hdr *hdr = msg;

	hdr->id = msg_id(type, r->stream);
	hdr->seq = htole64(seq);
	return send(r->fd, msg, size, 0) == (ssize_t)size ? 0 : -errno;
}

int path_probe(struct run *r, uint32_t size, uint32_t wait_ms)
{
	uint64_t end = clock_ns() + wait_ms * 1000000ull, id = msg_id(MSG_PROBE_ACK, r->stream);
	char addr[TRAFFIC_ADDR_MAX];
	const char *cure;
	char *msg = calloc(1, size);
	/* A number of its own for each probe, so that a late answer is not taken for this one's. */
	static uint64_t number;
	int ret = 0, error = 0, refused = 0;

	if (!msg)
		return r->failed = err_set(-ENOMEM, NULL, "no memory for a message");
	while (!ret && clock_ns() < end) {
		error = ask(r, msg, size, MSG_PROBE, ++number);
		/* What this host itself refuses will not get better. */
		if (error == -EMSGSIZE || error == -EINVAL || error == -EIO || error == -EPERM) {
			free(msg);
			return sender_trouble(r, -error);
		}
		ret = await_answer(r, id, number, 200);
		if (ret < 0)
			error = ret;
		/* A closed port is an answer, but maybe to a stray datagram of another run. */
		if (ret == -ECONNREFUSED && ++refused < 3)
			ret = 0;
	}
	free(msg);
	if (ret > 0)
		return 0;
	if (error == -ECONNREFUSED)
		cure = "is --addr an address of the receiving end?";
	else if (size > MSG_HDR)
		cure = "small ones pass: same MTU at both ends? --rcvbuf large enough?";
	else
		cure = "is a firewall in between, or the route back missing?";
	addr_text(&r->peer, addr, sizeof(addr));
	error = error ? error : -ETIMEDOUT;
	r->failed = err_set(error, cure,
			    "no answer from %s port %u to UDP datagrams of %u bytes: %s", addr,
			    addr_port(&r->peer), size, strerror(-error));
	return r->failed;
}

void path_end(struct run *r, uint64_t sent)
{
	struct timespec nap = { 0, 1000000 };
	struct msg_hdr hdr;
	unsigned int tries, wait_ms = END_WAIT_MS;
	int full = 0;

	/* If all of these are lost, the control channel still ends the run. */
	for (tries = 0; tries < END_TRIES; tries++, wait_ms *= 2) {
		uint64_t seq = msg_end_seq(sent, tries);

		r->tx.end_markers++;
		/* Our own queue is full: its place is right behind the last message. */
		while (ask(r, &hdr, sizeof(hdr), MSG_END, seq) == -ENOBUFS && ++full < END_FULL_MAX)
			nanosleep(&nap, NULL);
		if (await_answer(r, msg_id(MSG_END_ACK, r->stream), seq, wait_ms))
			break;
	}
}
