// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints that the account probes while anything is attached. They are
 * not exported by name, so they are looked for in the kernel's list.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "packets.h"
#include "park.h"
#include "tracepoints.h"

static struct {
	const char *name;
	void *probe;
	bool required;
	struct tracepoint *tp;
	bool registered;
} tracepoints[] = {
	{ "sched_process_exit", nettoll_park_exit, true },
	{ "sched_switch", nettoll_park_switch, true },
	{ "net_dev_start_xmit", nettoll_packets_tx },
	{ "napi_gro_receive_entry", nettoll_packets_rx },
	{ "napi_gro_frags_entry", nettoll_packets_rx },
	{ "netif_rx_entry", nettoll_packets_rx },
	{ "netif_receive_skb_entry", nettoll_packets_rx },
	{ "netif_receive_skb_list_entry", nettoll_packets_rx },
};

static void match(struct tracepoint *tp, void *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(tracepoints); i++)
		if (!strcmp(tp->name, tracepoints[i].name))
			tracepoints[i].tp = tp;
}

/**
 * nettoll_tracepoints_find() - find the tracepoints in this kernel
 *
 * Return: 0, or -EOPNOTSUPP where one is missing that spans cannot do without.
 */
int nettoll_tracepoints_find(void)
{
	int i;

	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < ARRAY_SIZE(tracepoints); i++)
		if (!tracepoints[i].tp && tracepoints[i].required) {
			pr_err("this kernel has no tracepoint %s; CONFIG_TRACEPOINTS is needed\n",
			       tracepoints[i].name);
			return -EOPNOTSUPP;
		}
	return 0;
}

/**
 * nettoll_tracepoints_register() - begin to probe, before the first hook
 *
 * Return: 0, or why a probe could not be registered, and then none is.
 */
int nettoll_tracepoints_register(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		if (!tracepoints[i].tp)
			continue;
		err = tracepoint_probe_register(tracepoints[i].tp, tracepoints[i].probe, NULL);
		if (err) {
			nettoll_tracepoints_unregister();
			return err;
		}
		tracepoints[i].registered = true;
	}
	return 0;
}

/**
 * nettoll_tracepoints_unregister() - stop to probe, when no span is open
 */
void nettoll_tracepoints_unregister(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		if (!tracepoints[i].registered)
			continue;
		tracepoint_probe_unregister(tracepoints[i].tp, tracepoints[i].probe, NULL);
		tracepoints[i].registered = false;
	}
	tracepoint_synchronize_unregister();
}
