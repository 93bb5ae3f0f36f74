// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/nettoll: a file is a pool, once it was asked to be; its mappings are
 * the slots and what is told of them.
 */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../compat/mm.h"
#include "dev.h"
#include "pool.h"

/* Above all slots. */
#define STATE_OFFSET	NETTOLL_POOL_BYTES_MAX

static struct nettoll_pool *file_pool(const struct file *file)
{
	/* Pairs with the exchange that made it the file's. */
	return smp_load_acquire((struct nettoll_pool **)&file->private_data);
}

static int file_open(struct inode *inode, struct file *file)
{
	/* misc_open() leaves its device there. */
	file->private_data = NULL;
	return nonseekable_open(inode, file);
}

/* All mappings, which hold the file, are gone. */
static int file_release(struct inode *inode, struct file *file)
{
	struct nettoll_pool *pool = file_pool(file);

	if (pool)
		nettoll_pool_close(pool);
	return 0;
}

static long pool_create(struct file *file, struct nettoll_pool_create __user *arg)
{
	struct nettoll_pool_create create;
	struct nettoll_pool *pool;

	if (copy_from_user(&create, arg, sizeof(create)))
		return -EFAULT;
	if (create.flags || create.reserved)
		return -EINVAL;
	if (file_pool(file))
		return -EBUSY;
	pool = nettoll_pool_new(create.slots, create.slot_bytes);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	create.data_offset = 0;
	create.data_bytes = pool->bytes;
	create.state_offset = STATE_OFFSET;
	create.state_bytes = pool->shared_bytes;
	if (copy_to_user(arg, &create, sizeof(create))) {
		nettoll_pool_close(pool);
		return -EFAULT;
	}
	if (cmpxchg(&file->private_data, NULL, pool)) {
		nettoll_pool_close(pool);
		return -EBUSY;
	}
	return 0;
}

static bool pool_free_slot(const struct nettoll_pool *pool, u32 wanted, u32 *found)
{
	u32 i;

	if (wanted != NETTOLL_POOL_ANY) {
		*found = wanted;
		return nettoll_pool_idle(pool, wanted);
	}
	for (i = 0; i < pool->slots; i++)
		if (nettoll_pool_idle(pool, i)) {
			*found = i;
			return true;
		}
	return false;
}

static long pool_wait(struct nettoll_pool *pool, struct nettoll_pool_wait __user *arg)
{
	struct nettoll_pool_wait wait;
	u32 found = 0;
	long err;

	if (copy_from_user(&wait, arg, sizeof(wait)))
		return -EFAULT;
	if (wait.reserved || (wait.slot >= pool->slots && wait.slot != NETTOLL_POOL_ANY))
		return -EINVAL;
	if (wait.timeout_ns < 0)
		err = wait_event_interruptible(pool->wait,
					       pool_free_slot(pool, wait.slot, &found));
	else
		err = wait_event_interruptible_hrtimeout(pool->wait,
							 pool_free_slot(pool, wait.slot, &found),
							 ns_to_ktime(wait.timeout_ns));
	/* What is left of the time would be for the caller to reckon. */
	if (err == -ERESTARTSYS)
		err = -EINTR;
	if (!err && put_user(found, &arg->slot))
		err = -EFAULT;
	return err;
}

static long file_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct nettoll_pool *pool = file_pool(file);

	switch (cmd) {
	case NETTOLL_POOL_CREATE:
		return pool_create(file, (void __user *)arg);
	case NETTOLL_POOL_WAIT:
		return pool ? pool_wait(pool, (void __user *)arg) : -ENXIO;
	}
	return -ENOTTY;
}

static void data_close(struct vm_area_struct *vma)
{
	struct nettoll_pool *pool = vma->vm_private_data;

	/* A copy that was about to be the mapping's new place is not it. */
	if (pool->mm == vma->vm_mm && pool->start == vma->vm_start)
		nettoll_pool_unpublish(pool);
}

/* A pool is found by where it is mapped, so the mapping stays whole and in its place. */
static int data_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static int data_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static const struct vm_operations_struct data_ops = {
	.close = data_close,
	.may_split = data_may_split,
	.mremap = data_mremap,
};

static int data_mmap(struct nettoll_pool *pool, struct vm_area_struct *vma)
{
	unsigned int pages = 1U << (pool->chunk_shift - PAGE_SHIFT), i, j;
	unsigned long addr = vma->vm_start;
	int err;

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != pool->bytes ||
	    !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	nettoll_vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	for (i = 0; i < pool->nchunks; i++)
		for (j = 0; j < pages; j++, addr += PAGE_SIZE) {
			err = vm_insert_page(vma, addr, pool->chunks[i].bv_page + j);
			if (err)
				return err;
		}
	err = nettoll_pool_publish(pool, vma->vm_mm, vma->vm_start);
	if (err)
		return err;
	vma->vm_ops = &data_ops;
	vma->vm_private_data = pool;
	return 0;
}

static int state_mmap(struct nettoll_pool *pool, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE || !(vma->vm_flags & VM_SHARED))
		return -EACCES;
	nettoll_vm_flags_mod(vma, VM_DONTCOPY, VM_MAYWRITE | VM_MAYEXEC);
	return remap_vmalloc_range(vma, pool->shared,
				   vma->vm_pgoff - (STATE_OFFSET >> PAGE_SHIFT));
}

static int file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct nettoll_pool *pool = file_pool(file);

	if (!pool)
		return -ENXIO;
	if (vma->vm_pgoff >= STATE_OFFSET >> PAGE_SHIFT)
		return state_mmap(pool, vma);
	return data_mmap(pool, vma);
}

static const struct file_operations dev_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.unlocked_ioctl = file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = file_mmap,
};

/* Whoever may lock memory may have a pool: it is charged to him. */
static struct miscdevice dev_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "nettoll",
	.fops = &dev_fops,
	.mode = 0666,
};

/** nettoll_dev_init() - 0 or a negative errno */
int nettoll_dev_init(void)
{
	int err = nettoll_pools_init();

	if (err)
		return err;
	err = misc_register(&dev_misc);
	if (err)
		nettoll_pools_exit();
	return err;
}

/** nettoll_dev_exit() - no file is open; wait for the last pools */
void nettoll_dev_exit(void)
{
	misc_deregister(&dev_misc);
	nettoll_pools_exit();
}
