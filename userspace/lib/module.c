// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's requests as functions: attributes to structures and back. */
#include "lib/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/module_priv.h"

int module_open(struct module **module)
{
	struct module *m = calloc(1, sizeof(*m));
	int ret;

	if (!m)
		return err_set(-ENOMEM, NULL, "out of memory");
	ret = nlk_open_genl(NETTOLL_FAMILY_NAME, &m->conn);
	if (ret) {
		free(m);
		if (ret == -ENODEV)
			return err_set(ret, "as root: modprobe nettoll, or insmod nettoll.ko where it was built",
				       "the nettoll module is not loaded");
		return ret;
	}
	*module = m;
	return 0;
}

void module_close(struct module *m)
{
	if (!m)
		return;
	nlk_close(m->conn);
	free(m);
}

struct nlk_request *module_request(struct module *m, uint16_t cmd)
{
	return nlk_request(m->conn, cmd, NULL, 0, 0);
}

int module_dump(struct module *m, struct nlk_request *req, nlk_fn take, void (*empty)(void *list),
		void *list)
{
	int ret = nlk_dump(m->conn, req, take, empty, list);

	if (ret)
		empty(list);
	return ret;
}

int module_explain(int ret, const char *what)
{
	if (ret == -EPERM && !err_cure(ret)[0] && !strcmp(err_text(ret), strerror(EPERM)))
		return err_set(ret, "run it as root, or with CAP_NET_ADMIN",
			       "not permitted to %s", what);
	/* The family number was good when we connected. */
	if (ret == -ENOENT && !strcmp(err_text(ret), strerror(ENOENT)))
		return err_set(-ENODEV, "load it again",
			       "the nettoll module was unloaded meanwhile");
	return ret < 0 ? err_context(ret, "cannot %s", what) : ret;
}

void *module_list_add(void *array, size_t *n, size_t size)
{
	void **list = array;
	char *p;

	/* Powers of two: the lists are short, and n is all there is to know the room by. */
	if (!(*n & (*n - 1))) {
		p = reallocarray(*list, *n ? *n * 2 : 1, size);
		if (!p)
			return NULL;
		*list = p;
	}
	p = (char *)*list + *n * size;
	memset(p, 0, size);
	(*n)++;
	return p;
}

static int list_all(struct module *m, uint16_t cmd, nlk_fn take, void (*empty)(void *list), void *list,
		    const char *what)
{
	return module_explain(module_dump(m, module_request(m, cmd), take, empty, list), what);
}

/* ---- status ---- */

static int take_status(const struct nlk_reply *reply, void *arg)
{
#define COST(backend, attr) [NETTOLL_BACKEND_##backend] = \
	{ NETTOLL_A_STATUS_##attr##_INNER, NETTOLL_A_STATUS_##attr##_OUTER }
	static const struct { int inner, outer; } costs[] = {
		COST(DIRECT, SPAN), COST(KRETPROBE, PROBE), COST(FPROBE, FPROBE),
	};
	const struct nlattr *tb[NETTOLL_A_STATUS_MAX + 1];
	struct module_status *s = arg;
	size_t i;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_STATUS_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	nlk_str(tb[NETTOLL_A_STATUS_VERSION], s->version, sizeof(s->version));
	s->state = nlk_u32(tb[NETTOLL_A_STATUS_STATE]);
	s->backends = nlk_u32(tb[NETTOLL_A_STATUS_BACKENDS]);
	s->tsc_khz = nlk_u32(tb[NETTOLL_A_STATUS_TSC_KHZ]);
	s->cpus = nlk_u32(tb[NETTOLL_A_STATUS_CPUS]);
	s->hooks = nlk_u32(tb[NETTOLL_A_STATUS_HOOKS]);
	s->hooks_attached = nlk_u32(tb[NETTOLL_A_STATUS_HOOKS_ATTACHED]);
	s->generation = nlk_u32(tb[NETTOLL_A_STATUS_GENERATION]);
	s->spans_open = nlk_u64(tb[NETTOLL_A_STATUS_SPANS_OPEN]);
	s->attached_ns = nlk_u64(tb[NETTOLL_A_STATUS_ATTACHED_NS]);
	s->duty = tb[NETTOLL_A_STATUS_DUTY] ? nlk_u32(tb[NETTOLL_A_STATUS_DUTY]) : 10000;
	if (tb[NETTOLL_A_STATUS_CEILING])
		s->ceiling = nlk_u32(tb[NETTOLL_A_STATUS_CEILING]);
	if (tb[NETTOLL_A_STATUS_WINDOW_MS])
		s->window_ms = nlk_u32(tb[NETTOLL_A_STATUS_WINDOW_MS]);
	for (i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		if (!costs[i].inner || !tb[costs[i].inner])
			continue;
		s->cost[i].known = true;
		s->cost[i].inner = nlk_u64(tb[costs[i].inner]);
		s->cost[i].outer = nlk_u64(tb[costs[i].outer]);
	}
	return 0;
}

int module_status(struct module *m, struct module_status *status)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_STATUS_GET);

	*status = (struct module_status) { .duty = 10000 };
	return module_explain(nlk_do(m->conn, req, take_status, status), "read the module's status");
}

