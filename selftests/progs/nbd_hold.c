// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel thread that sleeps in a socket: the network block device reads from the socket it is given in a
 * work queue's thread. Prints "held" once the device runs; lets go at the end of standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/nbd.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util.h"

static int device;

/* Does not come back before the connection is gone. */
static void *run_device(void *arg)
{
	(void)arg;
	ioctl(device, NBD_DO_IT);
	return NULL;
}

int main(int argc, char **argv)
{
	char line[16], path[64];
	pthread_t thread;
	int rx, tx;

	if (argc != 2)
		die(0, "usage: nbd_hold /dev/nbdN");
	device = (int)check(open(argv[1], O_RDWR | O_CLOEXEC), argv[1]);
	tcp_pair("127.0.0.1", NULL, NULL, &rx, &tx);
	/* No size: nobody reads the device's blocks, so the kernel waits for answers that never come. */
	check(ioctl(device, NBD_SET_SOCK, tx), "NBD_SET_SOCK");
	if (pthread_create(&thread, NULL, run_device, NULL))
		die(0, "pthread_create");
	snprintf(path, sizeof(path), "/sys/block/%s/pid", argv[1] + 5);
	for (int i = 0; access(path, F_OK) && i < 1000; i++)
		usleep(10000);
	if (access(path, F_OK))
		die(0, "the device does not run");
	say("held\n");
	while (fgets(line, sizeof(line), stdin))
		;
	check(ioctl(device, NBD_DISCONNECT), "NBD_DISCONNECT");
	close(rx);
	pthread_join(thread, NULL);
	ioctl(device, NBD_CLEAR_SOCK);
	return 0;
}
