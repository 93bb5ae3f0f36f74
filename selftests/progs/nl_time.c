// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attaches or detaches all hooks, or some, and prints how long the request took.
 *   nl_time attach|detach [BACKEND [LAYER|HOOK]...]		backend and layer by number
 * In a program of its own since starting one may, under the virtual clock, take any time.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "nlraw.h"
#include "util.h"

struct result {
	unsigned long long changed, failed, absent;
};

static void take(const struct nlmsghdr *h, void *arg)
{
	struct result *r = arg;

	r->changed = nlr_value(nlr_msg_attr(h, NETTOLL_A_ATTACH_ATTACHED));
	r->failed = nlr_value(nlr_msg_attr(h, NETTOLL_A_ATTACH_FAILED));
	r->absent = nlr_value(nlr_msg_attr(h, NETTOLL_A_ATTACH_ABSENT));
}

int main(int argc, char **argv)
{
	struct result r = { 0 };
	struct timespec a, b;
	struct nlr_answer answer;
	struct nlr_msg m;
	struct nlr n;
	bool attach;

	if (argc < 2 || (strcmp(argv[1], "attach") && strcmp(argv[1], "detach")))
		die(0, "usage: nl_time attach|detach [BACKEND [LAYER|HOOK]...]");
	attach = !strcmp(argv[1], "attach");
	nlr_open(&n);
	nlr_begin(&n, &m, attach ? NETTOLL_CMD_ATTACH : NETTOLL_CMD_DETACH, 0);
	if (argc > 2 && attach)
		nlr_put_u32(&m, NETTOLL_A_ATTACH_BACKEND, (uint32_t)number(argv[2], 0, NETTOLL_BACKEND_FPROBE));
	for (int i = 3; i < argc; i++)
		if (*argv[i] >= '0' && *argv[i] <= '9')
			nlr_put_u32(&m, NETTOLL_A_ATTACH_LAYER, (uint32_t)number(argv[i], 0, NETTOLL_LAYER_WAIT));
		else
			nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, argv[i]);
	clock_gettime(CLOCK_MONOTONIC, &a);
	check(nlr_send(&n, &m), "send");
	nlr_answer(&n, &answer, 60000, take, &r);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("error=%d ms=%lld changed=%llu failed=%llu absent=%llu\n", answer.error,
	       (b.tv_sec - a.tv_sec) * 1000LL + (b.tv_nsec - a.tv_nsec) / 1000000, r.changed, r.failed, r.absent);
	return answer.error != 0;
}
