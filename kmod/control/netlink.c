// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family: requests that change something, the status, and
 * the change notifications. The dumps are in dump.c.
 */
#include <linux/module.h>
#include <linux/sched.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "../account/account.h"
#include "../account/calibrate.h"
#include "../account/duty.h"
#include "../compat/clock.h"
#include "../compat/genl.h"
#include "../fastpath/moderate.h"
#include "../version.h"
#include "netlink.h"
#include "netlink_gen.h"
#include "dump.h"
#include "rule_nl.h"
#include "settings.h"

/* The generated tables; the multicast groups among them are static. */
#include "netlink_gen.c"

static struct genl_family nettoll_nl_family __ro_after_init = {
	.name		= NETTOLL_FAMILY_NAME,
	.version	= NETTOLL_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.mcgrps		= nettoll_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(nettoll_nl_mcgrps),
};

/** nettoll_nl_put() - begin a message of the family; NULL if there is no room */
void *nettoll_nl_put(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd)
{
	return genlmsg_put(skb, portid, seq, &nettoll_nl_family, flags, cmd);
}

/** nettoll_nl_reply_new() - an answer of one page at most; NULL without memory */
struct sk_buff *nettoll_nl_reply_new(struct genl_info *info, u8 cmd, void **hdr)
{
	struct sk_buff *msg = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!msg)
		return NULL;
	*hdr = nettoll_nl_put(msg, info->snd_portid, info->snd_seq, 0, cmd);
	if (!*hdr) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/** nettoll_nl_reply_send() - send an answer, or, with @err, free it and return that */
int nettoll_nl_reply_send(struct sk_buff *msg, void *hdr, struct genl_info *info, int err)
{
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

static int put_cost(struct sk_buff *msg, unsigned int backend, int inner, int outer)
{
	const struct nettoll_cost *cost = nettoll_cost(backend);

	if (!cost->known)
		return 0;
	return nla_put_u64_64bit(msg, inner, cost->inner, NETTOLL_A_STATUS_PAD) ?:
	       nla_put_u64_64bit(msg, outer, cost->outer, NETTOLL_A_STATUS_PAD);
}

static int put_known_u32(struct sk_buff *msg, int attr, u32 value)
{
	return value ? nla_put_u32(msg, attr, value) : 0;
}

/* With any function attached, the switch probe is. */
static unsigned int hooks_attached(void)
{
	unsigned int n = nettoll_duty_hooks() ?: nettoll_account_attached();

	return n ? n + 1 : 0;
}

/** nettoll_nl_status_get_doit() - NETTOLL_CMD_STATUS_GET */
int nettoll_nl_status_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg;
	void *hdr;
	int err;

	msg = nettoll_nl_reply_new(info, NETTOLL_CMD_STATUS_GET, &hdr);
	if (!msg)
		return -ENOMEM;
	err = nla_put_string(msg, NETTOLL_A_STATUS_VERSION, NETTOLL_VERSION) ?:
	      nla_put_u32(msg, NETTOLL_A_STATUS_STATE, nettoll_duty_hooks() ?
			  NETTOLL_STATE_ATTACHED : nettoll_account_state()) ?:
	      nla_put_u32(msg, NETTOLL_A_STATUS_BACKENDS, nettoll_backend_mask()) ?:
	      nla_put_u32(msg, NETTOLL_A_STATUS_TSC_KHZ, nettoll_clock_khz()) ?:
	      nla_put_u32(msg, NETTOLL_A_STATUS_CPUS, num_possible_cpus()) ?:
	      nla_put_u32(msg, NETTOLL_A_STATUS_HOOKS, NETTOLL_HOOKS_LISTED) ?:
	      nla_put_u32(msg, NETTOLL_A_STATUS_HOOKS_ATTACHED,
			  hooks_attached()) ?:
	      nla_put_u32(msg, NETTOLL_A_STATUS_DUTY, nettoll_duty()) ?:
	      put_known_u32(msg, NETTOLL_A_STATUS_CEILING, nettoll_duty_ceiling()) ?:
	      put_known_u32(msg, NETTOLL_A_STATUS_WINDOW_MS, nettoll_duty_window_ms()) ?:
	      nla_put_u32(msg, NETTOLL_A_STATUS_GENERATION, nettoll_account_generation()) ?:
	      nla_put_u64_64bit(msg, NETTOLL_A_STATUS_SPANS_OPEN,
				max_t(s64, nettoll_span_open(), 0), NETTOLL_A_STATUS_PAD) ?:
	      put_cost(msg, NETTOLL_BACKEND_DIRECT, NETTOLL_A_STATUS_SPAN_INNER,
		       NETTOLL_A_STATUS_SPAN_OUTER) ?:
	      put_cost(msg, NETTOLL_BACKEND_KRETPROBE, NETTOLL_A_STATUS_PROBE_INNER,
		       NETTOLL_A_STATUS_PROBE_OUTER) ?:
	      put_cost(msg, NETTOLL_BACKEND_FPROBE, NETTOLL_A_STATUS_FPROBE_INNER,
		       NETTOLL_A_STATUS_FPROBE_OUTER) ?:
	      nla_put_u64_64bit(msg, NETTOLL_A_STATUS_ATTACHED_NS, nettoll_account_attached_ns(),
				NETTOLL_A_STATUS_PAD);
	return nettoll_nl_reply_send(msg, hdr, info, err);
}

