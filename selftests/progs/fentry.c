// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Holds functions of the kernel with BPF fentry programs, as bpftrace's kfunc does, and counts their calls.
 *   fentry FUNCTION...
 * Prints "held" when all are attached; at the end of standard input prints "FUNCTION calls=N" for each.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "btf.h"
#include "util.h"

#define MAX	64

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int new_map(unsigned int entries)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = entries,
	};

	return (int)check(bpf(BPF_MAP_CREATE, &attr), "BPF map");
}

static uint64_t counted(int map, uint32_t key)
{
	uint64_t value = 0;
	union bpf_attr attr = {
		.map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)&value,
	};

	check(bpf(BPF_MAP_LOOKUP_ELEM, &attr), "read the BPF map");
	return value;
}

/* counters[key]++, atomically */
static int new_program(int map, int key, uint32_t btf_id)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = -4, .imm = key },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -4 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static char log[65536];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = BPF_TRACE_FENTRY,
		.attach_btf_id = btf_id, .insns = (uintptr_t)insns, .insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (uintptr_t)"GPL", .log_buf = (uintptr_t)log, .log_size = sizeof(log), .log_level = 1,
	};
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		die(errno, "BPF program: %s", log);
	return fd;
}

int main(int argc, char **argv)
{
	struct btf *btf = btf_load();
	int n = argc - 1, map, i;
	char line[16];
	uint32_t id;

	if (n < 1 || n > MAX)
		die(0, "usage: fentry FUNCTION...");
	map = new_map((unsigned int)n);
	for (i = 0; i < n; i++) {
		id = btf_find_func(btf, argv[i + 1], 0);
		if (!id)
			die(0, "%s has no type information", argv[i + 1]);
		union bpf_attr attr = { .raw_tracepoint.prog_fd = (uint32_t)new_program(map, i, id) };

		if (bpf(BPF_RAW_TRACEPOINT_OPEN, &attr) < 0)
			die(errno, "attach to %s", argv[i + 1]);
	}
	say("held\n");
	while (fgets(line, sizeof(line), stdin))
		;
	for (i = 0; i < n; i++)
		printf("%s calls=%llu\n", argv[i + 1], (unsigned long long)counted(map, (uint32_t)i));
	return 0;
}
