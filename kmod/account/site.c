// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sites: who is called, and in which order, where a function of the kernel
 * begins. A stub calls a front as its body, a front calls the rest of the
 * function; without a stub, ftrace calls the front itself.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "../compat/direct.h"
#include "site.h"
#include "stub.h"

#ifdef NETTOLL_HAVE_DIRECT

/**
 * struct nettoll_site - a function that calls us
 * @node: in the list of all
 * @addr: the function
 * @orig: behind its ftrace call
 * @ops: ftrace's, for this function alone
 * @called: what ftrace calls now, 0 if not registered
 * @stub: of the span, 0 if none
 * @hook: number of the stub's hook
 * @front: of the fast path, NULL if none
 * @owners: stub and front, dropped ones too until they are released
 */
struct nettoll_site {
	struct list_head node;
	unsigned long addr;
	unsigned long orig;
	struct ftrace_ops ops;
	unsigned long called;
	unsigned long stub;
	unsigned int hook;
	struct nettoll_front *front;
	unsigned int owners;
};

/* Taken inside the locks of the account and of the rules. */
static DEFINE_MUTEX(site_lock);
static LIST_HEAD(sites);

static struct nettoll_site *site_get(unsigned long addr)
{
	struct nettoll_site *site;
	int err;

	lockdep_assert_held(&site_lock);
	list_for_each_entry(site, &sites, node)
		if (site->addr == addr) {
			site->owners++;
			return site;
		}
	site = kzalloc(sizeof(*site), GFP_KERNEL);
	if (!site)
		return ERR_PTR(-ENOMEM);
	site->addr = addr;
	site->orig = nettoll_ftrace_ip(addr) + MCOUNT_INSN_SIZE;
	site->owners = 1;
	err = ftrace_set_filter_ip(&site->ops, nettoll_ftrace_ip(addr), 0, 0);
	if (err) {
		kfree(site);
		return ERR_PTR(err == -ENOMEM ? err : -ENXIO);
	}
	list_add(&site->node, &sites);
	return site;
}

static void site_put(struct nettoll_site *site)
{
	lockdep_assert_held(&site_lock);
	if (--site->owners)
		return;
	list_del(&site->node);
	ftrace_free_filter(&site->ops);
	kfree(site);
}

/* Have ftrace call @target, or nobody. */
static int site_call(struct nettoll_site *site, unsigned long target)
{
	int err;

	lockdep_assert_held(&site_lock);
	if (target == site->called)
		return 0;
	if (!target) {
		/*
		 * Without the flag ftrace does not wait for a grace period of
		 * tasks RCU for each site, a tenth of a second every time. Who
		 * drops sites waits once for all of them before he releases any.
		 */
		site->ops.flags &= ~FTRACE_OPS_FL_DYNAMIC;
		err = nettoll_direct_unregister(&site->ops, site->called);
	} else if (!site->called) {
		err = nettoll_direct_register(&site->ops, target);
	} else {
		err = nettoll_direct_modify(&site->ops, target);
	}
	if (!err)
		site->called = target;
	return err;
}

static unsigned long site_target(const struct nettoll_site *site)
{
	return site->stub ?: site->front ? site->front->thunk : 0;
}

/* The stub goes, whatever it takes: modifying can fail for want of memory, unregistering cannot. */
static void site_force(struct nettoll_site *site)
{
	unsigned long target = site_target(site);

	if (!site_call(site, target))
		return;
	WARN_ON_ONCE(site_call(site, 0));
	if (target && site_call(site, target))
		pr_warn("the fast path in %s is lost for want of memory; remove its rules and add them again\n",
			site->front->name);
}

/**
 * nettoll_site_add_stub() - have a function call a span's stub
 * @addr: the function
 * @hook: number of the hook
 *
 * Return: the site, or an error: -ENXIO, ftrace does not see the function;
 * -EBUSY, another direct caller has it; -ENOMEM, or what ftrace says.
 */
struct nettoll_site *nettoll_site_add_stub(unsigned long addr, unsigned int hook)
{
	struct nettoll_site *site;
	int err;

	mutex_lock(&site_lock);
	site = site_get(addr);
	if (IS_ERR(site))
		goto unlock;
	site->hook = hook;
	nettoll_stub_set_body(hook, site->front ? site->front->handler : site->orig);
	err = site_call(site, nettoll_stub_addr(hook));
	if (err) {
		site_put(site);
		site = ERR_PTR(err);
		goto unlock;
	}
	site->stub = nettoll_stub_addr(hook);
unlock:
	mutex_unlock(&site_lock);
	return site;
}

/**
 * nettoll_site_drop_stub() - no new call enters the stub
 * @site: what nettoll_site_add_stub() returned
 */
void nettoll_site_drop_stub(struct nettoll_site *site)
{
	mutex_lock(&site_lock);
	site->stub = 0;
	site_force(site);
	mutex_unlock(&site_lock);
}

/**
 * nettoll_site_add_front() - have a function call a fast path
 * @front: with its function looked up
 *
 * Return: as nettoll_site_add_stub().
 */
struct nettoll_site *nettoll_site_add_front(struct nettoll_front *front)
{
	struct nettoll_site *site;
	int err;

	mutex_lock(&site_lock);
	site = site_get(front->addr);
	if (IS_ERR(site))
		goto unlock;
	front->set_orig(site->orig);
	site->front = front;
	if (site->stub) {
		nettoll_stub_set_body(site->hook, front->handler);
		goto unlock;
	}
	err = site_call(site, front->thunk);
	if (err) {
		site->front = NULL;
		site_put(site);
		site = ERR_PTR(err);
	}
unlock:
	mutex_unlock(&site_lock);
	return site;
}

/**
 * nettoll_site_drop_front() - no new call enters the front
 * @site: what nettoll_site_add_front() returned
 */
void nettoll_site_drop_front(struct nettoll_site *site)
{
	mutex_lock(&site_lock);
	site->front = NULL;
	if (site->stub)
		nettoll_stub_set_body(site->hook, site->orig);
	else
		site_force(site);
	mutex_unlock(&site_lock);
}

/**
 * nettoll_site_release() - let go of a site whose stub or front was dropped
 * @site: the site
 *
 * After a grace period of all trampolines.
 */
void nettoll_site_release(struct nettoll_site *site)
{
	mutex_lock(&site_lock);
	site_put(site);
	mutex_unlock(&site_lock);
}

#else /* !NETTOLL_HAVE_DIRECT */

struct nettoll_site *nettoll_site_add_stub(unsigned long addr, unsigned int hook)
{
	return ERR_PTR(-EOPNOTSUPP);
}

void nettoll_site_drop_stub(struct nettoll_site *site)
{
}

struct nettoll_site *nettoll_site_add_front(struct nettoll_front *front)
{
	return ERR_PTR(-EOPNOTSUPP);
}

void nettoll_site_drop_front(struct nettoll_site *site)
{
}

void nettoll_site_release(struct nettoll_site *site)
{
}

#endif
