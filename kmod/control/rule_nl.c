// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules over netlink: reading them from requests and writing them to replies.
 */
#include <linux/cgroup.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "../compat/genl.h"
#include "../fastpath/rule.h"
#include "dump.h"
#include "netlink_gen.h"
#include "rule_nl.h"

/* The user namespace of a network namespace says who may rule in it. */
static int may_rule(struct sk_buff *skb, struct genl_info *info)
{
	if (netlink_ns_capable(skb, genl_info_net(info)->user_ns, CAP_NET_ADMIN))
		return 0;
	NL_SET_ERR_MSG(info->extack, "rules need CAP_NET_ADMIN in this network namespace");
	return -EPERM;
}

static int refuse(struct genl_info *info, unsigned int attr, int err, const char *why)
{
	if (info->extack) {
		info->extack->_msg = why;
		info->extack->bad_attr = attr ? info->attrs[attr] : NULL;
	}
	return err;
}

/* The attributes that hold one prefix. */
struct prefix_attrs {
	u16 addr4;
	u16 addr6;
	u16 len;
};

static const struct prefix_attrs local_attrs = {
	NETTOLL_A_RULE_LOCAL_ADDR4, NETTOLL_A_RULE_LOCAL_ADDR6, NETTOLL_A_RULE_LOCAL_PREFIX
};

static const struct prefix_attrs remote_attrs = {
	NETTOLL_A_RULE_REMOTE_ADDR4, NETTOLL_A_RULE_REMOTE_ADDR6, NETTOLL_A_RULE_REMOTE_PREFIX
};

static int parse_prefix(struct genl_info *info, struct nettoll_prefix *prefix,
			const struct prefix_attrs *at)
{
	struct nlattr *addr4 = info->attrs[at->addr4], *addr6 = info->attrs[at->addr6];
	struct nlattr *len = info->attrs[at->len];

	if (addr4 && addr6)
		return refuse(info, at->addr6, -EINVAL, "one address cannot be of both families");
	if (!addr4 && !addr6)
		return len ? refuse(info, at->len, -EINVAL, "a prefix length without an address") : 0;
	prefix->family = addr4 ? AF_INET : AF_INET6;
	prefix->len = addr4 ? 32 : 128;
	if (addr4)
		prefix->addr.s6_addr32[0] = nla_get_in_addr(addr4);
	else
		prefix->addr = nla_get_in6_addr(addr6);
	if (len && nla_get_u8(len) > prefix->len)
		return refuse(info, at->len, -EINVAL, "a prefix length is at most 32 for IPv4 and 128 for IPv6");
	if (len)
		prefix->len = nla_get_u8(len);
	nettoll_prefix_trim(prefix);
	return 0;
}

static int parse_ports(struct genl_info *info, struct nettoll_ports *ports, unsigned int min,
		       unsigned int max)
{
	if (!info->attrs[min])
		return info->attrs[max] ?
		       refuse(info, max, -EINVAL, "the last port of a range without the first") : 0;
	ports->min = nla_get_u16(info->attrs[min]);
	ports->max = info->attrs[max] ? nla_get_u16(info->attrs[max]) : ports->min;
	return ports->max ? 0 : refuse(info, min, -EINVAL, "there is no port 0");
}

static int parse_cgroup(struct genl_info *info, struct nettoll_rule *rule)
{
	struct nlattr *attr = info->attrs[NETTOLL_A_RULE_CGROUP];
	struct cgroup *cgrp;

	if (!attr)
		return 0;
	if (!IS_ENABLED(CONFIG_SOCK_CGROUP_DATA))
		return refuse(info, NETTOLL_A_RULE_CGROUP, -EOPNOTSUPP, "sockets of this kernel do not know their cgroup (CONFIG_CGROUPS)");
	rule->cgroup_path = nla_strdup(attr, GFP_KERNEL_ACCOUNT);
	if (!rule->cgroup_path)
		return -ENOMEM;
	cgrp = cgroup_get_from_path(rule->cgroup_path);
	if (IS_ERR(cgrp))
		return refuse(info, NETTOLL_A_RULE_CGROUP, PTR_ERR(cgrp), "no such cgroup v2; give its path below the root of the hierarchy, as /proc/PID/cgroup shows it");
	rule->match.cgroup = cgroup_id(cgrp);
	cgroup_put(cgrp);
	return 0;
}