/** nettoll_nl_hook_get_doit() - NETTOLL_CMD_HOOK_GET of one hook, by name */
int nettoll_nl_hook_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *name = info->attrs[NETTOLL_A_HOOK_NAME];
	struct sk_buff *msg;
	void *hdr;
	int id, err;

	if (GENL_REQ_ATTR_CHECK(info, NETTOLL_A_HOOK_NAME))
		return -EINVAL;
	id = nettoll_hook_find(nla_data(name));
	if (id < 0) {
		NL_SET_ERR_MSG_ATTR(info->extack, name, "no such hook; dump the hooks for their names");
		return id;
	}
	msg = nettoll_nl_reply_new(info, NETTOLL_CMD_HOOK_GET, &hdr);
	if (!msg)
		return -ENOMEM;
	mutex_lock(&nettoll_account_lock);
	err = nettoll_nl_put_hook(msg, id);
	mutex_unlock(&nettoll_account_lock);
	return nettoll_nl_reply_send(msg, hdr, info, err);
}

/* The hooks that a request names: by layer, by name, or all. */
static int parse_set(struct genl_info *info, unsigned long *set)
{
	const struct nlattr *attr;
	char name[64];
	bool named = false;
	int rem, id;

	bitmap_zero(set, NETTOLL_HOOKS);
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		switch (nla_type(attr)) {
		case NETTOLL_A_ATTACH_LAYER:
			named = true;
			nettoll_for_each_hook(id)
				if (nettoll_hooks[id].layer == nla_get_u32(attr))
					__set_bit(id, set);
			break;
		case NETTOLL_A_ATTACH_HOOK:
			named = true;
			nla_strscpy(name, attr, sizeof(name));
			id = nettoll_hook_find(name);
			if (id < 0) {
				NL_SET_ERR_MSG_ATTR(info->extack, attr,
						    "no such hook; dump the hooks for their names");
				return id;
			}
			__set_bit(id, set);
			break;
		}
	}
	if (!named)
		bitmap_fill(set, NETTOLL_HOOKS);
	return 0;
}

/* The reason of the first failure travels as the text of the error. */
static void explain(struct genl_info *info, const struct nettoll_outcome *out)
{
	if (out->first < 0)
		NL_SET_ERR_MSG(info->extack, "the tracepoints that spans need cannot be probed; free some memory, or see the kernel log");
	else if (info->extack)
		info->extack->_msg = nettoll_hooks[out->first].why;
}

static int reply_outcome(struct sk_buff *msg, void *hdr, struct genl_info *info,
			 const struct nettoll_outcome *out)
{
	int err;

	err = nla_put_u32(msg, NETTOLL_A_ATTACH_ATTACHED, out->changed) ?:
	      nla_put_u32(msg, NETTOLL_A_ATTACH_FAILED, out->failed) ?:
	      nla_put_u32(msg, NETTOLL_A_ATTACH_ABSENT, out->absent);
	return nettoll_nl_reply_send(msg, hdr, info, err);
}

/* In the initial namespace only: the hooks are the whole machine's. */
static int may_change(struct genl_info *info)
{
	if (genl_info_net(info) == &init_net)
		return 0;
	NL_SET_ERR_MSG(info->extack, "hooks belong to the whole machine; ask in the initial network namespace");
	return -EPERM;
}

