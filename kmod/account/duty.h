/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounting in windows: hooks attached for a share of the time only.
 */
#ifndef NETTOLL_ACCOUNT_DUTY_H
#define NETTOLL_ACCOUNT_DUTY_H

#include <linux/types.h>

#define NETTOLL_DUTY_ALWAYS	10000
#define NETTOLL_DUTY_WINDOW_MS	1000
#define NETTOLL_DUTY_CEILING_WINDOW_MS	100

int nettoll_duty_init(void);
void nettoll_duty_start(const unsigned long *set, unsigned int backend, u32 share, u32 ceiling,
			u32 window_ms);
void nettoll_duty_resume(void);
unsigned int nettoll_duty_join(unsigned long *set);
unsigned int nettoll_duty_drop(const unsigned long *set);
void nettoll_duty_stop(void);
void nettoll_duty_exit(void);
u32 nettoll_duty(void);
u32 nettoll_duty_ceiling(void);
u32 nettoll_duty_window_ms(void);
bool nettoll_duty_holds(unsigned int id);
unsigned int nettoll_duty_hooks(void);

#endif /* NETTOLL_ACCOUNT_DUTY_H */