static int parse_uid(struct sk_buff *skb, struct genl_info *info, struct nettoll_match *m)
{
	struct nlattr *min = info->attrs[NETTOLL_A_RULE_UID_MIN];
	struct nlattr *max = info->attrs[NETTOLL_A_RULE_UID_MAX];
	struct user_namespace *ns = sk_user_ns(NETLINK_CB(skb).sk);
	kuid_t first, last;

	if (!min)
		return max ? refuse(info, NETTOLL_A_RULE_UID_MAX, -EINVAL,
				    "the last user of a range without the first") : 0;
	max = max ?: min;
	first = make_kuid(ns, nla_get_u32(min));
	last = make_kuid(ns, nla_get_u32(max));
	/* A range with holes in the mapping would match users of other namespaces. */
	if (!uid_valid(first) || !uid_valid(last) ||
	    __kuid_val(last) - __kuid_val(first) != nla_get_u32(max) - nla_get_u32(min))
		return refuse(info, NETTOLL_A_RULE_UID_MIN, -EINVAL, "no such users in this user namespace, or not in one piece");
	m->uid_min = __kuid_val(first);
	m->uid_max = __kuid_val(last);
	m->has_uid = true;
	return 0;
}

/* The attributes of an action, each a u32. */
static const u16 action_attrs[NETTOLL_ACTS] = {
	[NETTOLL_ACT_ZEROCOPY] = NETTOLL_A_RULE_ZEROCOPY,
	[NETTOLL_ACT_ZEROCOPY_MIN] = NETTOLL_A_RULE_ZEROCOPY_MIN,
	[NETTOLL_ACT_CSUM_TX] = NETTOLL_A_RULE_CSUM_TX,
	[NETTOLL_ACT_CSUM_RX] = NETTOLL_A_RULE_CSUM_RX,
	[NETTOLL_ACT_AUDIT_RATE] = NETTOLL_A_RULE_AUDIT_RATE,
	[NETTOLL_ACT_DATAGRAMS] = NETTOLL_A_RULE_COALESCE_DATAGRAMS,
	[NETTOLL_ACT_BYTES] = NETTOLL_A_RULE_COALESCE_BYTES,
	[NETTOLL_ACT_USECS] = NETTOLL_A_RULE_COALESCE_USECS,
};

static void parse_action(struct genl_info *info, struct nettoll_action *act)
{
	struct nlattr *attr;
	int i;

	for (i = 0; i < NETTOLL_ACTS; i++) {
		attr = info->attrs[action_attrs[i]];
		if (!attr)
			continue;
		act->value[i] = nla_get_u32(attr);
		act->set |= BIT(i);
	}
}

static int parse_match(struct sk_buff *skb, struct genl_info *info, struct nettoll_match *m)
{
	if (info->attrs[NETTOLL_A_RULE_PROTOCOL])
		m->protocol = nla_get_u8(info->attrs[NETTOLL_A_RULE_PROTOCOL]);
	if (info->attrs[NETTOLL_A_RULE_FAMILY])
		m->family = nla_get_u16(info->attrs[NETTOLL_A_RULE_FAMILY]);
	if (info->attrs[NETTOLL_A_RULE_DEVICE])
		nla_strscpy(m->device, info->attrs[NETTOLL_A_RULE_DEVICE], sizeof(m->device));
	return parse_prefix(info, &m->local, &local_attrs) ?:
	       parse_prefix(info, &m->remote, &remote_attrs) ?:
	       parse_ports(info, &m->lport, NETTOLL_A_RULE_LOCAL_PORT_MIN,
			   NETTOLL_A_RULE_LOCAL_PORT_MAX) ?:
	       parse_ports(info, &m->rport, NETTOLL_A_RULE_REMOTE_PORT_MIN,
			   NETTOLL_A_RULE_REMOTE_PORT_MAX) ?:
	       parse_uid(skb, info, m);
}

