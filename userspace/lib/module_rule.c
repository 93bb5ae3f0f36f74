// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's requests about rules as functions: attributes to structures and back. */
#include "lib/module_rule.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/err.h"
#include "lib/module_priv.h"

/* Attributes of the local or the remote end. */
struct end_attrs {
	int addr4, addr6, prefix, port_min, port_max;
};

#define END(end) { NETTOLL_A_RULE_##end##_ADDR4, NETTOLL_A_RULE_##end##_ADDR6, NETTOLL_A_RULE_##end##_PREFIX, \
		   NETTOLL_A_RULE_##end##_PORT_MIN, NETTOLL_A_RULE_##end##_PORT_MAX }
static const struct end_attrs local_attrs = END(LOCAL), remote_attrs = END(REMOTE);

static void put_end(struct nlk_request *req, const struct rule_end *end, const struct end_attrs *attrs)
{
	if (end->family) {
		if (end->family == AF_INET6)
			nlk_put_data(req, attrs->addr6, end->addr, 16);
		else
			nlk_put_data(req, attrs->addr4, end->addr, 4);
		nlk_put_u8(req, attrs->prefix, end->prefix);
	}
	if (end->ports) {
		nlk_put_u16(req, attrs->port_min, end->port_min);
		nlk_put_u16(req, attrs->port_max, end->port_max);
	}
}

void module_rule_put(struct nlk_request *req, const struct rule *rule)
{
	size_t i;

	if (rule->id)
		nlk_put_u32(req, NETTOLL_A_RULE_ID, rule->id);
	if (rule->protocol)
		nlk_put_u8(req, NETTOLL_A_RULE_PROTOCOL, rule->protocol);
	if (rule->family)
		nlk_put_u16(req, NETTOLL_A_RULE_FAMILY, rule->family);
	put_end(req, &rule->local, &local_attrs);
	put_end(req, &rule->remote, &remote_attrs);
	if (rule->device[0])
		nlk_put_str(req, NETTOLL_A_RULE_DEVICE, rule->device);
	if (rule->cgroup[0])
		nlk_put_str(req, NETTOLL_A_RULE_CGROUP, rule->cgroup);
	if (rule->uids) {
		nlk_put_u32(req, NETTOLL_A_RULE_UID_MIN, rule->uid_min);
		nlk_put_u32(req, NETTOLL_A_RULE_UID_MAX, rule->uid_max);
	}
	for (i = 0; i < RULE_ACTIONS; i++)
		if (rule_has(rule, (enum rule_action)i))
			nlk_put_u32(req, rule_actions[i].attr, rule->action[i]);
}

static void take_end(const struct nlattr **tb, const struct end_attrs *attrs, struct rule_end *end)
{
	const void *addr;
	size_t len;

	addr = nlk_data(tb[attrs->addr6] ? tb[attrs->addr6] : tb[attrs->addr4], &len);
	if (len == 4 || len == 16) {
		end->family = len == 16 ? AF_INET6 : AF_INET;
		memcpy(end->addr, addr, len);
		end->prefix = tb[attrs->prefix] ? nlk_u8(tb[attrs->prefix]) : (uint8_t)(len * 8);
	}
	if (tb[attrs->port_min]) {
		end->ports = true;
		end->port_min = nlk_u16(tb[attrs->port_min]);
		end->port_max = nlk_u16(tb[attrs->port_max] ? tb[attrs->port_max] : tb[attrs->port_min]);
	}
}

static int take_fallback(struct rule *rule, const struct nlattr *nest)
{
	const struct nlattr *tb[NETTOLL_A_RULE_FALLBACK_MAX + 1];
	uint32_t reason;
	int ret;

	ret = nlk_parse_nest(tb, NETTOLL_A_RULE_FALLBACK_MAX, nest);
	if (ret)
		return ret;
	reason = nlk_u32(tb[NETTOLL_A_RULE_FALLBACK_REASON]);
	if (reason < RULE_FALLBACKS)
		rule->fallback[reason] = nlk_u64(tb[NETTOLL_A_RULE_FALLBACK_COUNT]);
	return 0;
}

