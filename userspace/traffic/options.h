/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of nettoll traffic. */
#ifndef NETTOLL_TRAFFIC_OPTIONS_H
#define NETTOLL_TRAFFIC_OPTIONS_H

#include "traffic/traffic.h"

enum traffic_verb { VERB_SEND, VERB_PING, VERB_RECV };

struct traffic_options {
	enum traffic_verb verb;
	struct traffic_spec spec;
	/* recv: */
	bool stdio;
	bool listen;
	bool once;
	char listen_addr[TRAFFIC_ADDR_MAX];
	uint16_t listen_port;
};

extern const char traffic_usage[];

/**
 * traffic_options() - parse the words behind "nettoll"
 *
 * Return: 0, or EXIT_USAGE after printing what is wrong.
 */
int traffic_options(int argc, char **argv, struct traffic_options *o);

#endif