/* The rule that a request describes, or an error. */
static struct nettoll_rule *parse_rule(struct sk_buff *skb, struct genl_info *info)
{
	struct nettoll_rule *rule = nettoll_rule_new();
	const char *wrong;
	u16 attr;
	int err;

	if (!rule)
		return ERR_PTR(-ENOMEM);
	err = parse_match(skb, info, &rule->match) ?: parse_cgroup(info, rule);
	if (err)
		goto put;
	parse_action(info, &rule->given);
	wrong = nettoll_rule_check(rule, &attr);
	if (wrong) {
		err = refuse(info, attr, -EINVAL, wrong);
		goto put;
	}
	return rule;

put:
	nettoll_rule_put(rule);
	return ERR_PTR(err);
}

static int put_prefix(struct sk_buff *msg, const struct nettoll_prefix *prefix,
		      const struct prefix_attrs *at)
{
	if (!prefix->family)
		return 0;
	return (prefix->family == AF_INET ?
		nla_put_in_addr(msg, at->addr4, prefix->addr.s6_addr32[0]) :
		nla_put_in6_addr(msg, at->addr6, &prefix->addr)) ?:
	       nla_put_u8(msg, at->len, prefix->len);
}

static int put_ports(struct sk_buff *msg, const struct nettoll_ports *ports, int min, int max)
{
	if (!ports->max)
		return 0;
	return nla_put_u16(msg, min, ports->min) ?: nla_put_u16(msg, max, ports->max);
}

static int put_match(struct sk_buff *msg, const struct nettoll_match *m,
		     struct user_namespace *ns)
{
	if ((m->protocol && nla_put_u8(msg, NETTOLL_A_RULE_PROTOCOL, m->protocol)) ||
	    (m->family && nla_put_u16(msg, NETTOLL_A_RULE_FAMILY, m->family)) ||
	    (m->device[0] && nla_put_string(msg, NETTOLL_A_RULE_DEVICE, m->device)))
		return -EMSGSIZE;
	if (m->has_uid &&
	    (nla_put_u32(msg, NETTOLL_A_RULE_UID_MIN,
			 from_kuid_munged(ns, KUIDT_INIT(m->uid_min))) ||
	     nla_put_u32(msg, NETTOLL_A_RULE_UID_MAX,
			 from_kuid_munged(ns, KUIDT_INIT(m->uid_max)))))
		return -EMSGSIZE;
	return put_prefix(msg, &m->local, &local_attrs) ?:
	       put_prefix(msg, &m->remote, &remote_attrs) ?:
	       put_ports(msg, &m->lport, NETTOLL_A_RULE_LOCAL_PORT_MIN,
			 NETTOLL_A_RULE_LOCAL_PORT_MAX) ?:
	       put_ports(msg, &m->rport, NETTOLL_A_RULE_REMOTE_PORT_MIN,
			 NETTOLL_A_RULE_REMOTE_PORT_MAX);
}

static int put_action(struct sk_buff *msg, const struct nettoll_action *act)
{
	int i;

	for (i = 0; i < NETTOLL_ACTS; i++)
		if (act->set & BIT(i) && nla_put_u32(msg, action_attrs[i], act->value[i]))
			return -EMSGSIZE;
	return 0;
}

