/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What iperf3 --json wrote, as runs. */
#ifndef NETTOLL_PROFILE_IPERF_H
#define NETTOLL_PROFILE_IPERF_H

#include "profile/record.h"

/**
 * iperf_read() - read a file that iperf3 --json wrote about a TCP test
 * @r: cleared and filled. campaign, repeat and capacity_bps are the caller's; rtt_ms and rtt_measured_ms are the
 *	least RTT that TCP saw
 *
 * A run that iperf3 says failed, or whose RTT or congestion control it does not tell, is not valid, and has the reason.
 * Return: 0, or a negative errno described by err_set() when the file is none of iperf3's, or of another protocol.
 */
int iperf_read(const char *path, struct record *r);

#define IPERF_SAME_RTT	0.1	/* relative: RTTs that are taken for one */

/**
 * iperf_same_rtts() - give those that were measured alike one RTT: the median of the group, to three digits
 * @rtt_ms: @n of them, by rising size
 */
void iperf_same_rtts(double *rtt_ms, size_t n);

#endif