/** nettoll_nl_attach_doit() - NETTOLL_CMD_ATTACH */
int nettoll_nl_attach_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[NETTOLL_A_ATTACH_BACKEND];
	bool strict = info->attrs[NETTOLL_A_ATTACH_STRICT];
	u32 duty = NETTOLL_DUTY_ALWAYS, window_ms = NETTOLL_DUTY_WINDOW_MS, ceiling = 0;
	unsigned int backend = nettoll_default_backend(), joined;
	bool windows, changed;
	DECLARE_BITMAP(set, NETTOLL_HOOKS);
	struct nettoll_outcome out;
	struct sk_buff *msg;
	void *hdr;
	int err;

	err = may_change(info) ?: parse_set(info, set);
	if (err)
		return err;
	if (attr)
		backend = nla_get_u32(attr);
	if (backend == NETTOLL_BACKEND_TRACEPOINT) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "functions have no tracepoint; use auto, direct, kretprobe or fprobe");
		return -EINVAL;
	}
	if (!(nettoll_backend_mask() & BIT(backend))) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "this kernel does not offer that backend; use auto or kretprobe");
		return -EOPNOTSUPP;
	}

	if (info->attrs[NETTOLL_A_ATTACH_DUTY])
		duty = nla_get_u32(info->attrs[NETTOLL_A_ATTACH_DUTY]);
	attr = info->attrs[NETTOLL_A_ATTACH_CEILING];
	if (attr && info->attrs[NETTOLL_A_ATTACH_DUTY]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "a ceiling picks the duty by itself; give one of the two");
		return -EINVAL;
	}
	if (attr) {
		if (!nettoll_clock_khz()) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr, "the rate of this machine's cycle counter is unknown, and so is what cycles cost; give a duty instead");
			return -EOPNOTSUPP;
		}
		ceiling = nla_get_u32(attr);
		window_ms = NETTOLL_DUTY_CEILING_WINDOW_MS;
	}
	if (info->attrs[NETTOLL_A_ATTACH_WINDOW_MS])
		window_ms = nla_get_u32(info->attrs[NETTOLL_A_ATTACH_WINDOW_MS]);

	/* What has been done must not be answered with "no memory": so the answer's comes first. */
	msg = nettoll_nl_reply_new(info, NETTOLL_CMD_ATTACH, &hdr);
	if (!msg)
		return -ENOMEM;
	windows = duty < NETTOLL_DUTY_ALWAYS || ceiling;
	mutex_lock(&nettoll_account_lock);
	if (windows) {
		err = nettoll_duty_init();
		if (err) {
			NL_SET_ERR_MSG(info->extack, "out of memory for the readings that windows need; attach without");
			goto unlock;
		}
	}
	joined = nettoll_duty_join(set);
	err = nettoll_account_attach(set, backend, strict, &out);
	if (err) {
		explain(info, &out);
		nettoll_duty_resume();
		goto unlock;
	}
	out.changed -= min(out.changed, joined);
	changed = windows || nettoll_duty_hooks();
	if (windows && nettoll_account_attached())
		nettoll_duty_start(set, backend, duty, ceiling, window_ms);
	else
		nettoll_duty_stop();
	/* Windows that come, go or change are a change, too. */
	if (changed)
		nettoll_account_touch();
unlock:
	mutex_unlock(&nettoll_account_lock);
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	if (out.changed)
		nettoll_notify_hooks(NETTOLL_EVENT_ATTACH, out.changed, task_tgid_nr(current));
	return reply_outcome(msg, hdr, info, &out);
}

/** nettoll_nl_detach_doit() - NETTOLL_CMD_DETACH */
int nettoll_nl_detach_doit(struct sk_buff *skb, struct genl_info *info)
{
	DECLARE_BITMAP(set, NETTOLL_HOOKS);
	struct nettoll_outcome out;
	struct sk_buff *msg;
	unsigned int paused;
	void *hdr;
	int err;

	err = may_change(info) ?: parse_set(info, set);
	if (err)
		return err;
	msg = nettoll_nl_reply_new(info, NETTOLL_CMD_DETACH, &hdr);
	if (!msg)
		return -ENOMEM;
	mutex_lock(&nettoll_account_lock);
	paused = nettoll_duty_drop(set);
	err = nettoll_account_detach(set, &out);
	out.changed += paused;
	/* The account takes no note of what comes and goes with windows. */
	if (out.changed && (paused || nettoll_duty_hooks()))
		nettoll_account_touch();
	mutex_unlock(&nettoll_account_lock);
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	if (out.changed)
		nettoll_notify_hooks(NETTOLL_EVENT_DETACH, out.changed, task_tgid_nr(current));
	return reply_outcome(msg, hdr, info, &out);
}

/** nettoll_nl_setting_set_doit() - NETTOLL_CMD_SETTING_SET */
int nettoll_nl_setting_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nettoll_setting *s;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, NETTOLL_A_SETTING_NAME) ||
	    GENL_REQ_ATTR_CHECK(info, NETTOLL_A_SETTING_VALUE))
		return -EINVAL;
	err = may_change(info);
	if (err)
		return err;
	s = nettoll_setting_find(nla_data(info->attrs[NETTOLL_A_SETTING_NAME]));
	if (!s) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[NETTOLL_A_SETTING_NAME],
				    "no such setting; dump the settings for their names");
		return -ENOENT;
	}
	err = nettoll_setting_set(s, nla_get_u64(info->attrs[NETTOLL_A_SETTING_VALUE]),
				  task_tgid_nr(current));
	if (err == -ERANGE)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[NETTOLL_A_SETTING_VALUE],
				    "out of range; dump the settings for their bounds");
	else if (err == -EOPNOTSUPP)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[NETTOLL_A_SETTING_VALUE],
				    "this kernel does not offer that");
	return err;
}

