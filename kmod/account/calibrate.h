/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a span costs on this machine.
 */
#ifndef NETTOLL_ACCOUNT_CALIBRATE_H
#define NETTOLL_ACCOUNT_CALIBRATE_H

#include <linux/types.h>

/**
 * struct nettoll_cost - price of an empty span, in thousandths of a cycle
 * @inner: charged to the span itself
 * @outer: charged to the span that encloses it
 * @known: the backend works here and was priced
 */
struct nettoll_cost {
	u64 inner;
	u64 outer;
	bool known;
};

int nettoll_calibrate(unsigned int backend);
const struct nettoll_cost *nettoll_cost(unsigned int backend);

#endif /* NETTOLL_ACCOUNT_CALIBRATE_H */