/* ---- layers ---- */

static int take_layer(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_LAYER_INFO_MAX + 1];
	struct layer_list *list = arg;
	struct layer_info *l;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_LAYER_INFO_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	l = module_list_add(&list->item, &list->n, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->layer = nlk_u32(tb[NETTOLL_A_LAYER_INFO_LAYER]);
	nlk_str(tb[NETTOLL_A_LAYER_INFO_NAME], l->name, sizeof(l->name));
	nlk_str(tb[NETTOLL_A_LAYER_INFO_DOC], l->doc, sizeof(l->doc));
	return 0;
}

DEFINE_LIST_FREE(layer)

int module_layers(struct module *m, struct layer_list *list)
{
	*list = (struct layer_list) { 0, NULL };
	return list_all(m, NETTOLL_CMD_LAYER_GET, take_layer, empty_layers, list, "list the layers");
}

/* ---- hooks ---- */

static int take_hook(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_HOOK_MAX + 1];
	struct hook_list *list = arg;
	struct hook_info *h;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_HOOK_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	h = module_list_add(&list->hook, &list->n, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->id = nlk_u32(tb[NETTOLL_A_HOOK_ID]);
	h->layer = nlk_u32(tb[NETTOLL_A_HOOK_LAYER]);
	h->direction = nlk_u32(tb[NETTOLL_A_HOOK_DIRECTION]);
	h->backend = nlk_u32(tb[NETTOLL_A_HOOK_BACKEND]);
	h->state = nlk_u32(tb[NETTOLL_A_HOOK_STATE]);
	h->error = (int32_t)nlk_u32(tb[NETTOLL_A_HOOK_ERROR]);
	h->missed = nlk_u64(tb[NETTOLL_A_HOOK_MISSED]);
	nlk_str(tb[NETTOLL_A_HOOK_NAME], h->name, sizeof(h->name));
	nlk_str(tb[NETTOLL_A_HOOK_SYMBOL], h->symbol, sizeof(h->symbol));
	nlk_str(tb[NETTOLL_A_HOOK_ERROR_TEXT], h->error_text, sizeof(h->error_text));
	return 0;
}

static void empty_hooks(void *arg)
{
	hook_list_free(arg);
}

int module_hooks(struct module *m, struct hook_list *list)
{
	*list = (struct hook_list) { 0, NULL };
	return list_all(m, NETTOLL_CMD_HOOK_GET, take_hook, empty_hooks, list, "list the hooks");
}

/* ---- attach, detach ---- */

static int take_attached(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_ATTACH_MAX + 1];
	struct attach_result *r = arg;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_ATTACH_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	r->attached = nlk_u32(tb[NETTOLL_A_ATTACH_ATTACHED]);
	r->failed = nlk_u32(tb[NETTOLL_A_ATTACH_FAILED]);
	r->absent = nlk_u32(tb[NETTOLL_A_ATTACH_ABSENT]);
	return 0;
}

static struct nlk_request *attach_request(struct module *m, uint16_t cmd,
					 const struct attach_request *what)
{
	struct nlk_request *req = module_request(m, cmd);
	size_t i;

	for (i = 0; i < what->nlayers; i++)
		nlk_put_u32(req, NETTOLL_A_ATTACH_LAYER, what->layers[i]);
	for (i = 0; i < what->nhooks; i++)
		nlk_put_str(req, NETTOLL_A_ATTACH_HOOK, what->hooks[i]);
	return req;
}

int module_attach(struct module *m, const struct attach_request *what, struct attach_result *result)
{
	struct nlk_request *req = attach_request(m, NETTOLL_CMD_ATTACH, what);

	if (what->backend != NETTOLL_BACKEND_AUTO || what->auto_backend)
		nlk_put_u32(req, NETTOLL_A_ATTACH_BACKEND, what->backend);
	if (what->strict)
		nlk_put_flag(req, NETTOLL_A_ATTACH_STRICT);
	if (what->duty)
		nlk_put_u32(req, NETTOLL_A_ATTACH_DUTY, what->duty);
	if (what->ceiling)
		nlk_put_u32(req, NETTOLL_A_ATTACH_CEILING, what->ceiling);
	if (what->window_ms)
		nlk_put_u32(req, NETTOLL_A_ATTACH_WINDOW_MS, what->window_ms);
	*result = (struct attach_result) { 0 };
	return module_explain(nlk_do(m->conn, req, take_attached, result), "attach hooks");
}

