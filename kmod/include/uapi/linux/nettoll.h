/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/nettoll.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_NETTOLL_H
#define _UAPI_LINUX_NETTOLL_H

#define NETTOLL_FAMILY_NAME	"nettoll"
#define NETTOLL_FAMILY_VERSION	1

/**
 * enum nettoll_layer - A layer of the path, or a place where time goes that is
 *   not a protocol. The table of the layers, with what each holds, is
 *   kmod/layers.def.
 */
enum nettoll_layer {
	NETTOLL_LAYER_SYSCALL,
	NETTOLL_LAYER_SOCKET,
	NETTOLL_LAYER_COPY,
	NETTOLL_LAYER_CSUM,
	NETTOLL_LAYER_UDP,
	NETTOLL_LAYER_TCP,
	NETTOLL_LAYER_IP,
	NETTOLL_LAYER_QDISC,
	NETTOLL_LAYER_DRIVER,
	NETTOLL_LAYER_IRQ,
	NETTOLL_LAYER_NAPI,
	NETTOLL_LAYER_GRO,
	NETTOLL_LAYER_NETIF,
	NETTOLL_LAYER_SKB,
	NETTOLL_LAYER_WAKEUP,
	NETTOLL_LAYER_WAIT,
};

/**
 * enum nettoll_direction - Which way the bytes go. A hook that serves both
 *   ways takes the direction of the span that encloses it.
 */
enum nettoll_direction {
	NETTOLL_DIRECTION_TX,
	NETTOLL_DIRECTION_RX,
	NETTOLL_DIRECTION_BOTH,
};

/**
 * enum nettoll_backend - How a hook is attached. In a request, auto takes the
 *   cheapest that works for each hook; any other takes that one for all the
 *   hooks named, and a hook that it cannot serve is reported and left out.
 */
enum nettoll_backend {
	NETTOLL_BACKEND_AUTO,
	NETTOLL_BACKEND_DIRECT,
	NETTOLL_BACKEND_KRETPROBE,
	NETTOLL_BACKEND_FPROBE,
	NETTOLL_BACKEND_TRACEPOINT,
};

/**
 * enum nettoll_hook_state - absent, no such function in this kernel (its time
 *   shows up in its caller's layer); detached; attached; failed, the last
 *   attach was refused, hook-error says by what.
 */
enum nettoll_hook_state {
	NETTOLL_HOOK_STATE_ABSENT,
	NETTOLL_HOOK_STATE_DETACHED,
	NETTOLL_HOOK_STATE_ATTACHED,
	NETTOLL_HOOK_STATE_FAILED,
};

/**
 * enum nettoll_state - idle, nothing attached and nothing charged; attached;
 *   draining, waiting for the spans that are still open after a detach.
 */
enum nettoll_state {
	NETTOLL_STATE_IDLE,
	NETTOLL_STATE_ATTACHED,
	NETTOLL_STATE_DRAINING,
};

/**
 * enum nettoll_event - What a change notification tells.
 */
enum nettoll_event {
	NETTOLL_EVENT_ATTACH,
	NETTOLL_EVENT_DETACH,
	NETTOLL_EVENT_SETTING,
	NETTOLL_EVENT_RULE,
	NETTOLL_EVENT_COALESCE,
};

/**
 * enum nettoll_zerocopy - How a rule has data sent without copying it. off,
 *   every send copies; sync, the call returns once the device has let go of
 *   the pages, for programs as they are; pool, only what lies in a pool mapped
 *   from /dev/nettoll; auto, whichever of copying and the others costs the
 *   socket least, found by trying. What cannot be sent so is copied and
 *   counted.
 */
enum nettoll_zerocopy {
	NETTOLL_ZEROCOPY_OFF,
	NETTOLL_ZEROCOPY_SYNC,
	NETTOLL_ZEROCOPY_POOL,
	NETTOLL_ZEROCOPY_AUTO,
};

/**
 * enum nettoll_csum_tx - Who makes the checksums of what is sent. auto, as the
 *   kernel decides; hw, the device, also where its offload is switched off;
 *   sw, the CPU; none, nobody: UDP over IPv4 only, which allows it.
 */
enum nettoll_csum_tx {
	NETTOLL_CSUM_TX_AUTO,
	NETTOLL_CSUM_TX_HW,
	NETTOLL_CSUM_TX_SW,
	NETTOLL_CSUM_TX_NONE,
};

