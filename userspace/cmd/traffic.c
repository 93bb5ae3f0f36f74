// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll traffic: send a stream or pings between two ends, and show what both have seen. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "lib/fmt.h"
#include "lib/out.h"
#include "lib/progress.h"
#include "traffic/options.h"

#define EXIT_INTERRUPTED	130	/* as a shell reports SIGINT */

static void on_progress(void *ctx, uint64_t done, uint64_t total, uint64_t elapsed_ns)
{
	bool *shown = ctx;

	if (!*shown) {
		progress_start(total);
		*shown = true;
	}
	if (total)
		progress_text("traffic");
	else
		progress_text("traffic, %" PRIu64 " s", elapsed_ns / 1000000000);
	progress_at(done);
}

/* Scalars of a JSON object as fields for TSV, nested ones with dotted keys; no arrays. */
static void flatten(struct out_doc *doc, struct json_object *obj, const char *prefix)
{
	json_object_object_foreach(obj, name, v) {
		char key[96];

		if (!*prefix && (!strcmp(name, "version") || !strcmp(name, "command")))
			continue;
		snprintf(key, sizeof(key), "%s%s", prefix, name);
		switch (json_object_get_type(v)) {
		case json_type_null:
			out_str(doc, key, NULL, "");
			break;
		case json_type_boolean:
			out_bool(doc, key, NULL, json_object_get_boolean(v));
			break;
		case json_type_int:
			out_int(doc, key, NULL, json_object_get_int64(v), NULL);
			break;
		case json_type_double:
			out_real(doc, key, NULL, json_object_get_double(v), 3, NULL);
			break;
		case json_type_string:
			out_str(doc, key, NULL, json_object_get_string(v));
			break;
		case json_type_object:
			strcat(key, ".");
			flatten(doc, v, key);
			break;
		case json_type_array:
			break;
		}
	}
}

static const struct out_col rtt_cols[] = {
	{ "size", "bytes", OUT_UINT, 0 },
	{ "sent", "sent", OUT_UINT, 0 },
	{ "lost", "lost", OUT_UINT, 0 },
	{ "min_us", "min", OUT_REAL, 1 },
	{ "p50_us", "p50", OUT_REAL, 1 },
	{ "p90_us", "p90", OUT_REAL, 1 },
	{ "p99_us", "p99", OUT_REAL, 1 },
	{ "p999_us", "p99.9", OUT_REAL, 1 },
	{ "max_us", "max", OUT_REAL, 1 },
	{ "mean_us", "mean", OUT_REAL, 1 },
	{ "sd_us", "sd", OUT_REAL, 1 },
	{ "half_p50_us", "half p50", OUT_REAL, 1 },
};

static void print_rtt(struct out_doc *doc, const struct traffic_result *res)
{
	struct out_table *t = out_table(doc, "rtt", rtt_cols, sizeof(rtt_cols) / sizeof(*rtt_cols));

	for (uint32_t i = 0; i < res->nrtt; i++) {
		const struct traffic_rtt *r = &res->rtt[i];
		const double us[] = {
			(double)r->min, (double)r->p50, (double)r->p90, (double)r->p99,
			(double)r->p999, (double)r->max, r->mean, r->sd, (double)r->p50 / 2,
		};

		out_row(t, r->lost || r->corrupted ? STYLE_WARN : STYLE_NONE);
		cell_uint(t, r->size);
		cell_uint(t, r->sent);
		cell_uint(t, r->lost);
		for (size_t j = 0; j < sizeof(us) / sizeof(*us); j++)
			cell_real(t, us[j] / 1e3);
	}
}

static const struct out_col end_cols[] = {
	{ NULL, "end", OUT_STR, 0 },
	{ NULL, "messages", OUT_UINT, 0 },
	{ NULL, "bytes", OUT_UINT, 0 },
	{ NULL, "seconds", OUT_REAL, 6 },
	{ NULL, "syscalls", OUT_UINT, 0 },
	{ NULL, "bytes/call", OUT_REAL, 0 },
	{ NULL, "CPU s", OUT_REAL, 6 },
	{ NULL, "user", OUT_REAL, 3 },
	{ NULL, "system", OUT_REAL, 3 },
	{ NULL, "CPU %", OUT_REAL, 1 },
};

