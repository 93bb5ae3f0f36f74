// SPDX-License-Identifier: GPL-2.0-or-later
/* Netlink through libnl, which only files beginning with nl include: sockets and requests. */
#include "lib/nl.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/err.h"

#define DUMP_TRIES	5
#define REQUEST_MAX	65536
#define RECEIVE_BUFFER	(1 << 20)	/* for notifications; dumps wait for their reader */

struct nlk_conn {
	struct nl_sock *sk;
	struct nl_cb *cb;
	bool genl;
	int family;
	char name[GENL_NAMSIZ];
	/* the request under way */
	nlk_fn fn;
	void *arg;
	bool done;
	bool interrupted;
	int error;		/* what the kernel or fn answered */
	char text[512];		/* the kernel's words on it */
	int bad_attr;		/* and what of the request they are about */
	struct nl_msg *sent;
};

struct nlk_request {
	struct nl_msg *msg;
	int error;
};

/* libnl's error numbers as errno; most of them are made from errnos in the first place. */
static int to_errno(int nle)
{
	switch (nle < 0 ? -nle : nle) {
	case NLE_SUCCESS:		return 0;
	case NLE_INTR:			return -EINTR;
	case NLE_BAD_SOCK:		return -EBADF;
	case NLE_AGAIN:			return -EAGAIN;
	case NLE_NOMEM:			return -ENOMEM;
	case NLE_EXIST:			return -EEXIST;
	case NLE_INVAL:			return -EINVAL;
	case NLE_RANGE:			return -ERANGE;
	case NLE_MSGSIZE:		return -EMSGSIZE;
	case NLE_OPNOTSUPP:		return -EOPNOTSUPP;
	case NLE_AF_NOSUPPORT:		return -EAFNOSUPPORT;
	case NLE_OBJ_NOTFOUND:		return -ENOENT;
	case NLE_MSG_TRUNC:		return -EMSGSIZE;
	case NLE_MSG_TOOSHORT:		return -EBADMSG;
	case NLE_PROTO_MISMATCH:	return -EPROTONOSUPPORT;
	case NLE_NOACCESS:		return -EACCES;
	case NLE_PERM:			return -EPERM;
	case NLE_BUSY:			return -EBUSY;
	case NLE_NODEV:			return -ENODEV;
	default:			return -EIO;
	}
}

/* Type of the outermost attribute of the request that holds what lies at an offset of the message. */
static int attr_at(const struct nlk_conn *conn, uint32_t offset)
{
	struct nlmsghdr *hdr;
	struct nlattr *attr;
	uint32_t at;
	int rest;

	/* Others have headers of their own kind in front. */
	if (!conn->genl || !conn->sent)
		return 0;
	hdr = nlmsg_hdr(conn->sent);
	nlmsg_for_each_attr(attr, hdr, GENL_HDRLEN, rest) {
		at = (uint32_t)((char *)attr - (char *)hdr);
		if (offset >= at && offset < at + nla_total_size(nla_len(attr)))
			return nla_type(attr);
	}
	return 0;
}

/* Takes the kernel's words out of the attributes behind an error. */
static void take_extack(struct nlk_conn *conn, const void *attrs, int len)
{
	struct nlattr *attr;

	if (len <= 0)
		return;
	attr = nla_find(attrs, len, NLMSGERR_ATTR_MSG);
	if (attr && nla_len(attr) > 0)
		nlk_str(attr, conn->text, sizeof(conn->text));
	attr = nla_find(attrs, len, NLMSGERR_ATTR_OFFS);
	if (attr)
		conn->bad_attr = attr_at(conn, nlk_u32(attr));
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct nlk_conn *conn = arg;
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct nlk_reply reply = { .type = hdr->nlmsg_type };
	int ret;

	reply.data = nlmsg_data(hdr);
	reply.len = nlmsg_datalen(hdr);
	if (conn->genl) {
		if (reply.len < GENL_HDRLEN)
			return NL_SKIP;
		reply.cmd = ((const struct genlmsghdr *)reply.data)->cmd;
		reply.data = (const char *)reply.data + GENL_HDRLEN;
		reply.len -= GENL_HDRLEN;
	}
	/* After a failure the rest is read all the same, so that the next request starts clean. */
	if (!conn->fn || conn->error)
		return NL_OK;
	ret = conn->fn(&reply, conn->arg);
	if (ret < 0)
		conn->error = ret;
	return NL_OK;
}

