// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPUs, as the kernel writes them: lists ("0-3,8") and masks ("ff,00000000"). */
#include "lib/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE	"none"

bool cpus_has(const struct cpus *cpus, unsigned int cpu)
{
	return cpu < CPUS_MAX && cpus->word[cpu / 64] & 1ull << cpu % 64;
}

void cpus_add(struct cpus *cpus, unsigned int cpu)
{
	if (cpu < CPUS_MAX)
		cpus->word[cpu / 64] |= 1ull << cpu % 64;
}

static bool take_number(const char **at, unsigned long *n)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	*n = strtoul(*at, &end, 10);
	*at = end;
	return *n < CPUS_MAX;
}

int cpus_parse_list(struct cpus *cpus, const char *text)
{
	unsigned long first, last;
	const char *p = text;

	*cpus = (struct cpus) { { 0 } };
	if (!strcmp(text, NONE))
		return 0;
	for (;;) {
		if (!take_number(&p, &first))
			return -EINVAL;
		last = first;
		if (*p == '-') {
			p++;
			if (!take_number(&p, &last) || last < first)
				return -EINVAL;
		}
		for (; first <= last; first++)
			cpus_add(cpus, (unsigned int)first);
		if (*p == '\0' || (*p == '\n' && !p[1]))
			return 0;
		if (*p++ != ',')
			return -EINVAL;
	}
}

int cpus_parse_mask(struct cpus *cpus, const char *text)
{
	unsigned int bit = 0, digit, i;
	size_t len = strcspn(text, "\n");
	char word[2] = "";

	*cpus = (struct cpus) { { 0 } };
	if (!len)
		return -EINVAL;
	/* From the lowest digit up; a comma stands between words, which are whole but for the first. */
	while (len--) {
		if (text[len] == ',')
			continue;
		if (!isxdigit((unsigned char)text[len]))
			return -EINVAL;
		word[0] = text[len];
		digit = (unsigned int)strtoul(word, NULL, 16);
		for (i = 0; i < 4; i++, bit++)
			if (digit & 1u << i)
				cpus_add(cpus, bit);
	}
	return 0;
}

int cpus_print_list(const struct cpus *cpus, char *text, size_t size)
{
	unsigned int cpu, last;
	size_t len = 0;
	int n;

	for (cpu = 0; cpu < CPUS_MAX; cpu = last + 1) {
		last = cpu;
		if (!cpus_has(cpus, cpu))
			continue;
		while (cpus_has(cpus, last + 1))
			last++;
		if (last == cpu)
			n = snprintf(text + len, size - len, "%s%u", len ? "," : "", cpu);
		else
			n = snprintf(text + len, size - len, "%s%u-%u", len ? "," : "", cpu, last);
		len += (size_t)n;
		if (len >= size)
			return -ENOSPC;
	}
	if (!len && snprintf(text, size, NONE) >= (int)size)
		return -ENOSPC;
	return 0;
}

int cpus_print_mask(const struct cpus *cpus, char *text, size_t size)
{
	int i, top = CPUS_MAX / 32 - 1;
	size_t len = 0;
	uint32_t word;

	while (top > 0 && !(uint32_t)(cpus->word[top / 2] >> 32 * (top % 2)))
		top--;
	for (i = top; i >= 0; i--) {
		word = (uint32_t)(cpus->word[i / 2] >> 32 * (i % 2));
		len += (size_t)snprintf(text + len, size - len, i == top ? "%x" : ",%08x", word);
		if (len >= size)
			return -ENOSPC;
	}
	return 0;
}
