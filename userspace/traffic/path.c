// SPDX-License-Identifier: GPL-2.0-or-later
/* Is the UDP path open, and has the stream ended? Asked over the data path, outside the counted part. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "traffic/engine.h"
#include "lib/err.h"
#include "traffic/msg.h"

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
	char *msg = calloc(1, size);
	/* A number of its own for each probe, so that a late answer is not taken for this one's. */
	static uint64_t number;
	int ret = 0, error = 0, refused = 0;

	if (!msg)
		return r->failed = err_set(-ENOMEM, NULL, "no memory for a message");
	while (!ret && clock_ns() < end) {
		error = ask(r, msg, size, MSG_PROBE, ++number);
		if (error == -EMSGSIZE || error == -EINVAL || error == -EIO || error == -EPERM)
			break;
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
	addr_text(&r->peer, addr, sizeof(addr));
	r->failed = err_set(error ? error : -ETIMEDOUT,
			    error == -ECONNREFUSED ? "is --addr an address of the receiving end?" :
			    size > MSG_HDR ? "small datagrams pass: do both ends have the same MTU, and is "
					     "the receive buffer large enough?"
					   : "is a firewall in between, or the route back missing?",
			    "no answer from %s port %u to UDP datagrams of %u bytes: %s", addr,
			    addr_port(&r->peer), size, strerror(error ? -error : ETIMEDOUT));
	return r->failed;
}

void path_end(struct run *r, uint64_t sent)
{
	struct msg_hdr hdr;
	int tries;

	/* If all of these are lost, the control channel still ends the run. */
	for (tries = 0; tries < 5; tries++) {
		r->tx.end_markers++;
		ask(r, &hdr, sizeof(hdr), MSG_END, sent);
		if (await_answer(r, msg_id(MSG_END_ACK, r->stream), sent, 100))
			break;
	}
}