/* The end of a dump carries its result. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlk_conn *conn = arg;
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	int error = 0;

	conn->done = true;
	if (nlmsg_datalen(hdr) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(hdr), sizeof(error));
	if (error < 0 && !conn->error) {
		conn->error = error;
		if (hdr->nlmsg_flags & NLM_F_ACK_TLVS)
			take_extack(conn, (char *)nlmsg_data(hdr) + NLMSG_ALIGN(sizeof(error)),
				    nlmsg_datalen(hdr) - (int)NLMSG_ALIGN(sizeof(error)));
	}
	return NL_STOP;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	struct nlk_conn *conn = arg;

	(void)msg;
	conn->interrupted = true;
	return NL_OK;
}

/* An acknowledgement or refusal quotes the request, or its header, and then come the attributes. */
static void take_extack_behind_request(struct nlk_conn *conn, const struct nlmsghdr *hdr,
				       const struct nlmsgerr *e)
{
	size_t skip = sizeof(*e);

	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len) - sizeof(e->msg);
	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS && nlmsg_datalen(hdr) > (int)skip)
		take_extack(conn, (const char *)e + skip, nlmsg_datalen(hdr) - (int)skip);
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct nlk_conn *conn = arg;

	conn->done = true;
	take_extack_behind_request(conn, hdr, nlmsg_data(hdr));
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct nlk_conn *conn = arg;

	(void)from;
	conn->done = true;
	if (!conn->error)
		conn->error = e->error;
	/* libnl hands out the body only; its header, which has the flags, lies before it. */
	take_extack_behind_request(conn, (const void *)((const char *)e - NLMSG_HDRLEN), e);
	return NL_STOP;
}

static int set_up(struct nlk_conn *conn, int protocol)
{
	static const int options[] = { NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK };
	int ret, one = 1;
	size_t i;

	conn->sk = nl_socket_alloc();
	conn->cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!conn->sk || !conn->cb)
		return err_set(-ENOMEM, NULL, "out of memory");
	ret = nl_connect(conn->sk, protocol);
	if (ret)
		return err_set(to_errno(ret), NULL, "cannot open a netlink socket: %s",
			       nl_geterror(ret));
	/* Each only adds to what the kernel says or checks; older kernels do without. */
	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		setsockopt(nl_socket_get_fd(conn->sk), SOL_NETLINK, options[i], &one, sizeof(one));
	nl_socket_enable_msg_peek(conn->sk);
	nl_socket_set_buffer_size(conn->sk, RECEIVE_BUFFER, 0);
	nl_cb_set(conn->cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, conn);
	nl_cb_set(conn->cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, conn);
	nl_cb_set(conn->cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, conn);
	nl_cb_set(conn->cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, conn);
	nl_cb_err(conn->cb, NL_CB_CUSTOM, on_error, conn);
	return 0;
}

int nlk_open(int protocol, struct nlk_conn **conn)
{
	struct nlk_conn *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return err_set(-ENOMEM, NULL, "out of memory");
	ret = set_up(c, protocol);
	if (ret) {
		nlk_close(c);
		return ret;
	}
	*conn = c;
	return 0;
}

int nlk_open_genl(const char *family, struct nlk_conn **conn)
{
	struct nlk_conn *c;
	int ret;

	ret = nlk_open(NETLINK_GENERIC, &c);
	if (ret)
		return ret;
	c->family = genl_ctrl_resolve(c->sk, family);
	if (c->family < 0) {
		ret = c->family == -NLE_OBJ_NOTFOUND ? -ENODEV : to_errno(c->family);
		err_set(ret, NULL, "netlink family %s: %s", family, nl_geterror(c->family));
		nlk_close(c);
		return ret;
	}
	c->genl = true;
	strncpy(c->name, family, sizeof(c->name) - 1);
	*conn = c;
	return 0;
}

