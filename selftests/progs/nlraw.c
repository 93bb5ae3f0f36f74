// SPDX-License-Identifier: GPL-2.0-or-later
/* Netlink by hand. */
#include "nlraw.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK	270
#endif

size_t nlr_chunk = 65536;

static void learn_family(const struct nlmsghdr *h, void *arg)
{
	uint16_t *family = arg;

	*family = (uint16_t)nlr_value(nlr_msg_attr(h, CTRL_ATTR_FAMILY_ID));
}

void nlr_open(struct nlr *n)
{
	struct sockaddr_nl sa = { .nl_family = AF_NETLINK };
	struct nlr_answer a;
	struct nlr_msg m;
	int one = 1;

	*n = (struct nlr){ .family = GENL_ID_CTRL, .seq = 1 };
	n->fd = (int)check(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), "netlink socket");
	check(bind(n->fd, (void *)&sa, sizeof(sa)), "bind netlink");
	check(setsockopt(n->fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)), "NETLINK_EXT_ACK");
	nlr_begin(n, &m, CTRL_CMD_GETFAMILY, 0);
	nlr_put_str(&m, CTRL_ATTR_FAMILY_NAME, NETTOLL_FAMILY_NAME);
	check(nlr_send(n, &m), "send");
	nlr_answer(n, &a, 10000, learn_family, &n->family);
	if (a.error || n->family == GENL_ID_CTRL)
		die(-a.error, "no netlink family %s", NETTOLL_FAMILY_NAME);
}

void nlr_begin(struct nlr *n, struct nlr_msg *m, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr *g = (void *)(m->buf + NLMSG_HDRLEN);

	memset(m->buf, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	m->overflow = false;
	m->used = NLMSG_HDRLEN + GENL_HDRLEN;
	m->h.nlmsg_len = (uint32_t)m->used;
	m->h.nlmsg_type = n->family;
	m->h.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	m->h.nlmsg_seq = ++n->seq;
	g->cmd = cmd;
	g->version = 1;
}

size_t nlr_put(struct nlr_msg *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *a = (void *)(m->buf + m->used);
	size_t at = m->used, room = NLA_ALIGN(NLA_HDRLEN + len);

	if (at + room > sizeof(m->buf) || NLA_HDRLEN + len > UINT16_MAX) {
		m->overflow = true;
		return at;
	}
	memset(a, 0, room);
	a->nla_type = type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + len);
	if (len)
		memcpy((uint8_t *)a + NLA_HDRLEN, data, len);
	m->used += room;
	m->h.nlmsg_len = (uint32_t)m->used;
	return at;
}

size_t nlr_put_u32(struct nlr_msg *m, uint16_t type, uint32_t value)
{
	return nlr_put(m, type, &value, sizeof(value));
}

size_t nlr_put_u64(struct nlr_msg *m, uint16_t type, uint64_t value)
{
	return nlr_put(m, type, &value, sizeof(value));
}

size_t nlr_put_str(struct nlr_msg *m, uint16_t type, const char *text)
{
	return nlr_put(m, type, text, strlen(text) + 1);
}

int nlr_send(struct nlr *n, struct nlr_msg *m)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t sent;

	sent = sendto(n->fd, m->buf, m->used, 0, (void *)&kernel, sizeof(kernel));
	return sent < 0 ? -errno : 0;
}