int module_detach(struct module *m, const struct attach_request *what, struct attach_result *result)
{
	struct nlk_request *req = attach_request(m, NETTOLL_CMD_DETACH, what);

	*result = (struct attach_result) { 0 };
	return module_explain(nlk_do(m->conn, req, take_attached, result), "detach hooks");
}

/* ---- stat ---- */

static int take_stat_cpu(struct stat_reading *r, const struct nlattr *nest)
{
	const struct nlattr *tb[NETTOLL_A_STAT_CPU_MAX + 1];
	struct stat_cpu *c;
	int ret;

	ret = nlk_parse_nest(tb, NETTOLL_A_STAT_CPU_MAX, nest);
	if (ret)
		return ret;
	c = module_list_add(&r->cpu, &r->ncpus, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->cpu = tb[NETTOLL_A_STAT_CPU_CPU] ? (int32_t)nlk_u32(tb[NETTOLL_A_STAT_CPU_CPU]) : -1;
	c->cpus = tb[NETTOLL_A_STAT_CPU_CPUS] ? nlk_u32(tb[NETTOLL_A_STAT_CPU_CPUS]) : 1;
	c->inclusive = nlk_u64(tb[NETTOLL_A_STAT_CPU_INCLUSIVE]);
	c->tx_packets = nlk_u64(tb[NETTOLL_A_STAT_CPU_TX_PACKETS]);
	c->tx_bytes = nlk_u64(tb[NETTOLL_A_STAT_CPU_TX_BYTES]);
	c->rx_packets = nlk_u64(tb[NETTOLL_A_STAT_CPU_RX_PACKETS]);
	c->rx_bytes = nlk_u64(tb[NETTOLL_A_STAT_CPU_RX_BYTES]);
	return 0;
}

static int take_charge(struct stat_reading *r, const struct nlattr *nest)
{
	const struct nlattr *tb[NETTOLL_A_CHARGE_MAX + 1];
	struct stat_charge *c;
	int ret;

	ret = nlk_parse_nest(tb, NETTOLL_A_CHARGE_MAX, nest);
	if (ret)
		return ret;
	c = module_list_add(&r->charge, &r->ncharges, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->hook = nlk_u32(tb[NETTOLL_A_CHARGE_HOOK]);
	c->direction = nlk_u32(tb[NETTOLL_A_CHARGE_DIRECTION]);
	c->cpu = tb[NETTOLL_A_CHARGE_CPU] ? (int32_t)nlk_u32(tb[NETTOLL_A_CHARGE_CPU]) : -1;
	c->calls = nlk_u64(tb[NETTOLL_A_CHARGE_CALLS]);
	c->self = nlk_u64(tb[NETTOLL_A_CHARGE_SELF]);
	c->own = nlk_u64(tb[NETTOLL_A_CHARGE_OWN]);
	c->total = nlk_u64(tb[NETTOLL_A_CHARGE_TOTAL]);
	return 0;
}

static int take_stat(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_STAT_MAX + 1];
	struct stat_reading *r = arg;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_STAT_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	if (tb[NETTOLL_A_STAT_TIME_NS]) {
		r->generation = nlk_u32(tb[NETTOLL_A_STAT_GENERATION]);
		r->time_ns = nlk_u64(tb[NETTOLL_A_STAT_TIME_NS]);
		r->cycles = nlk_u64(tb[NETTOLL_A_STAT_CYCLES]);
		r->attached_ns = nlk_u64(tb[NETTOLL_A_STAT_ATTACHED_NS]);
	}
	if (tb[NETTOLL_A_STAT_CPU])
		ret = take_stat_cpu(r, tb[NETTOLL_A_STAT_CPU]);
	if (!ret && tb[NETTOLL_A_STAT_CHARGE])
		ret = take_charge(r, tb[NETTOLL_A_STAT_CHARGE]);
	return ret;
}

static void restart_stat(void *arg)
{
	stat_reading_free(arg);
}

int module_stat(struct module *m, bool per_cpu, struct stat_reading *reading)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_STAT_GET);
	int ret;

	*reading = (struct stat_reading) { 0 };
	if (per_cpu)
		nlk_put_flag(req, NETTOLL_A_STAT_PER_CPU);
	ret = nlk_dump(m->conn, req, take_stat, restart_stat, reading);
	if (!ret && !reading->time_ns)
		ret = err_set(-EBADMSG, "use the command and the module of one version",
			      "the module's answer lacks the time");
	if (ret)
		stat_reading_free(reading);
	return module_explain(ret, "read the counters");
}

