/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The grace period that ftrace itself waits for before an ops goes: ended are
 * all readers, also where RCU is not watching, and no task is preempted in a
 * trampoline.
 */
#ifndef NETTOLL_COMPAT_RCU_H
#define NETTOLL_COMPAT_RCU_H

#include <linux/rcupdate.h>
#include "features.h"

static inline void nettoll_synchronize_trampolines(void)
{
#if defined(NETTOLL_HAVE_RCU_TASKS_RUDE) && defined(CONFIG_TASKS_RUDE_RCU)
	synchronize_rcu_tasks_rude();
#endif
	synchronize_rcu_tasks();
}

#endif /* NETTOLL_COMPAT_RCU_H */
