/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs, as the kernel writes them: lists ("0-3,8") and masks ("ff,00000000"). */
#ifndef NETTOLL_LIB_CPUS_H
#define NETTOLL_LIB_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPUS_MAX	8192

struct cpus {
	uint64_t word[CPUS_MAX / 64];
};

bool cpus_has(const struct cpus *cpus, unsigned int cpu);
void cpus_add(struct cpus *cpus, unsigned int cpu);

/** cpus_parse_list() - "0-3,8", or "none"; -EINVAL, not described */
int cpus_parse_list(struct cpus *cpus, const char *text);

/** cpus_parse_mask() - words of 32 bits in hexadecimal, the highest first; -EINVAL, not described */
int cpus_parse_mask(struct cpus *cpus, const char *text);

/** cpus_print_list() - the shortest list, "none" of an empty set; -ENOSPC */
int cpus_print_list(const struct cpus *cpus, char *text, size_t size);

/** cpus_print_mask() - as the kernel takes it; -ENOSPC */
int cpus_print_mask(const struct cpus *cpus, char *text, size_t size);

#endif