/* ---- settings ---- */

static int take_setting(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_SETTING_MAX + 1];
	struct setting_list *list = arg;
	struct setting_info *s;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_SETTING_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	s = module_list_add(&list->item, &list->n, sizeof(*s));
	if (!s)
		return -ENOMEM;
	nlk_str(tb[NETTOLL_A_SETTING_NAME], s->name, sizeof(s->name));
	s->value = nlk_u64(tb[NETTOLL_A_SETTING_VALUE]);
	s->minimum = nlk_u64(tb[NETTOLL_A_SETTING_MINIMUM]);
	s->maximum = nlk_u64(tb[NETTOLL_A_SETTING_MAXIMUM]);
	s->standard = nlk_u64(tb[NETTOLL_A_SETTING_DEFAULT]);
	nlk_str(tb[NETTOLL_A_SETTING_DOC], s->doc, sizeof(s->doc));
	return 0;
}

DEFINE_LIST_FREE(setting)

int module_settings(struct module *m, struct setting_list *list)
{
	*list = (struct setting_list) { 0, NULL };
	return list_all(m, NETTOLL_CMD_SETTING_GET, take_setting, empty_settings, list, "list the settings");
}

int module_set(struct module *m, const char *name, uint64_t value)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_SETTING_SET);
	char what[64];

	nlk_put_str(req, NETTOLL_A_SETTING_NAME, name);
	nlk_put_u64(req, NETTOLL_A_SETTING_VALUE, value);
	snprintf(what, sizeof(what), "set %.31s", name);
	return module_explain(nlk_do(m->conn, req, NULL, NULL), what);
}

/* ---- holders ---- */

static int take_holder(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_HOLDER_MAX + 1];
	struct holder_list *list = arg;
	struct holder_info *h;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_HOLDER_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	h = module_list_add(&list->item, &list->n, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->pid = nlk_u32(tb[NETTOLL_A_HOLDER_PID]);
	nlk_str(tb[NETTOLL_A_HOLDER_COMM], h->comm, sizeof(h->comm));
	h->hook = nlk_u32(tb[NETTOLL_A_HOLDER_HOOK]);
	h->kthread = tb[NETTOLL_A_HOLDER_KTHREAD];
	h->since_cycles = nlk_u64(tb[NETTOLL_A_HOLDER_SINCE_CYCLES]);
	return 0;
}

DEFINE_LIST_FREE(holder)

int module_holders(struct module *m, struct holder_list *list)
{
	*list = (struct holder_list) { 0, NULL };
	return list_all(m, NETTOLL_CMD_HOLDER_GET, take_holder, empty_holders, list, "list the holders");
}

/* ---- events ---- */

int module_watch(struct module *m)
{
	return nlk_join(m->conn, NETTOLL_MCGRP_CHANGES);
}

int module_fd(const struct module *m)
{
	return nlk_fd(m->conn);
}

struct event_sink {
	int (*fn)(const struct module_event *event, void *arg);
	void *arg;
};

static int take_event(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_EVENT_MAX + 1];
	const struct event_sink *sink = arg;
	struct module_event e = { 0 };
	int ret;

	if (reply->cmd != NETTOLL_CMD_CHANGE_NTF)
		return 0;
	ret = nlk_parse(tb, NETTOLL_A_EVENT_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	e.event = nlk_u32(tb[NETTOLL_A_EVENT_EVENT]);
	e.generation = nlk_u32(tb[NETTOLL_A_EVENT_GENERATION]);
	e.count = nlk_u32(tb[NETTOLL_A_EVENT_COUNT]);
	e.hooks_attached = nlk_u32(tb[NETTOLL_A_EVENT_HOOKS_ATTACHED]);
	e.pid = nlk_u32(tb[NETTOLL_A_EVENT_PID]);
	e.rule = nlk_u32(tb[NETTOLL_A_EVENT_RULE]);
	nlk_str(tb[NETTOLL_A_EVENT_SETTING], e.setting, sizeof(e.setting));
	e.value = nlk_u64(tb[NETTOLL_A_EVENT_VALUE]);
	nlk_str(tb[NETTOLL_A_EVENT_DEVICE], e.device, sizeof(e.device));
	e.coalesce_change = nlk_u32(tb[NETTOLL_A_EVENT_COALESCE_CHANGE]);
	e.left = tb[NETTOLL_A_EVENT_LEFT];
	return sink->fn(&e, sink->arg);
}

int module_events(struct module *m, int (*fn)(const struct module_event *event, void *arg),
		  void *arg)
{
	struct event_sink sink = { fn, arg };

	return nlk_receive(m->conn, take_event, &sink);
}
