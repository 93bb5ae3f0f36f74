/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Just enough of the kernel's type information (BTF) to find functions and measure their arguments. */
#ifndef SELFTESTS_BTF_H
#define SELFTESTS_BTF_H

#include <stdint.h>

struct btf;	/* opaque */

/** btf_load() - of the running kernel; dies if it has none */
struct btf *btf_load(void);

/** btf_find_func() - the first function of this name after type @after (0: from the beginning); 0 if none */
uint32_t btf_find_func(const struct btf *btf, const char *name, uint32_t after);

/**
 * struct btf_args - what a function takes and returns
 * @count: arguments
 * @regs: registers that they fill (of six for integers and pointers, by the x86-64 calling convention)
 * @stack: words that travel on the stack
 * @ret: words that it returns
 * @odd: an argument is a float, or else not to be understood
 */
struct btf_args {
	unsigned int count, regs, stack, ret;
	int odd;
};

/** btf_func_args() - of a function's type number */
void btf_func_args(const struct btf *btf, uint32_t id, struct btf_args *args);

#endif
