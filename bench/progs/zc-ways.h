/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways in which a program can send what it need not keep a copy of.
 */
#ifndef ZC_WAYS_H
#define ZC_WAYS_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* Each way takes its buffers in turn, each once it may be written again. */
#define BUFFERS	32

/**
 * struct way - a way of sending
 * @name: its name
 * @open: have buffers of this size for a connected socket
 * @send: send the next buffer, once it is free
 * @settle: wait until all are free
 * @copied: how many sends are known to have been copied although it was asked not to
 */
struct way {
	const char *name;
	void (*open)(int fd, size_t bytes);
	void (*send)(void);
	void (*settle)(void);
	uint64_t (*copied)(void);
};

const struct way *way_find(const char *name);
void enter_netns(const char *name);
_Noreturn void die(const char *what);
_Noreturn void usage(void);

#endif /* ZC_WAYS_H */