/**
 * enum nettoll_csum_rx - Who verifies the checksums of what is received. auto,
 *   as the kernel decides; sw, the CPU, whatever the device says; trust,
 *   nobody, for packets of a named remote prefix only; audit, as auto, and the
 *   CPU as well for one in so many packets that the device vouched for,
 *   counting where the two disagree.
 */
enum nettoll_csum_rx {
	NETTOLL_CSUM_RX_AUTO,
	NETTOLL_CSUM_RX_SW,
	NETTOLL_CSUM_RX_TRUST,
	NETTOLL_CSUM_RX_AUDIT,
};

/**
 * enum nettoll_fallback - Why a send that matched a rule went as it would have
 *   without. small, below the rule's threshold; fragmented, larger than the
 *   device's MTU takes; no-sg, the device cannot gather or not checksum;
 *   copied, the kernel copied on the way (loopback, a capture, a tunnel);
 *   memlock, the user's bound of pinned memory; no-memory; not-user, the data
 *   is not in user memory, as with sendfile; own, the program asks for
 *   zero-copy or segmentation itself; option, a flag, control message or
 *   socket option rules it out; size, not of the size of the batch;
 *   destination, another one than the batch's; busy, another thread is at the
 *   batch; learning, auto tries the other way; slower, auto found copying
 *   cheaper; not-pool, the data is in no pool; limit, more in flight than
 *   allowed; interrupted, a signal came while the device held the pages, and
 *   what it still held was copied.
 */
enum nettoll_fallback {
	NETTOLL_FALLBACK_SMALL,
	NETTOLL_FALLBACK_FRAGMENTED,
	NETTOLL_FALLBACK_NO_SG,
	NETTOLL_FALLBACK_COPIED,
	NETTOLL_FALLBACK_MEMLOCK,
	NETTOLL_FALLBACK_NO_MEMORY,
	NETTOLL_FALLBACK_NOT_USER,
	NETTOLL_FALLBACK_OWN,
	NETTOLL_FALLBACK_OPTION,
	NETTOLL_FALLBACK_SIZE,
	NETTOLL_FALLBACK_DESTINATION,
	NETTOLL_FALLBACK_BUSY,
	NETTOLL_FALLBACK_LEARNING,
	NETTOLL_FALLBACK_SLOWER,
	NETTOLL_FALLBACK_NOT_POOL,
	NETTOLL_FALLBACK_LIMIT,
	NETTOLL_FALLBACK_INTERRUPTED,
};

/**
 * enum nettoll_coalesce_mode - What receive coalescing aims at: latency, as
 *   few interrupts as a bound of the time that packets wait allows;
 *   throughput, as few as pay.
 */
enum nettoll_coalesce_mode {
	NETTOLL_COALESCE_MODE_LATENCY,
	NETTOLL_COALESCE_MODE_THROUGHPUT,
};

/**
 * enum nettoll_coalesce_change - What became of the receive coalescing of a
 *   device. All but the first two ended it, and the device has its own values
 *   back: stopped, somebody asked; owner, the socket that it was bound to was
 *   closed; down, the device was taken down, also to be moved to another
 *   network namespace; gone, it was removed.
 */
enum nettoll_coalesce_change {
	NETTOLL_COALESCE_CHANGE_STARTED,
	NETTOLL_COALESCE_CHANGE_CHANGED,
	NETTOLL_COALESCE_CHANGE_STOPPED,
	NETTOLL_COALESCE_CHANGE_OWNER,
	NETTOLL_COALESCE_CHANGE_DOWN,
	NETTOLL_COALESCE_CHANGE_GONE,
};

enum {
	NETTOLL_A_STATUS_VERSION = 1,
	NETTOLL_A_STATUS_STATE,
	NETTOLL_A_STATUS_BACKENDS,
	NETTOLL_A_STATUS_TSC_KHZ,
	NETTOLL_A_STATUS_CPUS,
	NETTOLL_A_STATUS_HOOKS,
	NETTOLL_A_STATUS_HOOKS_ATTACHED,
	NETTOLL_A_STATUS_GENERATION,
	NETTOLL_A_STATUS_SPANS_OPEN,
	NETTOLL_A_STATUS_SPAN_INNER,
	NETTOLL_A_STATUS_SPAN_OUTER,
	NETTOLL_A_STATUS_PROBE_INNER,
	NETTOLL_A_STATUS_PROBE_OUTER,
	NETTOLL_A_STATUS_FPROBE_INNER,
	NETTOLL_A_STATUS_FPROBE_OUTER,
	NETTOLL_A_STATUS_ATTACHED_NS,
	NETTOLL_A_STATUS_DUTY,
	NETTOLL_A_STATUS_PAD,
	NETTOLL_A_STATUS_CEILING,
	NETTOLL_A_STATUS_WINDOW_MS,