static int put_fallback(struct sk_buff *msg, u32 reason, u64 count)
{
	struct nlattr *nest = nla_nest_start(msg, NETTOLL_A_RULE_FALLBACK);

	if (!nest || nla_put_u32(msg, NETTOLL_A_RULE_FALLBACK_REASON, reason) ||
	    nla_put_u64_64bit(msg, NETTOLL_A_RULE_FALLBACK_COUNT, count,
			      NETTOLL_A_RULE_FALLBACK_PAD))
		return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static int put_count(struct sk_buff *msg, const struct nettoll_rule_count *sum)
{
	static const struct {
		u16 attr;
		u16 offset;
	} counts[] = {
#define COUNT(name, member) { NETTOLL_A_RULE_##name, offsetof(struct nettoll_rule_count, member) }
		COUNT(SOCKETS, sockets),
		COUNT(SENDS, sends),
		COUNT(BYTES, bytes),
		COUNT(ZEROCOPY_BYTES, zerocopy_bytes),
		COUNT(COPIED_BYTES, copied_bytes),
		COUNT(COALESCED, coalesced),
		COUNT(BATCHES, batches),
		COUNT(CSUM_PACKETS, csum_packets),
		COUNT(AUDITED, audited),
		COUNT(DISAGREED, disagreed),
#undef COUNT
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++)
		if (nla_put_u64_64bit(msg, counts[i].attr,
				      *(u64 *)((void *)sum + counts[i].offset),
				      NETTOLL_A_RULE_PAD))
			return -EMSGSIZE;
	for (i = 0; i < NETTOLL_FALLBACKS; i++)
		if (sum->fallback[i] && put_fallback(msg, i, sum->fallback[i]))
			return -EMSGSIZE;
	return 0;
}

static int put_rule(struct sk_buff *msg, const struct nettoll_rule *rule,
		    struct user_namespace *ns)
{
	struct nettoll_rule_count sum;

	nettoll_rule_sum(rule, &sum);
	return nla_put_u32(msg, NETTOLL_A_RULE_ID, rule->id) ?:
	       put_match(msg, &rule->match, ns) ?:
	       (rule->cgroup_path ?
		nla_put_string(msg, NETTOLL_A_RULE_CGROUP, rule->cgroup_path) ?:
		nla_put_u64_64bit(msg, NETTOLL_A_RULE_CGROUP_ID, rule->match.cgroup,
				  NETTOLL_A_RULE_PAD) : 0) ?:
	       put_action(msg, &rule->given) ?:
	       put_count(msg, &sum);
}

/** nettoll_nl_rule_add_doit() - NETTOLL_CMD_RULE_ADD */
int nettoll_nl_rule_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *before = info->attrs[NETTOLL_A_RULE_BEFORE];
	struct net *net = genl_info_net(info);
	const char *why = NULL;
	struct nettoll_rule *rule;
	struct sk_buff *msg;
	void *hdr;
	u32 id;
	int err;

	err = may_rule(skb, info);
	if (err)
		return err;
	if (info->attrs[NETTOLL_A_RULE_ID])
		return refuse(info, NETTOLL_A_RULE_ID, -EINVAL, "a new rule gets its number from the kernel");
	rule = parse_rule(skb, info);
	if (IS_ERR(rule))
		return PTR_ERR(rule);
	/* Before anything changes, since the answer must not fail then. */
	msg = nettoll_nl_reply_new(info, NETTOLL_CMD_RULE_ADD, &hdr);
	if (!msg) {
		nettoll_rule_put(rule);
		return -ENOMEM;
	}
	mutex_lock(&nettoll_rules_lock);
	err = nettoll_rule_add(net, rule, before ? nla_get_u32(before) : 0, &why);
	id = rule->id;
	mutex_unlock(&nettoll_rules_lock);
	nettoll_rule_put(rule);
	if (err) {
		nlmsg_free(msg);
		return refuse(info, NETTOLL_A_RULE_BEFORE, err, why);
	}
	nettoll_notify_rule(net, id, task_tgid_nr(current));
	return nettoll_nl_reply_send(msg, hdr, info, nla_put_u32(msg, NETTOLL_A_RULE_ID, id));
}

/** nettoll_nl_rule_set_doit() - NETTOLL_CMD_RULE_SET */
int nettoll_nl_rule_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	const char *why = NULL;
	struct nettoll_rule *rule;
	u32 id;
	int err;

	err = may_rule(skb, info);
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, NETTOLL_A_RULE_ID))
		return -EINVAL;
	if (info->attrs[NETTOLL_A_RULE_BEFORE])
		return refuse(info, NETTOLL_A_RULE_BEFORE, -EINVAL, "a rule is replaced where it stands; delete and add it to move it");
	rule = parse_rule(skb, info);
	if (IS_ERR(rule))
		return PTR_ERR(rule);
	id = nla_get_u32(info->attrs[NETTOLL_A_RULE_ID]);
	rule->id = id;
	mutex_lock(&nettoll_rules_lock);
	err = nettoll_rule_set(net, rule, &why);
	mutex_unlock(&nettoll_rules_lock);
	nettoll_rule_put(rule);
	if (err)
		return refuse(info, NETTOLL_A_RULE_ID, err, why);
	nettoll_notify_rule(net, id, task_tgid_nr(current));
	return 0;
}

