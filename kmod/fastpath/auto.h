/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a socket's sends cost less copied or not, found by trying.
 */
#ifndef NETTOLL_FASTPATH_AUTO_H
#define NETTOLL_FASTPATH_AUTO_H

#include <linux/types.h>

/* Sizes that differ by less than a factor of four learn together: from 1 KiB on. */
#define NETTOLL_AUTO_CLASSES	6
/* Learning: blocks of sends that go the same way, the two ways in turn. */
#define NETTOLL_AUTO_ROUNDS	4
#define NETTOLL_AUTO_BLOCK	8
#define NETTOLL_AUTO_LEARNING	(2 * NETTOLL_AUTO_ROUNDS * NETTOLL_AUTO_BLOCK)
/* The first sends that are not copied pay for what copying has left in the queues. */
#define NETTOLL_AUTO_SKIP	2
/* A check takes both ways so many times. */
#define NETTOLL_AUTO_CHECK_ROUNDS	2
/* Sends between two checks of the other way, at first and at most. */
#define NETTOLL_AUTO_INTERVAL		4096
#define NETTOLL_AUTO_INTERVAL_MAX	65536

enum nettoll_way {
	NETTOLL_WAY_COPY,
	NETTOLL_WAY_ZEROCOPY,
	NETTOLL_WAYS,
};

/**
 * struct nettoll_auto_cost - what a way costs, in nanoseconds for 1024 bytes; 0: not known
 * @elapsed: from the end of one send to that of the next
 * @cpu: of the sending task within sends
 */
struct nettoll_auto_cost {
	u32 elapsed;
	u32 cpu;
};

/**
 * struct nettoll_auto_sum - what sends took together
 * @bytes: sent
 * @elapsed: nanoseconds
 * @cpu: nanoseconds of the sending task
 */
struct nettoll_auto_sum {
	u64 bytes;
	u64 elapsed;
	u64 cpu;
};

/**
 * struct nettoll_auto_class - what is known of sends of about one size
 * @best: the way to go, enum nettoll_way
 * @known: @best was found by trying both
 * @checking: a few blocks of both ways are on
 * @block: number of the block, while learning or checking
 * @at: sends of the block so far
 * @left: sends until the next check
 * @interval: between checks
 * @last: when the last send ended, 0 for none
 * @copy: sends of the last block that was copied
 * @first: the first sends after it that are not copied
 * @rest: the rest of that block
 * @round: costs of each way in each round
 * @cost: what each way costs, for reports
 */
struct nettoll_auto_class {
	u8 best;
	bool known;
	bool checking;
	u8 block;
	u8 at;
	u32 left;
	u32 interval;
	u64 last;
	struct nettoll_auto_sum copy;
	struct nettoll_auto_sum first;
	struct nettoll_auto_sum rest;
	struct nettoll_auto_cost round[NETTOLL_WAYS][NETTOLL_AUTO_ROUNDS];
	struct nettoll_auto_cost cost[NETTOLL_WAYS];
};

/**
 * struct nettoll_auto - what a socket has learned
 * @size: by size of a send
 */
struct nettoll_auto {
	struct nettoll_auto_class size[NETTOLL_AUTO_CLASSES];
};

/**
 * struct nettoll_auto_send - a send that was measured
 * @start: when it began, nanoseconds
 * @end: when it ended
 * @cpu: nanoseconds of it on a CPU
 * @bytes: sent
 */
struct nettoll_auto_send {
	u64 start;
	u64 end;
	u64 cpu;
	size_t bytes;
};

bool nettoll_auto_copies(struct nettoll_auto *a, size_t len);
enum nettoll_way nettoll_auto_way(struct nettoll_auto *a, size_t len, bool *measure);
void nettoll_auto_note(struct nettoll_auto *a, size_t len, const struct nettoll_auto_send *send);

#endif /* NETTOLL_FASTPATH_AUTO_H */
