/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stubs of the direct backend: what hook.c needs to know of them.
 */
#ifndef NETTOLL_ACCOUNT_STUB_H
#define NETTOLL_ACCOUNT_STUB_H

#include <linux/types.h>

/**
 * nettoll_stub_addr() - address of a hook's stub
 * @hook: number of the hook
 *
 * Return: the address to give to ftrace, or 0 where there are no stubs.
 */
unsigned long nettoll_stub_addr(unsigned int hook);

/**
 * nettoll_stub_set_body() - tell a hook's stub which function it wraps
 * @hook: number of the hook
 * @body: address behind the function's ftrace call
 *
 * The stub may not be attached to anything. May sleep.
 */
void nettoll_stub_set_body(unsigned int hook, unsigned long body);

/** nettoll_calibration_target() - the empty function that spans are priced on */
void nettoll_calibration_target(void);

/** nettoll_calibration_target_both() - the same for hooks that take their caller's direction */
void nettoll_calibration_target_both(void);

#endif /* NETTOLL_ACCOUNT_STUB_H */
