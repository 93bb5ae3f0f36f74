/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoints that the account probes while anything is attached.
 */
#ifndef NETTOLL_ACCOUNT_TRACEPOINTS_H
#define NETTOLL_ACCOUNT_TRACEPOINTS_H

int nettoll_tracepoints_find(void);
int nettoll_tracepoints_register(void);
void nettoll_tracepoints_unregister(void);

#endif /* NETTOLL_ACCOUNT_TRACEPOINTS_H */
