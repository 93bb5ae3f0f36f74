// SPDX-License-Identifier: GPL-2.0-or-later
/* Any sysctl as a knob: sysctl.net.core.rmem_max; those below net. are the namespace's. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "knobs/family.h"
#include "knobs/sysfs.h"
#include "lib/err.h"

/* Those that network tuning turns, in the order of the path; any other can be named as well. */
static const struct known {
	const char *key, *explain;
} known[] = {
	{ "net.core.rmem_default", "bytes that a socket may hold for its reader, unless it asks for more" },
	{ "net.core.rmem_max", "bytes that a socket may ask for to that end (SO_RCVBUF)" },
	{ "net.core.wmem_default", "bytes that a socket may hold to be sent, unless it asks for more" },
	{ "net.core.wmem_max", "bytes that a socket may ask for to that end (SO_SNDBUF)" },
	{ "net.core.optmem_max", "bytes of a socket for options and for notes about zero-copy sends" },
	{ "net.core.netdev_max_backlog", "packets that may wait for a CPU which they were steered to" },
	{ "net.core.netdev_budget", "packets that one round of polling takes in at most" },
	{ "net.core.netdev_budget_usecs", "microseconds that one round of polling takes at most" },
	{ "net.core.dev_weight", "packets that are taken from one queue in one go" },
	{ "net.core.gro_normal_batch", "packets that are handed up together when they could not be merged" },
	{ "net.core.busy_poll", "microseconds that poll() and select() watch the device themselves" },
	{ "net.core.busy_read", "microseconds that a read watches the device itself (SO_BUSY_POLL)" },
	{ "net.core.rps_sock_flow_entries", "flows whose reader's CPU is remembered, for steer.rps-flows-N" },
	{ "net.core.default_qdisc", "queueing discipline that a device gets when it comes up" },
	{ "net.core.somaxconn", "connections that may wait to be accepted" },
	{ "net.core.high_order_alloc_disable", "1: sockets take single pages only" },
	{ "net.core.tstamp_allow_data", "1: time stamps are returned with the packet" },
	{ "net.ipv4.tcp_rmem", "bytes of a TCP socket's receive buffer: least, at first, most" },
	{ "net.ipv4.tcp_wmem", "bytes of a TCP socket's send buffer: least, at first, most" },
	{ "net.ipv4.tcp_mem", "pages of all TCP sockets: no care, some care, most" },
	{ "net.ipv4.tcp_moderate_rcvbuf", "1: a TCP receive buffer grows with what its reader takes" },
	{ "net.ipv4.tcp_window_scaling", "1: windows may be larger than 64K" },
	{ "net.ipv4.tcp_adv_win_scale", "share of a receive buffer that is no window (of no effect since 6.6)" },
	{ "net.ipv4.tcp_shrink_window", "1: an offered window may be taken back" },
	{ "net.ipv4.tcp_timestamps", "1: segments carry the time, in 12 bytes, to measure round trips" },
	{ "net.ipv4.tcp_sack", "1: the receiver tells which segments it has" },
	{ "net.ipv4.tcp_dsack", "1: the receiver tells which segments came twice" },
	{ "net.ipv4.tcp_congestion_control", "what decides how much may be on the way at once" },
	{ "net.ipv4.tcp_ecn", "whether routers may signal congestion without loss" },
	{ "net.ipv4.tcp_slow_start_after_idle", "1: a connection that was idle begins slowly again" },
	{ "net.ipv4.tcp_no_metrics_save", "1: what a connection learnt of a path is not kept for the next" },
	{ "net.ipv4.tcp_mtu_probing", "whether larger segments are tried: 0 no, 1 where a path seems dead, 2 yes" },
	{ "net.ipv4.tcp_base_mss", "segment that this begins with" },
	{ "net.ipv4.tcp_notsent_lowat", "bytes not sent yet from which on a socket is not writable" },
	{ "net.ipv4.tcp_limit_output_bytes", "bytes of a socket that may wait below TCP" },
	{ "net.ipv4.tcp_tso_win_divisor", "share of the window that one large send may take" },
	{ "net.ipv4.tcp_min_tso_segs", "segments of a large send at least" },
	{ "net.ipv4.tcp_autocorking", "1: small writes are gathered while others wait below" },
	{ "net.ipv4.tcp_early_retrans", "how soon the last segments are sent again" },
	{ "net.ipv4.tcp_recovery", "how lost segments are found" },
	{ "net.ipv4.tcp_frto", "how a needless retransmission is recognized" },
	{ "net.ipv4.tcp_fastopen", "whether data goes with the first segment" },
	{ "net.ipv4.tcp_pacing_ss_ratio", "per cent of its rate that TCP paces at, in slow start" },
	{ "net.ipv4.tcp_pacing_ca_ratio", "the same afterwards" },
	{ "net.ipv4.tcp_comp_sack_nr", "selective acknowledgements that are put together" },
	{ "net.ipv4.tcp_comp_sack_delay_ns", "how long they are waited for" },
	{ "net.ipv4.tcp_max_syn_backlog", "connections that may be half open" },
	{ "net.ipv4.tcp_early_demux", "1: an established TCP socket is looked up before the route" },
	{ "net.ipv4.udp_early_demux", "1: a connected UDP socket is looked up before the route" },
	{ "net.ipv4.udp_mem", "pages of all UDP sockets: no care, some care, most" },
	{ "net.ipv4.udp_rmem_min", "bytes that a UDP socket may hold even then" },
	{ "net.ipv4.udp_wmem_min", "the same to be sent" },
	{ "net.ipv4.ip_no_pmtu_disc", "whether the path's MTU is found out" },
	{ "net.ipv4.ip_early_demux", "1: sockets are looked up before routes" },
	{ "net.ipv4.ipfrag_high_thresh", "bytes of fragments that wait for the rest" },
	{ "net.ipv4.ipfrag_time", "seconds that they wait" },
	{ "net.nettoll.zerocopy", "which sockets that no rule matches send without a copy" },
	{ "net.nettoll.zerocopy_min", "bytes of a send from which on" },
	{ "net.nettoll.csum_tx", "who makes checksums of sockets that no rule matches" },
	{ "net.nettoll.csum_rx", "who verifies checksums where no rule matches" },
	{ "net.nettoll.coalesce", "datagrams that are gathered where no rule matches" },
	{ "net.nettoll.coalesce_us", "microseconds that they wait at most" },
	{ "vm.zone_reclaim_mode", "whether memory of another node is taken before this one's is reclaimed" },
	{ "vm.swappiness", "how willingly memory of programs is swapped out" },
	{ "kernel.numa_balancing", "whether memory is moved to where it is used" },
	{ "kernel.sched_autogroup_enabled", "1: each terminal's programs share the CPU as one" },
};

