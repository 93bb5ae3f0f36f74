/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink by hand, so that a test can also say what no library would: wrong lengths, types and nesting. */
#ifndef SELFTESTS_NLRAW_H
#define SELFTESTS_NLRAW_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/nettoll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nlr {
	int fd;
	uint16_t family;
	uint32_t seq;
};

/** struct nlr_msg - a request being built; @used counts from @buf */
struct nlr_msg {
	size_t used;
	bool overflow;
	union {
		struct nlmsghdr h;
		uint8_t buf[65536];
	};
};

/**
 * struct nlr_answer - what came back
 * @error: negative errno of the acknowledgement or of receiving it, 0 for success, 1 when nothing came
 * @text: extack text, "" for none
 * @offset: extack offset of the attribute at fault in the request, 0 for none
 * @missing: extack type of the attribute that is missing, 0 for none
 * @messages: messages of the family before that
 * @interrupted: one said that what is dumped has changed meanwhile
 */
struct nlr_answer {
	int error;
	char text[256];
	uint32_t offset;
	uint32_t missing;
	unsigned int messages;
	bool interrupted;
};

/** nlr_chunk - bytes read at once, which is also what the kernel puts into one message of a dump (65536) */
extern size_t nlr_chunk;

/** nlr_open() - a socket with extended acknowledgements, and the number of the family; dies if there is none */
void nlr_open(struct nlr *n);

/** nlr_begin() - a message to the family; NLM_F_REQUEST and NLM_F_ACK are added to @flags */
void nlr_begin(struct nlr *n, struct nlr_msg *m, uint8_t cmd, uint16_t flags);

/** nlr_put() - add an attribute; returns its offset in the message */
size_t nlr_put(struct nlr_msg *m, uint16_t type, const void *data, size_t len);
size_t nlr_put_u32(struct nlr_msg *m, uint16_t type, uint32_t value);
size_t nlr_put_u64(struct nlr_msg *m, uint16_t type, uint64_t value);
size_t nlr_put_str(struct nlr_msg *m, uint16_t type, const char *text);	/* with its NUL */

/** nlr_send() - what @m holds, as it is; returns 0 or -errno */
int nlr_send(struct nlr *n, struct nlr_msg *m);

/**
 * nlr_answer() - read up to the acknowledgement, the end of a dump, or until @ms have passed
 * @each: called for every message of the family, may be NULL
 */
void nlr_answer(struct nlr *n, struct nlr_answer *a, int ms,
		void (*each)(const struct nlmsghdr *h, void *arg), void *arg);

/** nlr_ask() - both */
void nlr_ask(struct nlr *n, struct nlr_msg *m, struct nlr_answer *a);

/** nlr_attr() - an attribute of a message of the family, or within a nest; NULL if it is not there */
const struct nlattr *nlr_attr(const void *data, size_t len, uint16_t type);
const struct nlattr *nlr_msg_attr(const struct nlmsghdr *h, uint16_t type);
uint64_t nlr_value(const struct nlattr *a);	/* of 1 to 8 bytes; 0 for NULL */

#define NLR_DATA(a)	((const void *)((const uint8_t *)(a) + NLA_HDRLEN))
#define NLR_LEN(a)	((size_t)(a)->nla_len - NLA_HDRLEN)

#endif
