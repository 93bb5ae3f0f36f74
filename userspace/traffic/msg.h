/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a message looks like on the wire: a 16-byte header and, when asked, a checkable payload. */
#ifndef NETTOLL_TRAFFIC_MSG_H
#define NETTOLL_TRAFFIC_MSG_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>

/*
 * id holds type and stream in one word, so that a receiver tells its own data with one comparison
 * and a sender writes it once per buffer: only seq changes from message to message.
 */
struct msg_hdr {
	uint64_t id;	/* little-endian: "NT", type (16 bits each), stream (32 bits) */
	uint64_t seq;	/* little-endian */
};

#define MSG_HDR		sizeof(struct msg_hdr)
#define MSG_MAGIC	0x4e54u

enum msg_type {
	MSG_DATA = 1,
	MSG_PROBE,	/* is the path open? seq: number of the probe */
	MSG_PROBE_ACK,
	MSG_END,	/* seq: see msg_end_seq() */
	MSG_END_ACK,
	MSG_ACK,	/* window; seq: highest seen plus one */
	MSG_PING,
	MSG_PONG,
};

/** msg_id() - the id word of a message type in a stream, as it lies in memory */
static inline uint64_t msg_id(enum msg_type type, uint32_t stream)
{
	return htole64((uint64_t)MSG_MAGIC << 48 | (uint64_t)type << 32 | stream);
}

/*
 * An end marker tells how many messages were sent, warm-up included, and which attempt it is: only
 * the first comes right behind the last message.
 */
#define MSG_END_COUNT	((1ull << 56) - 1)

static inline uint64_t msg_end_seq(uint64_t sent, unsigned int attempt)
{
	return (sent & MSG_END_COUNT) | (uint64_t)(attempt & 0xff) << 56;
}

/** msg_fill() - write the pattern of message (@stream, @seq) into the payload behind the header */
void msg_fill(void *msg, size_t size, uint32_t stream, uint64_t seq);

/**
 * msg_check() - compare part of a payload with the pattern it should carry
 * @part: the bytes
 * @len: how many
 * @at: offset of the first one within the message, at least MSG_HDR
 *
 * Each byte depends on stream, message and position, so that data from elsewhere are found.
 * Return: -1 if all are right, else the offset in the message of the first wrong byte.
 */
long msg_check(const void *part, size_t len, size_t at, uint32_t stream, uint64_t seq);

/*
 * A TCP stream carries messages end to end and returns them in pieces of any length; this walks
 * along and checks headers and payloads.
 */
struct msg_stream {
	uint32_t stream;
	uint32_t size;		/* of each message */
	uint64_t seq;		/* message the next byte belongs to */
	size_t at;		/* offset of the next byte in it */
	unsigned char hdr[MSG_HDR];
	int bad;		/* the current message has a wrong byte */
	uint64_t corrupted;	/* messages with wrong bytes so far */
};

/** msg_stream_check() - feed the next @len bytes of the stream */
void msg_stream_check(struct msg_stream *s, const void *buf, size_t len);

#endif
