/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device through which programs have pools.
 */
#ifndef NETTOLL_FASTPATH_DEV_H
#define NETTOLL_FASTPATH_DEV_H

int nettoll_dev_init(void);
void nettoll_dev_exit(void);

#endif /* NETTOLL_FASTPATH_DEV_H */
