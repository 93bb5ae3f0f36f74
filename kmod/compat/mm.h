/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User memory: flags of a mapping, which are not written directly since 6.3,
 * and where the data of a message begins, which has an accessor since 6.4.
 */
#ifndef NETTOLL_COMPAT_MM_H
#define NETTOLL_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/uio.h>
#include "features.h"

static inline void nettoll_vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
					vm_flags_t clear)
{
#ifdef NETTOLL_HAVE_VM_FLAGS_MOD
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

static inline const struct iovec *nettoll_iter_iov(const struct iov_iter *iter)
{
#ifdef NETTOLL_HAVE_ITER_IOV
	return iter_iov(iter);
#else
	return iter->iov;
#endif
}

#endif /* NETTOLL_COMPAT_MM_H */
