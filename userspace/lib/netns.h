/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network namespaces by the names that `ip netns` gives them. */
#ifndef NETTOLL_LIB_NETNS_H
#define NETTOLL_LIB_NETNS_H

/**
 * netns_open() - a descriptor of a named network namespace
 * @name: as in /run/netns; NULL or "" is the caller's own
 *
 * Return: the descriptor, or a negative errno described by err_set().
 */
int netns_open(const char *name);

/**
 * netns_enter() - move the calling thread into a namespace, for good
 *
 * /proc/sys/net follows at once; /sys does not, see netns_enter_sys().
 */
int netns_enter(const char *name);

/**
 * netns_enter_sys() - move the calling process into a namespace and give it a /sys that shows it
 *
 * As `ip netns exec` does: in a mount namespace of its own. For a child that is about to run
 * something; needs CAP_SYS_ADMIN.
 */
int netns_enter_sys(const char *name);

/**
 * netns_call() - call @fn(@arg) with the calling thread in a namespace, and come back
 *
 * Return: what @fn returned, or a negative errno described by err_set(). When coming back fails,
 * the thread is in the wrong namespace and must not go on: then the process is ended.
 */
int netns_call(const char *name, int (*fn)(void *arg), void *arg);

#endif
