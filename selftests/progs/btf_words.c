// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For each function named on standard input: how many arguments the running kernel's type information
 * gives it, in how many registers and words of stack, and how many symbols bear the name.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf.h"
#include "util.h"

#define MAX	512

static struct func {
	char name[128];
	unsigned int symbols;
} funcs[MAX];
static size_t nfuncs;

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct func *)a)->name, ((const struct func *)b)->name);
}

/* Functions of the kernel proper; a module may repeat any name. */
static void count_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	struct func key, *found;
	char line[512], kind;

	if (!f)
		die(0, "cannot open /proc/kallsyms");
	while (fgets(line, sizeof(line), f)) {
		if (strchr(line, '[') || sscanf(line, "%*s %c %127s", &kind, key.name) != 2 || tolower(kind) != 't')
			continue;
		found = bsearch(&key, funcs, nfuncs, sizeof(*funcs), by_name);
		if (found)
			found->symbols++;
	}
	fclose(f);
}

int main(void)
{
	struct btf *btf = btf_load();
	struct btf_args args;
	uint32_t id;

	while (nfuncs < MAX && scanf("%127s", funcs[nfuncs].name) == 1)
		nfuncs++;
	qsort(funcs, nfuncs, sizeof(*funcs), by_name);
	count_symbols();
	for (size_t i = 0; i < nfuncs; i++) {
		id = btf_find_func(btf, funcs[i].name, 0);
		if (!id)
			printf("%s symbols=%u types=0\n", funcs[i].name, funcs[i].symbols);
		for (; id; id = btf_find_func(btf, funcs[i].name, id)) {
			btf_func_args(btf, id, &args);
			printf("%s symbols=%u types=1 args=%u regs=%u stack=%u ret=%u odd=%d\n", funcs[i].name,
			       funcs[i].symbols, args.count, args.regs, args.stack, args.ret, args.odd);
		}
	}
	return 0;
}
