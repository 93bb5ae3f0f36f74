// SPDX-License-Identifier: GPL-2.0-or-later
/* The document of nettoll coalesce: a row a device, and for people what is out of the ordinary. */
#include "cmd/coalesce_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/fmt.h"
#include "lib/model.h"

static void people(struct out_doc *doc, const struct coalesce_list *list)
{
	static const struct out_col cols[] = {
		{ NULL, "device", OUT_STR, 0 }, { NULL, "target", OUT_STR, 0 }, { NULL, "holds", OUT_STR, 0 },
		{ NULL, "int/s", OUT_SI, 3 }, { NULL, "timer/s", OUT_SI, 3 }, { NULL, "packet/s", OUT_SI, 3 },
		{ NULL, "packet/int", OUT_SI, 3 }, { NULL, "packet/round", OUT_SI, 3 },
		{ NULL, "p50 us", OUT_SI, 3 }, { NULL, "p99 us", OUT_SI, 3 }, { NULL, "max us", OUT_SI, 3 },
		{ NULL, "drops", OUT_UINT, 0 },
	};
	struct out_table *t = out_table(doc, NULL, cols, sizeof(cols) / sizeof(*cols));
	char text[32];
	size_t i;

	for (i = 0; i < list->n; i++) {
		const struct coalesce_info *c = &list->item[i];
		double s = (double)(c->time_ns - c->since_ns) / 1e9;

		out_row(t, STYLE_NONE);
		cell_str(t, c->device);
		if (c->target_ns)
			fmt_duration(text, sizeof(text), c->target_ns);
		cell_str(t, c->target_ns ? text : coalesce_mode(c->mode));
		/* Whole microseconds are enough to read. */
		fmt_duration(text, sizeof(text), (c->hold_ns + 500) / 1000 * 1000);
		cell_str(t, c->idle ? "idle" : c->hold_ns ? text : "no");
		cell_real(t, toll_ratio(c->interrupts, s));
		cell_real(t, toll_ratio(c->timers, s));
		cell_real(t, toll_ratio(c->packets, s));
		cell_real(t, toll_ratio(c->packets, c->interrupts));
		cell_real(t, toll_ratio(c->packets, c->interrupts + c->timers));
		cell_real(t, coalesce_wait_us(c, 0.5));
		cell_real(t, coalesce_wait_us(c, 0.99));
		cell_real(t, coalesce_wait_us(c, 1));
		cell_uint(t, c->drops);
	}
	for (i = 0; i < list->n; i++) {
		const struct coalesce_info *c = &list->item[i];

		if (c->irq_left)
			out_text(doc, STYLE_NONE, "%s: another has set the driver's coalescing; it is left alone", c->device);
		if (c->defer_left)
			out_text(doc, STYLE_NONE, "%s: another has set gro_flush_timeout or napi_defer_hard_irqs; they are left alone",
				 c->device);
		if (c->irq_error)
			out_text(doc, STYLE_NONE, "%s: the driver refuses other coalescing than it had (%s)", c->device,
				 strerror(-c->irq_error));
		if (!c->idle && c->target_ns && !c->bound_ns)
			out_text(doc, STYLE_NONE, "%s: polls alone come later than the target, so nothing waits", c->device);
	}
	if (!list->n)
		out_text(doc, STYLE_NONE, "no device of this network namespace is moderated");
}

static void cell_us(struct out_table *t, bool known, uint64_t ns)
{
	if (known)
		cell_real(t, (double)ns / 1e3);
	else
		cell_none(t);
}

static void cell_known(struct out_table *t, bool known, uint64_t value)
{
	if (known)
		cell_uint(t, value);
	else
		cell_none(t);
}