static void end_row(struct out_table *t, const char *end, uint64_t messages, uint64_t bytes,
		    uint64_t elapsed_ns, uint64_t syscalls, const struct traffic_cpu *cpu)
{
	out_row(t, STYLE_NONE);
	cell_str(t, end);
	cell_uint(t, messages);
	cell_uint(t, bytes);
	cell_real(t, (double)elapsed_ns / 1e9);
	cell_uint(t, syscalls);
	if (syscalls)
		cell_real(t, (double)bytes / (double)syscalls);
	else
		cell_none(t);
	cell_real(t, (double)cpu->thread_ns / 1e9);
	cell_real(t, (double)cpu->user_ns / 1e9);
	cell_real(t, (double)cpu->system_ns / 1e9);
	if (elapsed_ns)
		cell_real(t, 100. * (double)cpu->thread_ns / (double)elapsed_ns);
	else
		cell_none(t);
}

static void print_zerocopy(struct out_doc *doc, const struct traffic_tx *tx)
{
	out_text(doc, STYLE_NONE,
		 "zero-copy    %" PRIu64 " bytes not copied, %" PRIu64 " copied after "
		 "all; %" PRIu64 " of %" PRIu64 " sends completed, %" PRIu64 " marked copied, "
		 "%" PRIu64 " notifications, %" PRIu64 " waits, %" PRIu64 " back-offs",
		 tx->zc_bytes, tx->zc_copied_bytes, tx->zc_completions, tx->zc_sends, tx->zc_copied,
		 tx->zc_notifications, tx->zc_waits, tx->zc_backoffs);
	if (tx->zc_limit && tx->zc_waits)
		out_text(doc, STYLE_WARN,
			 "             at most %" PRIu64 " sends in flight: net.core.optmem_max "
			 "(or RLIMIT_MEMLOCK) allows no more", tx->zc_limit);
	if (tx->zc_completions && !tx->zc_bytes)
		out_text(doc, STYLE_WARN,
			 "             all was copied: loopback and veth always do, as do "
			 "datagrams larger than the MTU and devices without scatter-gather or "
			 "checksum offload");
}

static void print_flaws(struct out_doc *doc, const struct traffic_spec *spec,
			const struct traffic_result *res)
{
	const struct traffic_tx *tx = &res->tx;
	const struct traffic_rx *rx = &res->rx;

	if (rx->lost)
		out_text(doc, STYLE_BAD, "lost         %" PRIu64 " of %" PRIu64 " messages",
			 rx->lost, rx->lost + rx->messages);
	if (tx->local_drops)
		out_text(doc, STYLE_WARN,
			 "             %" PRIu64 " dropped in the sender's own queues "
			 "(longer txqueuelen, or a smaller --sndbuf)",
			 tx->local_drops);
	if (rx->socket_drops)
		out_text(doc, STYLE_WARN,
			 "             %" PRIu64 " dropped at the receiver's socket, warm-up "
			 "included: buffer full (raise --rcvbuf) or checksum wrong",
			 rx->socket_drops);
	if (rx->reordered)
		out_text(doc, STYLE_WARN,
			 "reordered    %" PRIu64 ", at most %" PRIu64 " messages late",
			 rx->reordered, rx->reorder_max);
	if (rx->duplicates)
		out_text(doc, STYLE_WARN, "duplicates   %" PRIu64, rx->duplicates);
	if (rx->corrupted)
		out_text(doc, STYLE_BAD, "corrupted    %" PRIu64, rx->corrupted);
	if (rx->foreign)
		out_text(doc, STYLE_WARN, "foreign      %" PRIu64 " datagrams of somebody else",
			 rx->foreign);
	if (tx->window_stalls)
		out_text(doc, STYLE_WARN, "window       %" PRIu64 " times no acknowledgement came",
			 tx->window_stalls);
	if (spec->rate_bps &&
	    (double)tx->bytes * 8e9 < .98 * (double)spec->rate_bps * (double)tx->elapsed_ns)
		out_text(doc, STYLE_WARN,
			 "pacing       the rate was not reached; sends came up to %.3f ms late",
			 (double)tx->late_max_ns / 1e6);
}

