/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast paths as a whole.
 */
#ifndef NETTOLL_FASTPATH_FASTPATH_H
#define NETTOLL_FASTPATH_FASTPATH_H

int nettoll_fastpath_init(void);
void nettoll_fastpath_exit(void);

#endif /* NETTOLL_FASTPATH_FASTPATH_H */
