/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sysctls below net.nettoll.
 */
#ifndef NETTOLL_CONTROL_SYSCTL_H
#define NETTOLL_CONTROL_SYSCTL_H

int nettoll_sysctl_init(void);
void nettoll_sysctl_exit(void);

#endif /* NETTOLL_CONTROL_SYSCTL_H */
