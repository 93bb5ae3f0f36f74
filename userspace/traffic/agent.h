/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One end of a run as a process of its own, and how the command reaches it. */
#ifndef NETTOLL_TRAFFIC_AGENT_H
#define NETTOLL_TRAFFIC_AGENT_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "traffic/chan.h"
#include "traffic/traffic.h"

/*
 * The control channel, a line of JSON each. An end begins with
 *	{"hello": {"version", "nettoll"}}
 * The command orders, and the end answers:
 *	{"op": "recv", "spec", "stream"}			{"ready": {"addr", "port"}}
 *	{"op": "send", "spec", "stream", "addr", "port"}	{"ready": {}}
 *	{"op": "go"} to the sender				{"result": {"tx", "rx", "rtt"}}
 *	{"op": "stop", "sent"} to the receiver			{"result": {"tx", "rx"}}
 * Any answer may be {"error": {"code", "text", "cure"}} instead. Between go and the results
 * nothing is said. The end of the channel ends the run and the process.
 */

/** agent_message() - {@key: @value} */
struct json_object *agent_message(const char *key, struct json_object *value);

/**
 * agent_loop() - serve one run
 * @progress: counter to keep up to date, in shared memory; may be NULL
 * @only: the one host that this end may send to; NULL: any
 *
 * Return: 0 when the channel ends, or a negative errno.
 */
int agent_loop(struct chan *c, volatile uint64_t *progress, const struct sockaddr_storage *only);

/**
 * struct peer - the command's handle of one end
 * @name: as the spec calls it
 * @role: "receiving" or "sending", for messages
 * @pid: child process (the end itself, or ssh); 0: none
 * @progress: where a local end counts; NULL when it is remote
 * @control: address of a host: peer
 */
struct peer {
	const char *name;
	const char *role;
	pid_t pid;
	struct chan chan;
	volatile uint64_t *progress;
	struct sockaddr_storage control;
	struct json_object *answer;	/* a message nobody has asked for yet */
};

/** peer_init() - an end that is not there yet; @name is kept, not copied */
void peer_init(struct peer *p, const char *name, const char *role);

/** peer_start() - start or reach an end; does not wait for its hello. Errors by err_set() */
int peer_start(struct peer *p, const struct traffic_spec *spec);

/** peer_hello_ms() - how long to wait for the hello */
int peer_hello_ms(const struct peer *p);

/** peer_died() - describe the unexpected end of the channel; returns a negative errno */
int peer_died(struct peer *p, const struct traffic_spec *spec);

/** peer_end() - end the run there and the process here; returns when the child is gone */
void peer_end(struct peer *p);

#endif