#define NKNOWN	(sizeof(known) / sizeof(*known))

static int find(const char *key, struct knob *knob)
{
	const char *c;
	size_t i;

	/* A path below /proc/sys, and nowhere else. '/' stands for a dot within a name (eth0/100). */
	if (!*key || *key == '.' || *key == '/' || strstr(key, "..") || strstr(key, "//"))
		return -ENOENT;
	for (c = key; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-/:@", *c))
			return -ENOENT;
	knob->type = KNOB_TEXT;
	knob->explain = "a kernel setting; Documentation/admin-guide/sysctl/ in the kernel source explains it";
	for (i = 0; i < NKNOWN; i++)
		if (!strcmp(known[i].key, key))
			knob->explain = known[i].explain;
	return 0;
}

static void path_of(const struct knob *knob, char *path, size_t size)
{
	char *c;

	snprintf(path, size, "/proc/sys/%s", knob_key(knob));
	for (c = path + strlen("/proc/sys/"); *c; c++) {
		if (*c == '.')
			*c = '/';
		else if (*c == '/')
			*c = '.';
	}
}

/* Those of the machine are not of a namespace, and some of a namespace's are for reading only. */
static int list(const struct knob_place *place, knob_fn fn, void *arg)
{
	char path[PATH_MAX];
	struct stat st;
	struct knob knob = { .family = &knob_sysctl };
	size_t i;
	int ret = 0;

	for (i = 0; i < NKNOWN && ret >= 0; i++) {
		if (place->netns[0] && strncmp(known[i].key, "net.", 4))
			continue;
		snprintf(knob.name, sizeof(knob.name), "sysctl.%s", known[i].key);
		path_of(&knob, path, sizeof(path));
		if (!stat(path, &st) && st.st_mode & 0200)
			ret = fn(known[i].key, arg);
	}
	return ret;
}

/* The kernel separates numbers by tabs; ours are single blanks. */
static int parse(const struct knob *knob, const char *text, char *value)
{
	size_t len = 0;

	for (; *text; text++) {
		if (!isspace((unsigned char)*text)) {
			if (len == KNOB_VALUE_MAX - 1)
				return err_set(-EINVAL, NULL, "%s: the value is longer than %d characters",
					       knob->name, KNOB_VALUE_MAX - 1);
			value[len++] = *text;
		} else if (len && value[len - 1] != ' ' && len < KNOB_VALUE_MAX - 1) {
			value[len++] = ' ';
		}
	}
	if (len && value[len - 1] == ' ')
		len--;
	value[len] = '\0';
	return len ? 0 : err_set(-EINVAL, NULL, "%s: the value is empty", knob->name);
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	char path[PATH_MAX], text[4096];
	ssize_t n;
	int fd;

	(void)place;
	path_of(knob, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return err_set(-EOPNOTSUPP, NULL, "there is no sysctl %s", knob_key(knob));
	if (fd < 0)
		return err_set(-errno, NULL, "%s: %s", path, strerror(errno));
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0) {
		n = err_set(-errno, NULL, "%s: %s", path, strerror(errno));
		close(fd);
		return (int)n;
	}
	close(fd);
	text[n] = '\0';
	return parse(knob, text, value);
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	char path[PATH_MAX];

	(void)place;
	path_of(knob, path, sizeof(path));
	return sysfs_write(path, value);
}

#define CONGESTION_CONTROL	"net.ipv4.tcp_congestion_control"

static int values(const struct knob *knob, const struct knob_place *place, char *text)
{
	(void)place;
	if (!strcmp(knob_key(knob), CONGESTION_CONTROL))
		return sysfs_read("/proc/sys/net/ipv4/tcp_available_congestion_control", text, KNOB_TEXT_MAX);
	strcpy(text, "what the kernel accepts");
	return 0;
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	(void)place;
	snprintf(text, KNOB_TEXT_MAX, strchr(value, ' ') ? "sysctl -w %s=\"%s\"" : "sysctl -w %s=%s", knob_key(knob),
		 value);
	return 0;
}

const struct knob_family knob_sysctl = {
	.name = "sysctl",
	.list = list,
	.find = find,
	.parse = parse,
	.read = read_value,
	.write = write_value,
	.values = values,
	.command = command,
};