void nlk_close(struct nlk_conn *conn)
{
	if (!conn)
		return;
	nl_cb_put(conn->cb);
	nl_socket_free(conn->sk);
	free(conn);
}

int nlk_fd(const struct nlk_conn *conn)
{
	return nl_socket_get_fd(conn->sk);
}

struct nlk_request *nlk_request(struct nlk_conn *conn, uint16_t cmd, const void *header,
			      size_t header_len, unsigned int flags)
{
	struct nlk_request *req = calloc(1, sizeof(*req));

	if (!req)
		return NULL;
	req->msg = nlmsg_alloc_size(REQUEST_MAX);
	if (!req->msg) {
		req->error = -ENOMEM;
		return req;
	}
	if (conn->genl) {
		if (!genlmsg_put(req->msg, NL_AUTO_PORT, NL_AUTO_SEQ, conn->family, 0,
				 NLM_F_REQUEST | flags, cmd, 1))
			req->error = -ENOMEM;
	} else if (!nlmsg_put(req->msg, NL_AUTO_PORT, NL_AUTO_SEQ, cmd, 0, NLM_F_REQUEST | flags) ||
		   nlmsg_append(req->msg, (void *)header, header_len, NLMSG_ALIGNTO)) {
		req->error = -ENOMEM;
	}
	return req;
}

void nlk_put_data(struct nlk_request *req, int type, const void *data, size_t len)
{
	if (req && !req->error && nla_put(req->msg, type, (int)len, data))
		req->error = -EMSGSIZE;
}

void nlk_put_u8(struct nlk_request *req, int type, uint8_t value)
{
	nlk_put_data(req, type, &value, sizeof(value));
}

void nlk_put_u16(struct nlk_request *req, int type, uint16_t value)
{
	nlk_put_data(req, type, &value, sizeof(value));
}

void nlk_put_u32(struct nlk_request *req, int type, uint32_t value)
{
	nlk_put_data(req, type, &value, sizeof(value));
}

void nlk_put_u64(struct nlk_request *req, int type, uint64_t value)
{
	nlk_put_data(req, type, &value, sizeof(value));
}

void nlk_put_str(struct nlk_request *req, int type, const char *value)
{
	nlk_put_data(req, type, value, strlen(value) + 1);
}

void nlk_put_flag(struct nlk_request *req, int type)
{
	nlk_put_data(req, type, NULL, 0);
}

struct nlattr *nlk_nest_begin(struct nlk_request *req, int type)
{
	struct nlattr *nest;

	if (!req || req->error)
		return NULL;
	nest = nla_nest_start(req->msg, type | NLA_F_NESTED);
	if (!nest)
		req->error = -EMSGSIZE;
	return nest;
}

void nlk_nest_end(struct nlk_request *req, struct nlattr *nest)
{
	if (req && !req->error && nest)
		nla_nest_end(req->msg, nest);
}

/* One exchange; leaves the outcome in conn. */
static int exchange(struct nlk_conn *conn, struct nl_msg *msg)
{
	int ret;

	conn->done = false;
	conn->interrupted = false;
	conn->error = 0;
	conn->text[0] = '\0';
	conn->bad_attr = 0;
	conn->sent = msg;
	nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
	nlmsg_hdr(msg)->nlmsg_pid = NL_AUTO_PORT;
	ret = nl_send_auto(conn->sk, msg);
	while (ret >= 0 && !conn->done) {
		ret = nl_recvmsgs(conn->sk, conn->cb);
		/* An error that the kernel sent is in conn->error; this is a coarser copy. */
		if (ret == -NLE_INTR || conn->done)
			ret = 0;
	}
	conn->sent = NULL;
	if (ret < 0)
		return err_set(to_errno(ret), NULL, "netlink: %s", nl_geterror(ret));
	if (conn->error && conn->text[0])
		return err_set(conn->error, NULL, "%s", conn->text);
	/* On success it is a warning. */
	if (conn->text[0])
		pr_warn("%s", conn->text);
	return conn->error;
}

