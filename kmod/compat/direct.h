/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace direct calls under one name. 6.5 dropped the single-function calls
 * and gave their name to those that take an ops.
 */
#ifndef NETTOLL_COMPAT_DIRECT_H
#define NETTOLL_COMPAT_DIRECT_H

#include <linux/ftrace.h>
#include "features.h"

#ifdef CONFIG_X86_64
#include <asm/ibt.h>

/* The ftrace call follows the ENDBR that a function may begin with. */
static inline unsigned long nettoll_ftrace_ip(unsigned long addr)
{
	return is_endbr(*(u32 *)addr) ? addr + ENDBR_INSN_SIZE : addr;
}
#else
static inline unsigned long nettoll_ftrace_ip(unsigned long addr)
{
	return addr;
}
#endif

#if defined(CONFIG_X86_64) && defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && \
	defined(CONFIG_HAVE_STATIC_CALL_INLINE) && \
	(defined(NETTOLL_HAVE_FTRACE_DIRECT_OPS) || defined(NETTOLL_HAVE_FTRACE_DIRECT_MULTI))
#define NETTOLL_HAVE_DIRECT 1

static inline int nettoll_direct_register(struct ftrace_ops *ops, unsigned long stub)
{
#ifdef NETTOLL_HAVE_FTRACE_DIRECT_OPS
	return register_ftrace_direct(ops, stub);
#else
	return register_ftrace_direct_multi(ops, stub);
#endif
}

static inline int nettoll_direct_unregister(struct ftrace_ops *ops, unsigned long stub)
{
#ifdef NETTOLL_HAVE_FTRACE_DIRECT_OPS
	return unregister_ftrace_direct(ops, stub, false);
#else
	return unregister_ftrace_direct_multi(ops, stub);
#endif
}

static inline int nettoll_direct_modify(struct ftrace_ops *ops, unsigned long stub)
{
#ifdef NETTOLL_HAVE_FTRACE_DIRECT_OPS
	return modify_ftrace_direct(ops, stub);
#else
	return modify_ftrace_direct_multi(ops, stub);
#endif
}
#endif

#endif /* NETTOLL_COMPAT_DIRECT_H */