static void take_error(const struct nlmsghdr *h, struct nlr_answer *a)
{
	const struct nlmsgerr *e = NLMSG_DATA(h);
	const struct nlattr *at;
	size_t skip = sizeof(*e), len = h->nlmsg_len - NLMSG_HDRLEN;

	a->error = e->error;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (skip > len)
		return;
	at = nlr_attr((const uint8_t *)e + skip, len - skip, NLMSGERR_ATTR_MSG);
	if (at) {
		size_t text = NLR_LEN(at) < sizeof(a->text) ? NLR_LEN(at) : sizeof(a->text) - 1;

		memcpy(a->text, NLR_DATA(at), text);
		a->text[text] = '\0';
	}
	a->offset = (uint32_t)nlr_value(nlr_attr((const uint8_t *)e + skip, len - skip, NLMSGERR_ATTR_OFFS));
	a->missing = (uint32_t)nlr_value(nlr_attr((const uint8_t *)e + skip, len - skip,
						  NLMSGERR_ATTR_MISS_TYPE));
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* One datagram of messages; true if it ended the answer. */
static bool take(struct nlr *n, const uint8_t *buf, size_t len, struct nlr_answer *a,
		 void (*each)(const struct nlmsghdr *h, void *arg), void *arg)
{
	const struct nlmsghdr *h = (const void *)buf;
	bool done = false;

	for (; len >= NLMSG_HDRLEN && h->nlmsg_len >= NLMSG_HDRLEN && h->nlmsg_len <= len;
	     len -= NLMSG_ALIGN(h->nlmsg_len), h = (const void *)((const uint8_t *)h + NLMSG_ALIGN(h->nlmsg_len))) {
		if (h->nlmsg_seq != n->seq)
			continue;
		a->interrupted |= !!(h->nlmsg_flags & NLM_F_DUMP_INTR);
		if (h->nlmsg_type == NLMSG_ERROR) {
			take_error(h, a);
			done = true;
		} else if (h->nlmsg_type == NLMSG_DONE) {
			a->error = h->nlmsg_len >= NLMSG_HDRLEN + 4 ? *(const int *)NLMSG_DATA(h) : 0;
			done = true;
		} else if (h->nlmsg_type >= NLMSG_MIN_TYPE) {
			a->messages++;
			if (each)
				each(h, arg);
		}
		if (NLMSG_ALIGN(h->nlmsg_len) >= len)
			break;
	}
	return done;
}

void nlr_answer(struct nlr *n, struct nlr_answer *a, int ms,
		void (*each)(const struct nlmsghdr *h, void *arg), void *arg)
{
	static uint8_t buf[65536];
	int64_t end = now_ms() + ms, left;
	struct pollfd p = { .fd = n->fd, .events = POLLIN };
	ssize_t len;

	*a = (struct nlr_answer){ .error = 1 };
	for (;;) {
		left = end - now_ms();
		if (left <= 0 || poll(&p, 1, (int)left) <= 0)
			return;
		len = recv(n->fd, buf, nlr_chunk < sizeof(buf) ? nlr_chunk : sizeof(buf), 0);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0) {
			a->error = -errno;
			return;
		}
		if (take(n, buf, (size_t)len, a, each, arg))
			return;
	}
}

void nlr_ask(struct nlr *n, struct nlr_msg *m, struct nlr_answer *a)
{
	check(nlr_send(n, m), "send");
	nlr_answer(n, a, 30000, NULL, NULL);
}

const struct nlattr *nlr_attr(const void *data, size_t len, uint16_t type)
{
	const struct nlattr *a = data;

	while (len >= NLA_HDRLEN && a->nla_len >= NLA_HDRLEN && a->nla_len <= len) {
		size_t step = NLA_ALIGN(a->nla_len);

		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		if (step >= len)
			break;
		len -= step;
		a = (const void *)((const uint8_t *)a + step);
	}
	return NULL;
}

const struct nlattr *nlr_msg_attr(const struct nlmsghdr *h, uint16_t type)
{
	const size_t head = NLMSG_HDRLEN + GENL_HDRLEN;

	return h->nlmsg_len < head ? NULL :
	       nlr_attr((const uint8_t *)h + head, h->nlmsg_len - head, type);
}

uint64_t nlr_value(const struct nlattr *a)
{
	uint64_t value = 0;

	if (a && NLR_LEN(a) <= sizeof(value))
		memcpy(&value, NLR_DATA(a), NLR_LEN(a));
	return value;
}
