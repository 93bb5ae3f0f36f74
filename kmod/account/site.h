/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sites: functions of the kernel whose first instruction calls us. ftrace lets
 * one direct caller have a function, and two of us may want it: a span's stub,
 * outermost, and the front of a fast path, which the stub then calls as the
 * body. The site is what they share.
 */
#ifndef NETTOLL_ACCOUNT_SITE_H
#define NETTOLL_ACCOUNT_SITE_H

#include <linux/types.h>

struct nettoll_site;

/**
 * struct nettoll_front - a function of ours that stands in for one of the kernel's
 * @name: the kernel's function
 * @nargs: number of its arguments, at most six
 * @handler: ours, of the same prototype
 * @thunk: what ftrace calls, which jumps to @handler
 * @set_orig: tells @handler where the rest of the function is
 * @addr: where the function is, 0 if not looked for or absent
 * @btf_nargs: arguments by the kernel's type information, -1 if unknown
 * @users: who asked for it
 * @site: while attached
 */
struct nettoll_front {
	const char *name;
	unsigned int nargs;
	unsigned long handler;
	unsigned long thunk;
	void (*set_orig)(unsigned long orig);
	unsigned long addr;
	int btf_nargs;
	unsigned int users;
	struct nettoll_site *site;
};

struct nettoll_site *nettoll_site_add_stub(unsigned long addr, unsigned int hook);
void nettoll_site_drop_stub(struct nettoll_site *site);
struct nettoll_site *nettoll_site_add_front(struct nettoll_front *front);
void nettoll_site_drop_front(struct nettoll_site *site);
void nettoll_site_release(struct nettoll_site *site);

#endif /* NETTOLL_ACCOUNT_SITE_H */
