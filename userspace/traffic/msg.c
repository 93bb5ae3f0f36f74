// SPDX-License-Identifier: GPL-2.0-or-later
/* The payload pattern: cheap to write and to check, different for stream, message and place. */
#include "msg.h"

#include <string.h>

/* Odd constants without structure; word k of message m is (m + 1) * A + stream * B + k * C. */
#define PAT_MESSAGE	0x9e3779b97f4a7c15ull
#define PAT_STREAM	0xc2b2ae3d27d4eb4full
#define PAT_WORD	0xbf58476d1ce4e5b9ull

static uint64_t pattern_word(uint32_t stream, uint64_t seq, size_t word)
{
	return (seq + 1) * PAT_MESSAGE + stream * PAT_STREAM + word * PAT_WORD;
}

void msg_fill(void *msg, size_t size, uint32_t stream, uint64_t seq)
{
	unsigned char *p = (unsigned char *)msg + MSG_HDR;
	size_t left = size - MSG_HDR;
	uint64_t word = pattern_word(stream, seq, MSG_HDR / 8);

	for (; left >= 8; left -= 8, p += 8, word += PAT_WORD) {
		uint64_t le = htole64(word);

		memcpy(p, &le, 8);
	}
	if (left) {
		uint64_t le = htole64(word);

		memcpy(p, &le, left);
	}
}

/* Compare up to the next word boundary or the end; returns bytes compared, -1 if one differs. */
static long check_bytes(const unsigned char *p, size_t len, size_t at, uint64_t word, long *bad)
{
	uint64_t le = htole64(word);
	const unsigned char *want = (const unsigned char *)&le;
	size_t i, from = at % 8, n = 8 - from < len ? 8 - from : len;

	for (i = 0; i < n; i++) {
		if (p[i] != want[from + i]) {
			*bad = (long)(at + i);
			return -1;
		}
	}
	return (long)n;
}

long msg_check(const void *part, size_t len, size_t at, uint32_t stream, uint64_t seq)
{
	const unsigned char *p = part;
	uint64_t word = pattern_word(stream, seq, at / 8);
	long n, bad = -1;

	while (len) {
		if (at % 8 == 0) {
			for (; len >= 8; len -= 8, p += 8, at += 8, word += PAT_WORD) {
				uint64_t have;

				memcpy(&have, p, 8);
				if (have != htole64(word))
					break;
			}
			if (!len)
				return -1;
		}
		n = check_bytes(p, len, at, word, &bad);
		if (n < 0)
			return bad;
		p += n;
		at += n;
		len -= n;
		word += PAT_WORD;
	}
	return -1;
}

static void stream_message_done(struct msg_stream *s)
{
	s->corrupted += s->bad;
	s->bad = 0;
	s->at = 0;
	s->seq++;
}

void msg_stream_check(struct msg_stream *s, const void *buf, size_t len)
{
	const unsigned char *p = buf;

	while (len) {
		size_t n;

		if (s->at < MSG_HDR) {
			n = MSG_HDR - s->at < len ? MSG_HDR - s->at : len;
			memcpy(s->hdr + s->at, p, n);
			if (s->at + n == MSG_HDR) {
				struct msg_hdr hdr;

				memcpy(&hdr, s->hdr, MSG_HDR);
				if (hdr.id != msg_id(MSG_DATA, s->stream) ||
				    le64toh(hdr.seq) != s->seq)
					s->bad = 1;
			}
		} else {
			n = s->size - s->at < len ? s->size - s->at : len;
			if (!s->bad && msg_check(p, n, s->at, s->stream, s->seq) >= 0)
				s->bad = 1;
		}
		s->at += n;
		p += n;
		len -= n;
		if (s->at == s->size)
			stream_message_done(s);
	}
}