static void print_stream(struct out_doc *doc, const struct traffic_spec *spec,
			 const struct traffic_result *res)
{
	struct out_table *t;
	char rate[32];

	fmt_si(rate, sizeof(rate), traffic_rate(res), 4);
	out_text(doc, STYLE_GOOD, "throughput   %sbit/s payload, %.0f messages/s", rate,
		 traffic_message_rate(res));
	if (traffic_too_short(res))
		out_text(doc, STYLE_WARN,
			 "             by the sender's clock: the run was so short that most of "
			 "it had arrived before the receiver looked");
	print_flaws(doc, spec, res);
	if (spec->mode & TRAFFIC_ZEROCOPY)
		print_zerocopy(doc, &res->tx);
	if (res->rx.gro_packets)
		out_text(doc, STYLE_NONE,
			 "gro          %" PRIu64 " joined packets, up to %" PRIu64 " bytes",
			 res->rx.gro_packets, res->rx.gro_size_max);
	if (spec->verify && !res->rx.corrupted)
		out_text(doc, STYLE_GOOD, "verified     every byte of %" PRIu64 " messages",
			 res->rx.messages);
	t = out_table(doc, NULL, end_cols, sizeof(end_cols) / sizeof(*end_cols));
	end_row(t, "sender", res->tx.messages, res->tx.bytes, res->tx.elapsed_ns, res->tx.syscalls,
		&res->tx.cpu);
	end_row(t, "receiver", res->rx.messages, res->rx.bytes, res->rx.elapsed_ns,
		res->rx.syscalls, &res->rx.cpu);
}

static int print_people(const struct traffic_spec *spec, const struct traffic_result *res)
{
	struct out_doc *doc = out_begin("traffic", 0);
	bool ping = spec->kind == TRAFFIC_PING;

	out_text(doc, STYLE_HEAD, "%s %s%s%s, %s -> %s (%s port %u)",
		 spec->proto == TRAFFIC_TCP ? "TCP" : "UDP", ping ? "ping" : "stream",
		 ping ? "" : ", ", ping ? "" : traffic_mode_name(spec->mode), spec->from, spec->to,
		 res->addr, res->port);
	if (ping) {
		out_text(doc, STYLE_DIM, "round trips in us");
		print_rtt(doc, res);
	} else {
		print_stream(doc, spec, res);
	}
	return out_end(doc);
}

static int print_result(const struct traffic_spec *spec, const struct traffic_result *res)
{
	struct json_object *json;
	struct out_doc *doc;

	if (out_format() == OUT_PEOPLE)
		return print_people(spec, res);
	json = traffic_result_json(spec, res);
	if (!json)
		return err_set(-ENOMEM, NULL, "no memory for the result");
	if (out_format() == OUT_JSON)
		return out_json(json);
	doc = out_begin("traffic", 0);
	flatten(doc, json, "");
	if (spec->kind == TRAFFIC_PING)
		print_rtt(doc, res);
	json_object_put(json);
	return out_end(doc);
}

static int finish(int ret)
{
	if (ret != -EINTR)
		return ret ? err_report(ret) : EXIT_OK;
	pr_err("interrupted; both ends are stopped");
	err_clear();
	return EXIT_INTERRUPTED;
}

static int run_stream(struct traffic_options *o)
{
	struct traffic_result *res = calloc(1, sizeof(*res));
	bool shown = false;
	int ret;

	if (!res)
		return err_report(-ENOMEM);
	/* Only a person at a terminal gets progress: without it, this process sleeps meanwhile. */
	if (isatty(STDERR_FILENO)) {
		o->spec.progress = on_progress;
		o->spec.ctx = &shown;
	}
	ret = traffic_run(&o->spec, res);
	if (shown)
		progress_end();
	if (!ret)
		ret = print_result(&o->spec, res);
	free(res);
	return finish(ret);
}

static void on_ready(const char *addr, uint16_t port)
{
	pr_note("waiting on %s, port %u", addr, port);
}

static int run_traffic(int argc, char **argv)
{
	struct traffic_options o;
	int ret = traffic_options(argc, argv, &o);

	if (ret)
		return ret;
	if (o.verb != VERB_RECV)
		return run_stream(&o);
	if (o.stdio)
		return finish(traffic_serve(STDIN_FILENO, STDOUT_FILENO));
	return finish(traffic_listen(o.listen_addr, o.listen_port, o.once, on_ready));
}

const struct cmd cmd_traffic = {
	.name = "traffic",
	.run = run_traffic,
	.summary = "Send UDP or TCP messages between two ends and measure",
	.usage = traffic_usage,
};
