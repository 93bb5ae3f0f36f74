/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control channel between the command and an end: one JSON object a line, in each direction. */
#ifndef NETTOLL_TRAFFIC_CHAN_H
#define NETTOLL_TRAFFIC_CHAN_H

#include <json-c/json.h>
#include <stddef.h>

/* Nothing sensible is longer; a peer that sends more is not ours. */
#define CHAN_LINE_MAX	(1u << 20)

struct chan {
	int in, out;		/* may be the same socket */
	char *buf;
	size_t len, size;
};

void chan_init(struct chan *c, int in, int out);

/** chan_close() - close both descriptors and free the buffer */
void chan_close(struct chan *c);

/**
 * chan_send() - write one object, and drop the caller's reference to it
 *
 * Return: 0, or a negative errno; -EPIPE when the other side is gone.
 */
int chan_send(struct chan *c, struct json_object *obj);

/**
 * chan_recv() - read one object
 * @wait_ms: how long to wait; -1: for ever; 0: only what is there
 *
 * Return: 1 with @obj, 0 at the end of the channel, -ETIMEDOUT, -EINTR when a signal handler ran,
 * -EPROTO when the other side sent something that is no JSON object.
 */
int chan_recv(struct chan *c, int wait_ms, struct json_object **obj);

#endif