static struct sk_buff *event_new(unsigned int event, u32 pid, void **hdr)
{
	struct sk_buff *msg = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!msg)
		return NULL;
	*hdr = nettoll_nl_put(msg, 0, 0, 0, NETTOLL_CMD_CHANGE_NTF);
	if (!*hdr || nla_put_u32(msg, NETTOLL_A_EVENT_EVENT, event) ||
	    nla_put_u32(msg, NETTOLL_A_EVENT_GENERATION, nettoll_account_generation()) ||
	    nla_put_u32(msg, NETTOLL_A_EVENT_PID, pid)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static void event_send(struct net *net, struct sk_buff *msg, void *hdr)
{
	genlmsg_end(msg, hdr);
	genlmsg_multicast_netns(&nettoll_nl_family, net, msg, 0, NETTOLL_NLGRP_CHANGES, GFP_KERNEL);
}

/**
 * nettoll_notify_hooks() - tell the listeners that hooks came or went
 * @event: enum nettoll_event
 * @count: how many
 * @pid: who asked
 */
void nettoll_notify_hooks(unsigned int event, unsigned int count, u32 pid)
{
	struct sk_buff *msg;
	void *hdr;

	msg = event_new(event, pid, &hdr);
	if (!msg)
		return;
	if (nla_put_u32(msg, NETTOLL_A_EVENT_COUNT, count) ||
	    nla_put_u32(msg, NETTOLL_A_EVENT_HOOKS_ATTACHED, hooks_attached())) {
		nlmsg_free(msg);
		return;
	}
	event_send(&init_net, msg, hdr);
}

/**
 * nettoll_notify_setting() - tell the listeners that a setting changed
 * @s: the setting
 * @value: its new value
 * @pid: who asked
 */
void nettoll_notify_setting(const struct nettoll_setting *s, u64 value, u32 pid)
{
	struct sk_buff *msg;
	void *hdr;

	msg = event_new(NETTOLL_EVENT_SETTING, pid, &hdr);
	if (!msg)
		return;
	if (nla_put_string(msg, NETTOLL_A_EVENT_SETTING, s->name) ||
	    nla_put_u64_64bit(msg, NETTOLL_A_EVENT_VALUE, value, NETTOLL_A_EVENT_PAD) ||
	    nla_put_u32(msg, NETTOLL_A_EVENT_HOOKS_ATTACHED, hooks_attached())) {
		nlmsg_free(msg);
		return;
	}
	event_send(&init_net, msg, hdr);
}

/**
 * nettoll_notify_rule() - tell the listeners of a namespace that a rule changed
 * @net: the namespace
 * @id: number of the rule, 0 for all of them
 * @pid: who asked
 */
void nettoll_notify_rule(struct net *net, u32 id, u32 pid)
{
	struct sk_buff *msg;
	void *hdr;

	msg = event_new(NETTOLL_EVENT_RULE, pid, &hdr);
	if (!msg)
		return;
	if (nla_put_u32(msg, NETTOLL_A_EVENT_RULE, id)) {
		nlmsg_free(msg);
		return;
	}
	event_send(net, msg, hdr);
}

/* Tells the listeners in the device's namespace that its receive coalescing changed. */
static void notify_coalesce(const struct nettoll_moderate_event *e)
{
	struct sk_buff *msg;
	void *hdr;

	msg = event_new(NETTOLL_EVENT_COALESCE, e->pid, &hdr);
	if (!msg)
		return;
	if (nla_put_string(msg, NETTOLL_A_EVENT_DEVICE, e->device) ||
	    nla_put_u32(msg, NETTOLL_A_EVENT_COALESCE_CHANGE, e->change) ||
	    (e->left && nla_put_flag(msg, NETTOLL_A_EVENT_LEFT))) {
		nlmsg_free(msg);
		return;
	}
	event_send(e->net, msg, hdr);
}

/** nettoll_netlink_init() - register the family; 0 or a negative errno */
int __init nettoll_netlink_init(void)
{
	int err = nettoll_genl_register(&nettoll_nl_family, nettoll_nl_ops,
					ARRAY_SIZE(nettoll_nl_ops));

	if (!err)
		nettoll_moderate_listen(notify_coalesce);
	return err;
}

/** nettoll_netlink_exit() - unregister it, and wait for requests under way */
void nettoll_netlink_exit(void)
{
	nettoll_moderate_listen(NULL);
	nettoll_genl_unregister(&nettoll_nl_family);
}
