// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's requests about receive coalescing: attributes to structures and back. */
#include "lib/module_coalesce.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/module_priv.h"

static void take_waits(const struct nlattr *attr, struct coalesce_info *c)
{
	size_t len, i;
	const char *data = nlk_data(attr, &len);
	uint64_t count;

	for (i = 0; data && (i + 1) * sizeof(count) <= len; i++) {
		memcpy(&count, data + i * sizeof(count), sizeof(count));
		c->waits[i < COALESCE_BUCKETS ? i : COALESCE_BUCKETS - 1] += count;
	}
}

static int take_coalesce(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_COALESCE_MAX + 1];
	struct coalesce_list *list = arg;
	struct coalesce_info *c;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_COALESCE_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	c = module_list_add(&list->item, &list->n, sizeof(*c));
	if (!c)
		return -ENOMEM;
	nlk_str(tb[NETTOLL_A_COALESCE_DEVICE], c->device, sizeof(c->device));
	c->ifindex = nlk_u32(tb[NETTOLL_A_COALESCE_IFINDEX]);
	c->mode = nlk_u32(tb[NETTOLL_A_COALESCE_MODE]);
	c->target_ns = nlk_u32(tb[NETTOLL_A_COALESCE_TARGET_NS]);
	c->while_open = tb[NETTOLL_A_COALESCE_WHILE_OPEN];
	c->pid = nlk_u32(tb[NETTOLL_A_COALESCE_PID]);
	c->hold_ns = nlk_u32(tb[NETTOLL_A_COALESCE_HOLD_NS]);
	c->bound_ns = nlk_u32(tb[NETTOLL_A_COALESCE_BOUND_NS]);
	c->slack_ns = nlk_u32(tb[NETTOLL_A_COALESCE_SLACK_NS]);
	c->level = nlk_u32(tb[NETTOLL_A_COALESCE_LEVEL]);
	c->idle = tb[NETTOLL_A_COALESCE_IDLE];
	c->rx_usecs = tb[NETTOLL_A_COALESCE_RX_USECS] ? (int64_t)nlk_u32(tb[NETTOLL_A_COALESCE_RX_USECS]) : -1;
	c->irq_known = tb[NETTOLL_A_COALESCE_RX_USECS_OLD];
	c->rx_usecs_old = nlk_u32(tb[NETTOLL_A_COALESCE_RX_USECS_OLD]);
	c->rx_frames_old = nlk_u32(tb[NETTOLL_A_COALESCE_RX_FRAMES_OLD]);
	c->adaptive_rx_old = nlk_u32(tb[NETTOLL_A_COALESCE_ADAPTIVE_RX_OLD]);
	c->flush_ns_old = nlk_u64(tb[NETTOLL_A_COALESCE_FLUSH_NS_OLD]);
	c->hard_irqs_old = nlk_u32(tb[NETTOLL_A_COALESCE_HARD_IRQS_OLD]);
	c->irq_left = tb[NETTOLL_A_COALESCE_IRQ_LEFT];
	c->defer_left = tb[NETTOLL_A_COALESCE_DEFER_LEFT];
	c->irq_error = (int32_t)nlk_u32(tb[NETTOLL_A_COALESCE_IRQ_ERROR]);
	c->time_ns = nlk_u64(tb[NETTOLL_A_COALESCE_TIME_NS]);
	c->since_ns = nlk_u64(tb[NETTOLL_A_COALESCE_SINCE_NS]);
	c->interrupts = nlk_u64(tb[NETTOLL_A_COALESCE_INTERRUPTS]);
	c->timers = nlk_u64(tb[NETTOLL_A_COALESCE_TIMERS]);
	c->polls = nlk_u64(tb[NETTOLL_A_COALESCE_POLLS]);
	c->packets = nlk_u64(tb[NETTOLL_A_COALESCE_PACKETS]);
	c->bytes = nlk_u64(tb[NETTOLL_A_COALESCE_BYTES]);
	c->drops = nlk_u64(tb[NETTOLL_A_COALESCE_DROPS]);
	c->turns = nlk_u64(tb[NETTOLL_A_COALESCE_TURNS]);
	if (tb[NETTOLL_A_COALESCE_WAITS])
		take_waits(tb[NETTOLL_A_COALESCE_WAITS], c);
	return 0;
}

DEFINE_LIST_FREE(coalesce)

int module_coalesce(struct module *m, struct coalesce_list *list)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_COALESCE_GET);

	*list = (struct coalesce_list) { 0, NULL };
	return module_explain(module_dump(m, req, take_coalesce, empty_coalesces, list),
			      "list the devices that are moderated");
}

/* A refusal names the device; -ENOENT is about it, and not that the module has gone. */
static int explain(int ret, const char *what, const char *device)
{
	char text[64];

	if (ret == -ENOENT && strcmp(err_text(ret), strerror(ENOENT)))
		return err_set(ret, "nettoll coalesce lists those that are", "%s is not moderated", device);
	if (ret == -ENODEV)
		return err_set(ret, "ip link lists them", "there is no device %s in this network namespace",
			       device);
	snprintf(text, sizeof(text), "%s %s", what, device);
	return module_explain(ret, text);
}

static int about(struct module *m, uint16_t cmd, const char *device, struct coalesce_list *list)
{
	struct nlk_request *req = module_request(m, cmd);
	int ret;

	*list = (struct coalesce_list) { 0, NULL };
	nlk_put_str(req, NETTOLL_A_COALESCE_DEVICE, device);
	ret = nlk_do(m->conn, req, take_coalesce, list);
	if (!ret && list->n != 1)
		ret = err_set(-EPROTO, NULL, "the module's answer is not about one device");
	if (ret)
		coalesce_list_free(list);
	return ret;
}

int module_coalesce_one(struct module *m, const char *device, struct coalesce_list *list)
{
	return explain(about(m, NETTOLL_CMD_COALESCE_GET, device, list), "read the moderation of", device);
}

int module_coalesce_end(struct module *m, const char *device, struct coalesce_list *last)
{
	return explain(about(m, NETTOLL_CMD_COALESCE_DEL, device, last), "stop to moderate", device);
}

int module_coalesce_set(struct module *m, const char *device, uint32_t target_ns, bool while_open)
{
	struct nlk_request *req = module_request(m, NETTOLL_CMD_COALESCE_SET);

	nlk_put_str(req, NETTOLL_A_COALESCE_DEVICE, device);
	nlk_put_u32(req, NETTOLL_A_COALESCE_MODE, target_ns ? NETTOLL_COALESCE_MODE_LATENCY :
		    NETTOLL_COALESCE_MODE_THROUGHPUT);
	if (target_ns)
		nlk_put_u32(req, NETTOLL_A_COALESCE_TARGET_NS, target_ns);
	if (while_open)
		nlk_put_flag(req, NETTOLL_A_COALESCE_WHILE_OPEN);
	return explain(nlk_do(m->conn, req, NULL, NULL), "moderate", device);
}