int module_rule_take(struct rule *rule, const void *attrs, size_t len)
{
	const struct nlattr *tb[NETTOLL_A_RULE_MAX + 1], *attr;
	size_t i;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_RULE_MAX, attrs, len);
	if (ret)
		return ret;
	rule->id = nlk_u32(tb[NETTOLL_A_RULE_ID]);
	rule->protocol = nlk_u8(tb[NETTOLL_A_RULE_PROTOCOL]);
	rule->family = nlk_u16(tb[NETTOLL_A_RULE_FAMILY]);
	take_end(tb, &local_attrs, &rule->local);
	take_end(tb, &remote_attrs, &rule->remote);
	nlk_str(tb[NETTOLL_A_RULE_DEVICE], rule->device, sizeof(rule->device));
	nlk_str(tb[NETTOLL_A_RULE_CGROUP], rule->cgroup, sizeof(rule->cgroup));
	rule->cgroup_id = nlk_u64(tb[NETTOLL_A_RULE_CGROUP_ID]);
	if (tb[NETTOLL_A_RULE_UID_MIN]) {
		rule->uids = true;
		rule->uid_min = nlk_u32(tb[NETTOLL_A_RULE_UID_MIN]);
		rule->uid_max = nlk_u32(tb[NETTOLL_A_RULE_UID_MAX] ? tb[NETTOLL_A_RULE_UID_MAX] :
					tb[NETTOLL_A_RULE_UID_MIN]);
	}
	for (i = 0; i < RULE_ACTIONS; i++) {
		if (!tb[rule_actions[i].attr])
			continue;
		rule->has |= 1u << i;
		rule->action[i] = nlk_u32(tb[rule_actions[i].attr]);
	}
	for (i = 0; i < RULE_COUNTERS; i++)
		rule->count[i] = nlk_u64(tb[rule_counter_attrs[i]]);
	/* One for each reason. */
	for (attr = nlk_first(attrs, len); attr && !ret; attr = nlk_next(attr, attrs, len))
		if (nlk_type(attr) == NETTOLL_A_RULE_FALLBACK)
			ret = take_fallback(rule, attr);
	return ret;
}

static int take_rule(const struct nlk_reply *reply, void *arg)
{
	struct rule_list *list = arg;
	struct rule *rule = module_list_add(&list->item, &list->n, sizeof(*rule));

	return rule ? module_rule_take(rule, reply->data, reply->len) : -ENOMEM;
}

static void empty_rules(void *list)
{
	rule_list_free(list);
}

int module_rules(struct module *m, struct rule_list *list)
{
	*list = (struct rule_list) { 0, NULL };
	return module_explain(module_dump(m, module_request(m, NETTOLL_CMD_RULE_GET), take_rule,
					  empty_rules, list), "list the rules");
}

int module_rule_get(struct module *m, uint32_t id, struct rule_list *list)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_RULE_GET);
	char what[32];

	nlk_put_u32(req, NETTOLL_A_RULE_ID, id);
	snprintf(what, sizeof(what), "show rule %u", id);
	return module_explain(nlk_do(m->conn, req, take_rule, list), what);
}

static int take_id(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_RULE_MAX + 1];
	uint32_t *id = arg;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_RULE_MAX, reply->data, reply->len);
	if (!ret)
		*id = nlk_u32(tb[NETTOLL_A_RULE_ID]);
	return ret;
}

int module_rule_add(struct module *m, const struct rule *rule, uint32_t before, uint32_t *id)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_RULE_ADD);

	module_rule_put(req, rule);
	if (before)
		nlk_put_u32(req, NETTOLL_A_RULE_BEFORE, before);
	*id = 0;
	return module_explain(nlk_do(m->conn, req, take_id, id), "add the rule");
}

int module_rule_set(struct module *m, const struct rule *rule)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_RULE_SET);
	char what[32];

	module_rule_put(req, rule);
	snprintf(what, sizeof(what), "replace rule %u", rule->id);
	return module_explain(nlk_do(m->conn, req, NULL, NULL), what);
}

int module_rule_del(struct module *m, uint32_t id)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_RULE_DEL);
	char what[32];

	nlk_put_u32(req, NETTOLL_A_RULE_ID, id);
	snprintf(what, sizeof(what), "remove rule %u", id);
	return module_explain(nlk_do(m->conn, req, NULL, NULL), what);
}

int module_rule_flush(struct module *m)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_RULE_DEL);

	nlk_put_flag(req, NETTOLL_A_RULE_ALL);
	return module_explain(nlk_do(m->conn, req, NULL, NULL), "remove all rules");
}

int module_bad_attr(const struct module *m)
{
	return nlk_bad_attr(m->conn);
}
