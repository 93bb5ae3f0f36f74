// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers lent with MSG_ZEROCOPY, and the error queue that tells when they are ours again. */
#include "traffic/zerocopy.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/err.h"

#define ZC_MEMORY_MAX	(64u << 20)	/* bytes of the ring unless a size is asked for */

/* As many as the send buffer can hold, twice: one half in flight, one waiting for its completion
 * to be read. TCP grows its buffer by itself, to 4 MiB by default. */
static uint32_t default_slots(const struct run *r, uint32_t len, size_t stride)
{
	uint64_t buffer = r->tx.sndbuf, slots;

	if (r->spec.proto == TRAFFIC_TCP && !r->spec.sndbuf)
		buffer = 4u << 20;
	slots = 2 * buffer / len;
	if (slots < 16)
		slots = 16;
	if (slots > 2048)
		slots = 2048;
	if (slots * stride > ZC_MEMORY_MAX)
		slots = ZC_MEMORY_MAX / stride;
	return slots < 2 ? 2 : (uint32_t)slots;
}

int zc_init(struct zc_ring *z, struct run *r, uint32_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t least = r->spec.batch;

	memset(z, 0, sizeof(*z));
	z->stride = (len + page - 1) / page * page;
	z->slots = r->spec.zc_slots ? r->spec.zc_slots : default_slots(r, len, z->stride);
	if (z->slots < least)
		z->slots = least;
	z->limit = ZC_IDS / 2;
	z->mem = mmap(NULL, z->slots * z->stride, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (z->mem == MAP_FAILED)
		z->mem = NULL;
	z->pending = calloc(z->slots, sizeof(*z->pending));
	z->sends = calloc(ZC_IDS, sizeof(*z->sends));
	if (!z->mem || !z->pending || !z->sends) {
		zc_free(z);
		return err_set(-ENOMEM, "lower --zc-slots or --size",
			       "no memory for %u zero-copy buffers of %zu bytes", z->slots,
			       z->stride);
	}
	return 0;
}

void zc_free(struct zc_ring *z)
{
	if (z->mem)
		munmap(z->mem, z->slots * z->stride);
	free(z->pending);
	free(z->sends);
	z->mem = NULL;
	z->pending = NULL;
	z->sends = NULL;
}

/* The kernel joins completions that follow each other into one range [lo, hi]. */
static void complete(struct zc_ring *z, struct run *r, const struct sock_extended_err *ee)
{
	bool copied = ee->ee_code & SO_EE_CODE_ZEROCOPY_COPIED;
	uint32_t id, n = ee->ee_data - ee->ee_info + 1;

	r->tx.zc_notifications++;
	if (n > z->in_flight)
		n = z->in_flight;
	for (id = ee->ee_info; n--; id++) {
		const struct zc_send *s = &z->sends[id % ZC_IDS];

		z->pending[s->slot]--;
		z->in_flight--;
		r->tx.zc_completions++;
		r->tx.zc_copied += copied;
		*(copied ? &r->tx.zc_copied_bytes : &r->tx.zc_bytes) += s->len;
	}
}

static const struct sock_extended_err *find_error(struct msghdr *msg)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		if ((c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) ||
		    (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR))
			return (const struct sock_extended_err *)CMSG_DATA(c);
	return NULL;
}

/* Read all notifications there are. Return: how many, or a negative errno. */
static int read_notifications(struct zc_ring *z, struct run *r)
{
	int count = 0;

	for (;;) {
		char control[256];
		struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(control) };
		const struct sock_extended_err *ee;

		r->tx.syscalls++;
		if (recvmsg(r->fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
			if (errno == EAGAIN || errno == EINTR)
				return count;
			/* A pending ICMP error is reported once, in place of a notification. */
			if (sender_trouble(r, errno) < 0)
				return r->failed;
			continue;
		}
		ee = find_error(&msg);
		if (ee && ee->ee_origin == SO_EE_ORIGIN_ZEROCOPY && !ee->ee_errno) {
			complete(z, r, ee);
			count++;
		}
		/* Mostly a single range is waiting: save the call that would say so. */
		if (!z->in_flight)
			return count;
	}
}

int zc_reap(struct zc_ring *z, struct run *r, bool wait)
{
	/* An error queue that is not empty shows as POLLERR, which needs no asking for. */
	struct pollfd p = { .fd = r->fd, .events = 0 };
	int ret, error;

	for (;;) {
		ret = read_notifications(z, r);
		if (ret || !wait || !z->in_flight)
			return ret < 0 ? ret : 0;
		/* An error that is not in the queue would end each poll() at once. */
		error = p.revents ? (int)sock_option_u64(r->fd, SOL_SOCKET, SO_ERROR) : 0;
		if (error && sender_trouble(r, error) < 0)
			return r->failed;
		r->tx.zc_waits++;
		r->tx.syscalls++;
		ret = poll(&p, 1, (int)r->spec.timeout_ms);
		if (ret < 0)
			return errno == EINTR ? 0 : err_set(-errno, NULL, "cannot wait: %s",
							    strerror(errno));
		if (!ret)
			return err_set(-ETIMEDOUT, "is the link up?",
				       "%u zero-copy sends were not completed within %u ms",
				       z->in_flight, r->spec.timeout_ms);
	}
}

int zc_full(struct zc_ring *z, struct run *r)
{
	r->tx.zc_backoffs++;
	if (!z->in_flight)
		return err_set(-ENOBUFS,
			       "raise it (ulimit -l, sysctl net.core.optmem_max), or be root",
			       "one zero-copy send is more than RLIMIT_MEMLOCK or "
			       "net.core.optmem_max allows");
	/* Do not run into the same wall with every send. */
	if (z->in_flight < z->limit)
		z->limit = z->in_flight;
	return zc_reap(z, r, true);
}

int zc_drain(struct zc_ring *z, struct run *r)
{
	uint64_t end = clock_ns() + r->spec.timeout_ms * 1000000ull;
	int ret = 0;

	while (!ret && z->in_flight) {
		ret = zc_reap(z, r, true);
		if (!ret && z->in_flight &&
		    (r->why & (WHY_CONTROL | WHY_STALL) || clock_ns() > end))
			break;
	}
	r->tx.zc_limit = z->limit == ZC_IDS / 2 ? 0 : z->limit;
	return ret;
}