static void programs(struct out_doc *doc, const struct coalesce_list *list)
{
	static const struct out_col cols[] = {
		{ "device", NULL, OUT_STR, 0 }, { "ifindex", NULL, OUT_UINT, 0 }, { "mode", NULL, OUT_STR, 0 },
		{ "target_us", NULL, OUT_REAL, 3 }, { "while_open", NULL, OUT_BOOL, 0 },
		{ "pid", NULL, OUT_UINT, 0 }, { "idle", NULL, OUT_BOOL, 0 }, { "hold_us", NULL, OUT_REAL, 3 },
		{ "bound_us", NULL, OUT_REAL, 3 }, { "slack_us", NULL, OUT_REAL, 3 },
		{ "level", NULL, OUT_UINT, 0 }, { "seconds", NULL, OUT_REAL, 9 },
		{ "interrupts", NULL, OUT_UINT, 0 }, { "timers", NULL, OUT_UINT, 0 },
		{ "polls", NULL, OUT_UINT, 0 }, { "packets", NULL, OUT_UINT, 0 },
		{ "bytes", NULL, OUT_UINT, 0 }, { "drops", NULL, OUT_UINT, 0 }, { "turns", NULL, OUT_UINT, 0 },
		{ "interrupts_per_second", NULL, OUT_REAL, 3 }, { "packets_per_interrupt", NULL, OUT_REAL, 3 },
		{ "packets_per_round", NULL, OUT_REAL, 3 }, { "wait_p50_us", NULL, OUT_REAL, 3 },
		{ "wait_p99_us", NULL, OUT_REAL, 3 }, { "wait_max_us", NULL, OUT_REAL, 3 },
		{ "rx_usecs", NULL, OUT_UINT, 0 }, { "rx_usecs_old", NULL, OUT_UINT, 0 },
		{ "rx_frames_old", NULL, OUT_UINT, 0 }, { "adaptive_rx_old", NULL, OUT_UINT, 0 },
		{ "gro_flush_timeout_old", NULL, OUT_UINT, 0 }, { "napi_defer_hard_irqs_old", NULL, OUT_UINT, 0 },
		{ "irq_left", NULL, OUT_BOOL, 0 }, { "defer_left", NULL, OUT_BOOL, 0 },
		{ "irq_error", NULL, OUT_INT, 0 },
	};
	struct out_table *t = out_table(doc, "devices", cols, sizeof(cols) / sizeof(*cols));
	size_t i;

	for (i = 0; i < list->n; i++) {
		const struct coalesce_info *c = &list->item[i];
		double s = (double)(c->time_ns - c->since_ns) / 1e9;

		out_row(t, STYLE_NONE);
		cell_str(t, c->device);
		cell_uint(t, c->ifindex);
		cell_str(t, coalesce_mode(c->mode));
		cell_us(t, c->target_ns, c->target_ns);
		cell_bool(t, c->while_open);
		cell_uint(t, c->pid);
		cell_bool(t, c->idle);
		cell_us(t, true, c->hold_ns);
		cell_us(t, true, c->bound_ns);
		cell_us(t, true, c->slack_ns);
		cell_uint(t, c->level);
		cell_real(t, s);
		cell_uint(t, c->interrupts);
		cell_uint(t, c->timers);
		cell_uint(t, c->polls);
		cell_uint(t, c->packets);
		cell_uint(t, c->bytes);
		cell_uint(t, c->drops);
		cell_uint(t, c->turns);
		cell_real(t, toll_ratio(c->interrupts, s));
		cell_real(t, toll_ratio(c->packets, c->interrupts));
		cell_real(t, toll_ratio(c->packets, c->interrupts + c->timers));
		cell_real(t, coalesce_wait_us(c, 0.5));
		cell_real(t, coalesce_wait_us(c, 0.99));
		cell_real(t, coalesce_wait_us(c, 1));
		cell_known(t, c->rx_usecs >= 0, (uint64_t)c->rx_usecs);
		cell_known(t, c->irq_known, c->rx_usecs_old);
		cell_known(t, c->irq_known, c->rx_frames_old);
		cell_known(t, c->irq_known, c->adaptive_rx_old);
		cell_uint(t, c->flush_ns_old);
		cell_uint(t, c->hard_irqs_old);
		cell_bool(t, c->irq_left);
		cell_bool(t, c->defer_left);
		cell_int(t, c->irq_error);
	}
}

void coalesce_report(struct out_doc *doc, const struct coalesce_list *list)
{
	if (out_format() == OUT_PEOPLE)
		people(doc, list);
	else
		programs(doc, list);
}