	__NETTOLL_A_STATUS_MAX,
	NETTOLL_A_STATUS_MAX = (__NETTOLL_A_STATUS_MAX - 1)
};

enum {
	NETTOLL_A_LAYER_INFO_LAYER = 1,
	NETTOLL_A_LAYER_INFO_NAME,
	NETTOLL_A_LAYER_INFO_DOC,

	__NETTOLL_A_LAYER_INFO_MAX,
	NETTOLL_A_LAYER_INFO_MAX = (__NETTOLL_A_LAYER_INFO_MAX - 1)
};

enum {
	NETTOLL_A_HOOK_ID = 1,
	NETTOLL_A_HOOK_NAME,
	NETTOLL_A_HOOK_SYMBOL,
	NETTOLL_A_HOOK_LAYER,
	NETTOLL_A_HOOK_DIRECTION,
	NETTOLL_A_HOOK_BACKEND,
	NETTOLL_A_HOOK_STATE,
	NETTOLL_A_HOOK_ERROR,
	NETTOLL_A_HOOK_ERROR_TEXT,
	NETTOLL_A_HOOK_MISSED,
	NETTOLL_A_HOOK_PAD,

	__NETTOLL_A_HOOK_MAX,
	NETTOLL_A_HOOK_MAX = (__NETTOLL_A_HOOK_MAX - 1)
};

enum {
	NETTOLL_A_ATTACH_LAYER = 1,
	NETTOLL_A_ATTACH_HOOK,
	NETTOLL_A_ATTACH_BACKEND,
	NETTOLL_A_ATTACH_STRICT,
	NETTOLL_A_ATTACH_ATTACHED,
	NETTOLL_A_ATTACH_FAILED,
	NETTOLL_A_ATTACH_ABSENT,
	NETTOLL_A_ATTACH_DUTY,
	NETTOLL_A_ATTACH_WINDOW_MS,
	NETTOLL_A_ATTACH_CEILING,

	__NETTOLL_A_ATTACH_MAX,
	NETTOLL_A_ATTACH_MAX = (__NETTOLL_A_ATTACH_MAX - 1)
};

enum {
	NETTOLL_A_STAT_GENERATION = 1,
	NETTOLL_A_STAT_TIME_NS,
	NETTOLL_A_STAT_CYCLES,
	NETTOLL_A_STAT_ATTACHED_NS,
	NETTOLL_A_STAT_PER_CPU,
	NETTOLL_A_STAT_CPU,
	NETTOLL_A_STAT_CHARGE,
	NETTOLL_A_STAT_PAD,

	__NETTOLL_A_STAT_MAX,
	NETTOLL_A_STAT_MAX = (__NETTOLL_A_STAT_MAX - 1)
};

enum {
	NETTOLL_A_STAT_CPU_CPU = 1,
	NETTOLL_A_STAT_CPU_INCLUSIVE,
	NETTOLL_A_STAT_CPU_TX_PACKETS,
	NETTOLL_A_STAT_CPU_TX_BYTES,
	NETTOLL_A_STAT_CPU_RX_PACKETS,
	NETTOLL_A_STAT_CPU_RX_BYTES,
	NETTOLL_A_STAT_CPU_CPUS,
	NETTOLL_A_STAT_CPU_PAD,

	__NETTOLL_A_STAT_CPU_MAX,
	NETTOLL_A_STAT_CPU_MAX = (__NETTOLL_A_STAT_CPU_MAX - 1)
};

enum {
	NETTOLL_A_CHARGE_HOOK = 1,
	NETTOLL_A_CHARGE_DIRECTION,
	NETTOLL_A_CHARGE_CPU,
	NETTOLL_A_CHARGE_CALLS,
	NETTOLL_A_CHARGE_SELF,
	NETTOLL_A_CHARGE_OWN,
	NETTOLL_A_CHARGE_TOTAL,
	NETTOLL_A_CHARGE_PAD,

