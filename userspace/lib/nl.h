/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink for the rest of the command: requests, dumps, notifications, the kernel's words. */
#ifndef NETTOLL_LIB_NL_H
#define NETTOLL_LIB_NL_H

#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

/*
 * nl*.c alone know libnl, whose names begin with nl_, ours with nlk_. Functions return 0 or a
 * negative errno described by err_set(); the description is the kernel's extack text when it sent
 * one.
 */

struct nlk_conn;		/* a socket, bound to the namespace it was opened in */
struct nlk_request;	/* a message being built; remembers when it has become too long */

/**
 * struct nlk_reply - one message from the kernel
 * @type: nlmsg_type
 * @cmd: genetlink command; 0 for other protocols
 * @data: what follows the netlink header, and the genetlink header where there is one
 * @len: its length
 */
struct nlk_reply {
	uint16_t type;
	uint8_t cmd;
	const void *data;
	size_t len;
};

/** nlk_fn - is given each reply; a negative errno ends the request with that */
typedef int (*nlk_fn)(const struct nlk_reply *reply, void *arg);

/** nlk_open() - connect to a protocol (NETLINK_ROUTE, ...) */
int nlk_open(int protocol, struct nlk_conn **conn);

/** nlk_open_genl() - connect to a generic netlink family; -ENODEV when there is none */
int nlk_open_genl(const char *family, struct nlk_conn **conn);

/** nlk_close() - NULL is fine */
void nlk_close(struct nlk_conn *conn);

/** nlk_fd() - the descriptor, to wait for notifications */
int nlk_fd(const struct nlk_conn *conn);

/**
 * nlk_request() - begin a message
 * @cmd: genetlink command, or message type of another protocol
 * @header: fixed header of the protocol (struct ifinfomsg, ...), NULL for genetlink
 * @header_len: its length
 * @flags: further NLM_F_ flags (NLM_F_CREATE, ...)
 *
 * Never fails visibly: lack of memory comes out of nlk_do() and nlk_dump(), which free the request.
 */
struct nlk_request *nlk_request(struct nlk_conn *conn, uint16_t cmd, const void *header,
			      size_t header_len, unsigned int flags);
void nlk_put_u8(struct nlk_request *req, int type, uint8_t value);
void nlk_put_u16(struct nlk_request *req, int type, uint16_t value);
void nlk_put_u32(struct nlk_request *req, int type, uint32_t value);
void nlk_put_u64(struct nlk_request *req, int type, uint64_t value);
void nlk_put_str(struct nlk_request *req, int type, const char *value);
void nlk_put_flag(struct nlk_request *req, int type);
void nlk_put_data(struct nlk_request *req, int type, const void *data, size_t len);
struct nlattr *nlk_nest_begin(struct nlk_request *req, int type);
void nlk_nest_end(struct nlk_request *req, struct nlattr *nest);

/** nlk_request_attrs() - what was put into a genetlink request so far */
const void *nlk_request_attrs(const struct nlk_request *req, size_t *len);

/** nlk_request_free() - drop a request unsent; nlk_do() and nlk_dump() free theirs */
void nlk_request_free(struct nlk_request *req);

/** nlk_do() - send a request and wait for its acknowledgement; @fn (may be NULL) sees the reply */
int nlk_do(struct nlk_conn *conn, struct nlk_request *req, nlk_fn fn, void *arg);

/**
 * nlk_bad_attr() - which attribute of the last request the kernel's refusal names
 *
 * Return: its type, of genetlink requests and the outermost one; 0 when it named none.
 */
int nlk_bad_attr(const struct nlk_conn *conn);

/**
 * nlk_dump() - ask for a list; @fn sees each message
 * @restart: forgets what @fn has gathered; called before the dump is repeated because what it
 *	lists changed on the way (NLM_F_DUMP_INTR)
 *
 * Return: also -EAGAIN, when it kept changing.
 */
int nlk_dump(struct nlk_conn *conn, struct nlk_request *req, nlk_fn fn, void (*restart)(void *arg),
	    void *arg);

/** nlk_join() - subscribe to a multicast group of the connection's genetlink family */
int nlk_join(struct nlk_conn *conn, const char *group);

/** nlk_join_id() - subscribe to a multicast group by number */
int nlk_join_id(struct nlk_conn *conn, unsigned int group);

/** nlk_receive() - take in notifications, waiting for the first; -ENOBUFS: some were lost */
int nlk_receive(struct nlk_conn *conn, nlk_fn fn, void *arg);

/**
 * nlk_parse() - index attributes by type
 * @tb: room for @max + 1 pointers; types beyond @max are passed over
 *
 * Return: 0, or -EBADMSG.
 */
int nlk_parse(const struct nlattr **tb, int max, const void *data, size_t len);

/** nlk_parse_nest() - the same for the inside of an attribute */
int nlk_parse_nest(const struct nlattr **tb, int max, const struct nlattr *nest);

/**
 * nlk_first(), nlk_next() - walk over all attributes, where a type may come more than once
 * @data, @len: as of nlk_parse()
 *
 * Return: NULL behind the last.
 */
const struct nlattr *nlk_first(const void *data, size_t len);
const struct nlattr *nlk_next(const struct nlattr *attr, const void *data, size_t len);
int nlk_type(const struct nlattr *attr);

/*
 * Values of attributes. A missing (NULL) one, and one too short for its type, is 0 or "": ask
 * whether it is there where that matters.
 */
uint8_t nlk_u8(const struct nlattr *attr);
uint16_t nlk_u16(const struct nlattr *attr);
uint32_t nlk_u32(const struct nlattr *attr);
uint64_t nlk_u64(const struct nlattr *attr);
/** nlk_str() - copies at most @size - 1 bytes and ends them with 0 */
void nlk_str(const struct nlattr *attr, char *buf, size_t size);
const void *nlk_data(const struct nlattr *attr, size_t *len);

#endif
