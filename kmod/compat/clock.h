/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rate of the counter behind get_cycles().
 */
#ifndef NETTOLL_COMPAT_CLOCK_H
#define NETTOLL_COMPAT_CLOCK_H

#include <linux/timex.h>

#ifdef CONFIG_X86_TSC
#include <asm/tsc.h>
static inline u32 nettoll_clock_khz(void)
{
	return tsc_khz;
}
#elif defined(CONFIG_ARM_ARCH_TIMER)
#include <clocksource/arm_arch_timer.h>
static inline u32 nettoll_clock_khz(void)
{
	return arch_timer_get_rate() / 1000;
}
#else
static inline u32 nettoll_clock_khz(void)
{
	return 0;
}
#endif

#endif /* NETTOLL_COMPAT_CLOCK_H */