	__NETTOLL_A_CHARGE_MAX,
	NETTOLL_A_CHARGE_MAX = (__NETTOLL_A_CHARGE_MAX - 1)
};

enum {
	NETTOLL_A_SETTING_NAME = 1,
	NETTOLL_A_SETTING_VALUE,
	NETTOLL_A_SETTING_MINIMUM,
	NETTOLL_A_SETTING_MAXIMUM,
	NETTOLL_A_SETTING_DEFAULT,
	NETTOLL_A_SETTING_DOC,
	NETTOLL_A_SETTING_PAD,

	__NETTOLL_A_SETTING_MAX,
	NETTOLL_A_SETTING_MAX = (__NETTOLL_A_SETTING_MAX - 1)
};

enum {
	NETTOLL_A_EVENT_EVENT = 1,
	NETTOLL_A_EVENT_GENERATION,
	NETTOLL_A_EVENT_COUNT,
	NETTOLL_A_EVENT_HOOKS_ATTACHED,
	NETTOLL_A_EVENT_PID,
	NETTOLL_A_EVENT_SETTING,
	NETTOLL_A_EVENT_VALUE,
	NETTOLL_A_EVENT_PAD,
	NETTOLL_A_EVENT_RULE,
	NETTOLL_A_EVENT_DEVICE,
	NETTOLL_A_EVENT_COALESCE_CHANGE,
	NETTOLL_A_EVENT_LEFT,

	__NETTOLL_A_EVENT_MAX,
	NETTOLL_A_EVENT_MAX = (__NETTOLL_A_EVENT_MAX - 1)
};

enum {
	NETTOLL_A_HOLDER_PID = 1,
	NETTOLL_A_HOLDER_COMM,
	NETTOLL_A_HOLDER_HOOK,
	NETTOLL_A_HOLDER_KTHREAD,
	NETTOLL_A_HOLDER_SINCE_CYCLES,
	NETTOLL_A_HOLDER_PAD,

	__NETTOLL_A_HOLDER_MAX,
	NETTOLL_A_HOLDER_MAX = (__NETTOLL_A_HOLDER_MAX - 1)
};

enum {
	NETTOLL_A_COALESCE_IFINDEX = 1,
	NETTOLL_A_COALESCE_DEVICE,
	NETTOLL_A_COALESCE_MODE,
	NETTOLL_A_COALESCE_TARGET_NS,
	NETTOLL_A_COALESCE_WHILE_OPEN,
	NETTOLL_A_COALESCE_PID,
	NETTOLL_A_COALESCE_HOLD_NS,
	NETTOLL_A_COALESCE_BOUND_NS,
	NETTOLL_A_COALESCE_SLACK_NS,
	NETTOLL_A_COALESCE_LEVEL,
	NETTOLL_A_COALESCE_IDLE,
	NETTOLL_A_COALESCE_RX_USECS,
	NETTOLL_A_COALESCE_RX_USECS_OLD,
	NETTOLL_A_COALESCE_RX_FRAMES_OLD,
	NETTOLL_A_COALESCE_ADAPTIVE_RX_OLD,
	NETTOLL_A_COALESCE_FLUSH_NS_OLD,
	NETTOLL_A_COALESCE_HARD_IRQS_OLD,
	NETTOLL_A_COALESCE_IRQ_LEFT,
	NETTOLL_A_COALESCE_DEFER_LEFT,
	NETTOLL_A_COALESCE_IRQ_ERROR,
	NETTOLL_A_COALESCE_TIME_NS,
	NETTOLL_A_COALESCE_SINCE_NS,
	NETTOLL_A_COALESCE_INTERRUPTS,
	NETTOLL_A_COALESCE_TIMERS,
	NETTOLL_A_COALESCE_POLLS,
	NETTOLL_A_COALESCE_PACKETS,
	NETTOLL_A_COALESCE_BYTES,
	NETTOLL_A_COALESCE_DROPS,
	NETTOLL_A_COALESCE_TURNS,
	NETTOLL_A_COALESCE_WAITS,
	NETTOLL_A_COALESCE_PAD,

