// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends UDP datagrams from one CPU by sendto(), in bursts with pauses, so that a batch is left to the timer each time.
 *   spray ADDRESS PORT CPU BURSTS PAUSE-US
 */
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#define BURST	20
#define SIZE	200

int main(int argc, char **argv)
{
	struct sockaddr_storage to;
	struct timespec pause;
	socklen_t len;
	cpu_set_t cpu;
	long bursts, us;
	int fd;

	if (argc != 6)
		return 2;
	len = address(&to, argv[1], (uint16_t)number(argv[2], 1, 65535));
	CPU_ZERO(&cpu);
	CPU_SET((size_t)number(argv[3], 0, CPU_SETSIZE - 1), &cpu);
	bursts = number(argv[4], 1, 100000);
	us = number(argv[5], 0, 999999);
	pause = (struct timespec){ .tv_nsec = us * 1000 };
	check(sched_setaffinity(0, sizeof(cpu), &cpu), "sched_setaffinity");
	fd = (int)check(socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
	while (bursts--) {
		for (int i = 0; i < BURST; i++)
			check(sendto(fd, pattern_at(0), SIZE, 0, (struct sockaddr *)&to, len), "sendto");
		nanosleep(&pause, NULL);
	}
	return 0;
}