int nlk_bad_attr(const struct nlk_conn *conn)
{
	return conn->bad_attr;
}

static int start(struct nlk_conn *conn, struct nlk_request *req, nlk_fn fn, void *arg)
{
	if (!req)
		return err_set(-ENOMEM, NULL, "out of memory");
	if (req->error)
		return err_set(req->error, NULL, "a request of more than %d bytes", REQUEST_MAX);
	conn->fn = fn;
	conn->arg = arg;
	return 0;
}

void nlk_request_free(struct nlk_request *req)
{
	if (!req)
		return;
	nlmsg_free(req->msg);
	free(req);
}

const void *nlk_request_attrs(const struct nlk_request *req, size_t *len)
{
	struct nlmsghdr *hdr = nlmsg_hdr(req->msg);

	*len = (size_t)nlmsg_attrlen(hdr, GENL_HDRLEN);
	return nlmsg_attrdata(hdr, GENL_HDRLEN);
}

int nlk_do(struct nlk_conn *conn, struct nlk_request *req, nlk_fn fn, void *arg)
{
	int ret;

	err_clear();
	ret = start(conn, req, fn, arg);
	if (!ret)
		ret = exchange(conn, req->msg);
	nlk_request_free(req);
	return ret;
}

int nlk_dump(struct nlk_conn *conn, struct nlk_request *req, nlk_fn fn, void (*restart)(void *arg),
	    void *arg)
{
	int ret, tries;

	err_clear();
	ret = start(conn, req, fn, arg);
	if (ret)
		goto out;
	nlmsg_hdr(req->msg)->nlmsg_flags |= NLM_F_DUMP;
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		if (tries)
			restart(arg);
		ret = exchange(conn, req->msg);
		if (ret || !conn->interrupted)
			goto out;
	}
	ret = err_set(-EAGAIN, "try again", "what was to be listed kept changing");
out:
	nlk_request_free(req);
	return ret;
}

int nlk_join_id(struct nlk_conn *conn, unsigned int group)
{
	int ret = nl_socket_add_membership(conn->sk, (int)group);

	/* Notifications are numbered by the kernel, not by us. */
	nl_socket_disable_seq_check(conn->sk);
	nl_cb_set(conn->cb, NL_CB_SEQ_CHECK, NL_CB_DEFAULT, NULL, NULL);
	return ret ? err_set(to_errno(ret), NULL, "cannot listen to netlink group %u: %s", group,
			     nl_geterror(ret)) : 0;
}

int nlk_join(struct nlk_conn *conn, const char *group)
{
	int id = genl_ctrl_resolve_grp(conn->sk, conn->name, group);

	if (id < 0)
		return err_set(to_errno(id), NULL, "netlink family %s has no group %s: %s",
			       conn->name, group, nl_geterror(id));
	return nlk_join_id(conn, (unsigned int)id);
}

static int no_seq_check(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

int nlk_receive(struct nlk_conn *conn, nlk_fn fn, void *arg)
{
	int ret;

	err_clear();
	conn->fn = fn;
	conn->arg = arg;
	conn->error = 0;
	nl_cb_set(conn->cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, no_seq_check, NULL);
	ret = nl_recvmsgs(conn->sk, conn->cb);
	nl_cb_set(conn->cb, NL_CB_SEQ_CHECK, NL_CB_DEFAULT, NULL, NULL);
	/* What lacks memory in a receive is the socket's buffer: it has run over. */
	if (ret == -NLE_NOMEM)
		return err_set(-ENOBUFS, NULL, "notifications came faster than they were read");
	if (ret == -NLE_INTR)
		return -EINTR;
	if (ret < 0)
		return err_set(to_errno(ret), NULL, "netlink: %s", nl_geterror(ret));
	return conn->error;
}