	__NETTOLL_A_COALESCE_MAX,
	NETTOLL_A_COALESCE_MAX = (__NETTOLL_A_COALESCE_MAX - 1)
};

enum {
	NETTOLL_A_RULE_ID = 1,
	NETTOLL_A_RULE_BEFORE,
	NETTOLL_A_RULE_PROTOCOL,
	NETTOLL_A_RULE_FAMILY,
	NETTOLL_A_RULE_LOCAL_ADDR4,
	NETTOLL_A_RULE_LOCAL_ADDR6,
	NETTOLL_A_RULE_LOCAL_PREFIX,
	NETTOLL_A_RULE_LOCAL_PORT_MIN,
	NETTOLL_A_RULE_LOCAL_PORT_MAX,
	NETTOLL_A_RULE_REMOTE_ADDR4,
	NETTOLL_A_RULE_REMOTE_ADDR6,
	NETTOLL_A_RULE_REMOTE_PREFIX,
	NETTOLL_A_RULE_REMOTE_PORT_MIN,
	NETTOLL_A_RULE_REMOTE_PORT_MAX,
	NETTOLL_A_RULE_DEVICE,
	NETTOLL_A_RULE_CGROUP,
	NETTOLL_A_RULE_CGROUP_ID,
	NETTOLL_A_RULE_UID_MIN,
	NETTOLL_A_RULE_UID_MAX,
	NETTOLL_A_RULE_ZEROCOPY,
	NETTOLL_A_RULE_ZEROCOPY_MIN,
	NETTOLL_A_RULE_CSUM_TX,
	NETTOLL_A_RULE_CSUM_RX,
	NETTOLL_A_RULE_AUDIT_RATE,
	NETTOLL_A_RULE_COALESCE_DATAGRAMS,
	NETTOLL_A_RULE_COALESCE_BYTES,
	NETTOLL_A_RULE_COALESCE_USECS,
	NETTOLL_A_RULE_SOCKETS,
	NETTOLL_A_RULE_SENDS,
	NETTOLL_A_RULE_BYTES,
	NETTOLL_A_RULE_ZEROCOPY_BYTES,
	NETTOLL_A_RULE_COPIED_BYTES,
	NETTOLL_A_RULE_COALESCED,
	NETTOLL_A_RULE_BATCHES,
	NETTOLL_A_RULE_CSUM_PACKETS,
	NETTOLL_A_RULE_AUDITED,
	NETTOLL_A_RULE_DISAGREED,
	NETTOLL_A_RULE_FALLBACK,
	NETTOLL_A_RULE_ALL,
	NETTOLL_A_RULE_PAD,

	__NETTOLL_A_RULE_MAX,
	NETTOLL_A_RULE_MAX = (__NETTOLL_A_RULE_MAX - 1)
};

enum {
	NETTOLL_A_RULE_FALLBACK_REASON = 1,
	NETTOLL_A_RULE_FALLBACK_COUNT,
	NETTOLL_A_RULE_FALLBACK_PAD,

	__NETTOLL_A_RULE_FALLBACK_MAX,
	NETTOLL_A_RULE_FALLBACK_MAX = (__NETTOLL_A_RULE_FALLBACK_MAX - 1)
};

enum {
	NETTOLL_CMD_STATUS_GET = 1,
	NETTOLL_CMD_LAYER_GET,
	NETTOLL_CMD_HOOK_GET,
	NETTOLL_CMD_ATTACH,
	NETTOLL_CMD_DETACH,
	NETTOLL_CMD_STAT_GET,
	NETTOLL_CMD_SETTING_GET,
	NETTOLL_CMD_SETTING_SET,
	NETTOLL_CMD_HOLDER_GET,
	NETTOLL_CMD_CHANGE_NTF,
	NETTOLL_CMD_RULE_ADD,
	NETTOLL_CMD_RULE_SET,
	NETTOLL_CMD_RULE_DEL,
	NETTOLL_CMD_RULE_GET,
	NETTOLL_CMD_COALESCE_SET,
	NETTOLL_CMD_COALESCE_DEL,
	NETTOLL_CMD_COALESCE_GET,

	__NETTOLL_CMD_MAX,
	NETTOLL_CMD_MAX = (__NETTOLL_CMD_MAX - 1)
};

#define NETTOLL_MCGRP_CHANGES	"changes"

#endif /* _UAPI_LINUX_NETTOLL_H */
