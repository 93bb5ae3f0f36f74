/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fprobe with data of its own for each call (6.5), whose handlers take the
 * registers by another type from 6.14 on.
 */
#ifndef NETTOLL_COMPAT_FPROBE_H
#define NETTOLL_COMPAT_FPROBE_H

#include "features.h"

#ifdef CONFIG_FPROBE
#include <linux/fprobe.h>

#if defined(NETTOLL_HAVE_FPROBE_PT_REGS)
#define NETTOLL_HAVE_FPROBE 1
typedef struct pt_regs nettoll_fprobe_regs;
#elif defined(NETTOLL_HAVE_FPROBE_FTRACE_REGS)
#define NETTOLL_HAVE_FPROBE 1
typedef struct ftrace_regs nettoll_fprobe_regs;
#endif
#endif

#endif /* NETTOLL_COMPAT_FPROBE_H */