/** nettoll_nl_rule_del_doit() - NETTOLL_CMD_RULE_DEL */
int nettoll_nl_rule_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[NETTOLL_A_RULE_ID];
	bool all = info->attrs[NETTOLL_A_RULE_ALL];
	struct net *net = genl_info_net(info);
	int err;

	err = may_rule(skb, info);
	if (err)
		return err;
	if (!id == !all) {
		NL_SET_ERR_MSG(info->extack, "give the number of a rule, or all");
		return -EINVAL;
	}
	mutex_lock(&nettoll_rules_lock);
	err = all ? nettoll_rules_flush(net) : nettoll_rule_del(net, nla_get_u32(id));
	mutex_unlock(&nettoll_rules_lock);
	if (err == -ENOENT)
		return refuse(info, NETTOLL_A_RULE_ID, err, "no rule of that number; list the rules");
	if (err)
		return err;
	nettoll_notify_rule(net, all ? 0 : nla_get_u32(id), task_tgid_nr(current));
	return 0;
}

/** nettoll_nl_rule_get_doit() - NETTOLL_CMD_RULE_GET of one rule, by number */
int nettoll_nl_rule_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nettoll_rules *rules;
	struct sk_buff *msg;
	int err = -ENOENT;
	unsigned int i;
	void *hdr;
	u32 id;

	err = may_rule(skb, info);
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, NETTOLL_A_RULE_ID))
		return -EINVAL;
	id = nla_get_u32(info->attrs[NETTOLL_A_RULE_ID]);
	msg = nettoll_nl_reply_new(info, NETTOLL_CMD_RULE_GET, &hdr);
	if (!msg)
		return -ENOMEM;
	err = -ENOENT;
	mutex_lock(&nettoll_rules_lock);
	rules = nettoll_rules_locked(genl_info_net(info));
	for (i = 0; id && rules && i < rules->n; i++)
		if (rules->rule[i]->id == id)
			err = put_rule(msg, rules->rule[i], sk_user_ns(NETLINK_CB(skb).sk));
	mutex_unlock(&nettoll_rules_lock);
	if (err == -ENOENT)
		refuse(info, NETTOLL_A_RULE_ID, err, "no rule of that number; list the rules");
	return nettoll_nl_reply_send(msg, hdr, info, err);
}

/** nettoll_nl_rule_get_dumpit() - NETTOLL_CMD_RULE_GET of all rules of the namespace */
int nettoll_nl_rule_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = sock_net(cb->skb->sk);
	const struct nettoll_rules *rules;
	unsigned int i;
	void *hdr;
	int err = 0;

	/* Who an application sends to is not for everyone to read. */
	if (!netlink_ns_capable(cb->skb, net->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	mutex_lock(&nettoll_rules_lock);
	rules = nettoll_rules_locked(net);
	/* 0 would mean that there is no sequence to check. */
	cb->seq = nettoll_rules_net_gen(net) + 1;
	for (i = cb->args[0]; rules && i < rules->n && rules->rule[i]->id; i++) {
		hdr = nettoll_nl_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				     NLM_F_MULTI, NETTOLL_CMD_RULE_GET);
		if (!hdr)
			break;
		genl_dump_check_consistent(cb, hdr);
		if (put_rule(skb, rules->rule[i], sk_user_ns(NETLINK_CB(cb->skb).sk))) {
			genlmsg_cancel(skb, hdr);
			/* Nothing would look like the end, and the rest be left out. */
			err = skb->len ? 0 : -EMSGSIZE;
			break;
		}
		genlmsg_end(skb, hdr);
	}
	mutex_unlock(&nettoll_rules_lock);
	cb->args[0] = i;
	return err ?: skb->len;
}
