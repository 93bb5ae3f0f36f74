// SPDX-License-Identifier: GPL-2.0-only
#define KBUILD_MODNAME	"probe"
#include <net/inet_sock.h>

int probe(struct sock *sk);
int probe(struct sock *sk)
{
	return inet_test_bit(RECVERR, sk);
}
