// SPDX-License-Identifier: GPL-2.0-only
/* Of a message in the header. */
#define KBUILD_MODNAME	"probe"
#include <net/inet_sock.h>

static inline int probe(struct sock *sk)
{
	return inet_test_bit(RECVERR, sk);
}
