// SPDX-License-Identifier: GPL-2.0-only
/*
 * What may happen to a socket while datagrams of it are gathered: they leave
 * first, as they would have left by then.
 */
#include <linux/net.h>
#include <net/sock.h>

#include "coalesce.h"
#include "front.h"

static void flush_first(struct socket *sock, enum nettoll_left left)
{
	struct nettoll_stay stay;

	if (!sock->sk || sock->sk->sk_protocol != IPPROTO_UDP)
		return;
	nettoll_stay_begin(&stay);
	nettoll_coalesce_flush(sock->sk, left);
	nettoll_stay_end(&stay);
}

/** nettoll_front_inet_release() - the last reference from a process is gone */
int nettoll_front_inet_release(struct socket *sock)
{
	flush_first(sock, NETTOLL_LEFT_END);
	return nettoll_orig(inet_release)(sock);
}

/** nettoll_front_inet_dgram_connect() - another peer, or none */
int nettoll_front_inet_dgram_connect(struct socket *sock, struct sockaddr *addr, int len, int flags)
{
	flush_first(sock, NETTOLL_LEFT_CALL);
	return nettoll_orig(inet_dgram_connect)(sock, addr, len, flags);
}

/** nettoll_front_inet_shutdown() - nothing may be sent any more */
int nettoll_front_inet_shutdown(struct socket *sock, int how)
{
	flush_first(sock, NETTOLL_LEFT_CALL);
	return nettoll_orig(inet_shutdown)(sock, how);
}

/** nettoll_front_sock_setsockopt() - an option of all sockets */
int nettoll_front_sock_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
				  unsigned int len)
{
	flush_first(sock, NETTOLL_LEFT_CALL);
	return nettoll_orig(sock_setsockopt)(sock, level, name, val, len);
}

/** nettoll_front_sock_common_setsockopt() - an option of the protocol or of IP */
int nettoll_front_sock_common_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
					 unsigned int len)
{
	flush_first(sock, NETTOLL_LEFT_CALL);
	return nettoll_orig(sock_common_setsockopt)(sock, level, name, val, len);
}
