// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Declares the kernel's random numbers to be good. In a guest without a source of entropy, and with a clock that does
 * not jitter, whoever reads /dev/urandom (libjson-c does) would wait for them for a long time. For test machines only.
 */
#include <fcntl.h>
#include <linux/random.h>
#include <string.h>
#include <sys/ioctl.h>

#include "util.h"

int main(void)
{
	struct {
		struct rand_pool_info info;
		char data[64];
	} seed = { .info = { .entropy_count = 512, .buf_size = sizeof(seed.data) } };
	int fd = (int)check(open("/dev/random", O_RDWR | O_CLOEXEC), "/dev/random");

	memset(seed.data, 'n', sizeof(seed.data));
	check(ioctl(fd, RNDADDENTROPY, &seed), "RNDADDENTROPY");
	return 0;
}
