/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sysctls of a network namespace: what is done where no rule says.
 */
#ifndef NETTOLL_CONTROL_RULE_SYSCTL_H
#define NETTOLL_CONTROL_RULE_SYSCTL_H

int nettoll_rule_sysctl_init(void);
void nettoll_rule_sysctl_exit(void);

#endif /* NETTOLL_CONTROL_RULE_SYSCTL_H */
