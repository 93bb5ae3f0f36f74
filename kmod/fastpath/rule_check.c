// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a rule makes sense: what contradicts itself is refused in words.
 */
#include <linux/in.h>
#include <linux/socket.h>
#include <linux/time64.h>

#include "rule.h"

/**
 * nettoll_rule_check() - whether a rule makes sense
 * @rule: the rule
 * @attr: what of it does not, NETTOLL_A_RULE_*; 0: the whole
 *
 * Return: NULL, or what is wrong and what to do.
 */
const char *nettoll_rule_check(const struct nettoll_rule *rule, u16 *attr)
{
	const struct nettoll_action *act = &rule->given;
	const struct nettoll_match *m = &rule->match;

	*attr = 0;
	if (!act->set)
		return "a rule without an action does nothing; give zerocopy, csum-tx, csum-rx or coalesce";
	*attr = NETTOLL_A_RULE_PROTOCOL;
	if (m->protocol && m->protocol != IPPROTO_UDP && m->protocol != IPPROTO_TCP)
		return "fast paths know UDP (17) and TCP (6) only";
	*attr = NETTOLL_A_RULE_FAMILY;
	if (m->family && m->family != AF_INET && m->family != AF_INET6)
		return "fast paths know IPv4 (2) and IPv6 (10) only";
	if (!m->family)
		*attr = m->remote.family == AF_INET ? NETTOLL_A_RULE_REMOTE_ADDR4 :
						      NETTOLL_A_RULE_REMOTE_ADDR6;
	if ((m->local.family && m->remote.family && m->local.family != m->remote.family) ||
	    (m->family && m->local.family && m->family != m->local.family) ||
	    (m->family && m->remote.family && m->family != m->remote.family))
		return "the addresses and the family do not go together, so that nothing can match";
	*attr = m->lport.min > m->lport.max ? NETTOLL_A_RULE_LOCAL_PORT_MAX :
					      NETTOLL_A_RULE_REMOTE_PORT_MAX;
	if (m->lport.min > m->lport.max || m->rport.min > m->rport.max)
		return "a range of ports ends before it begins";
	*attr = NETTOLL_A_RULE_UID_MAX;
	if (m->has_uid && m->uid_min > m->uid_max)
		return "a range of users ends before it begins";
	*attr = NETTOLL_A_RULE_CSUM_RX;
	if (act->set & BIT(NETTOLL_ACT_CSUM_RX) && act->csum_rx != NETTOLL_CSUM_RX_AUTO &&
	    (m->has_uid || m->cgroup))
		return "a packet is verified before its socket is known, so csum-rx goes with neither uid nor cgroup";
	if (act->csum_rx == NETTOLL_CSUM_RX_TRUST && !(m->remote.family && m->remote.len))
		return "csum-rx trust is for named peers; give their remote prefix";
	*attr = NETTOLL_A_RULE_CSUM_TX;
	if (act->csum_tx == NETTOLL_CSUM_TX_NONE &&
	    (m->protocol != IPPROTO_UDP ||
	     (m->family ?: m->remote.family ?: m->local.family) != AF_INET))
		return "csum-tx none is for UDP over IPv4 alone; match protocol udp and family ipv4";
	*attr = act->usecs > USEC_PER_SEC ? NETTOLL_A_RULE_COALESCE_USECS :
					    NETTOLL_A_RULE_COALESCE_BYTES;
	if (act->bytes > NETTOLL_BATCH_BYTES_MAX || act->usecs > USEC_PER_SEC)
		return "a batch is at most 65507 bytes and waits at most a second";
	*attr = NETTOLL_A_RULE_COALESCE_DATAGRAMS;
	if (act->datagrams > 1 && m->protocol == IPPROTO_TCP)
		return "datagrams are gathered for UDP; TCP does so by itself";
	return NULL;
}
