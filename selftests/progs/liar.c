// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A device that lies about checksums: a BPF program for the egress of one end of a veth pair (tc filter add ... bpf
 * object-pinned PATH) that says of every packet that its checksum was verified. The other end hands it up so.
 *   liar PATH           pins the program at PATH, in a BPF file system
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util.h"

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

int main(int argc, char **argv)
{
	const struct bpf_insn insns[] = {
		/* A packet whose checksum nobody vouches for has one more that somebody does. */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = BPF_CSUM_LEVEL_INC },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_csum_level },
		/* TC_ACT_UNSPEC: as if there were no filter. */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static char log[4096];
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_SCHED_CLS,
		.insns = (uintptr_t)insns, .insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (uintptr_t)"GPL",
		.log_buf = (uintptr_t)log, .log_size = sizeof(log), .log_level = 1,
	};
	union bpf_attr pin = { .pathname = argc == 2 ? (uintptr_t)argv[1] : 0 };
	int fd;

	if (argc != 2) {
		fputs("usage: liar PATH\n", stderr);
		return 2;
	}
	fd = bpf(BPF_PROG_LOAD, &load);
	if (fd < 0)
		fputs(log, stderr);
	check(fd, "load the BPF program");
	pin.bpf_fd = (uint32_t)fd;
	check(bpf(BPF_OBJ_PIN, &pin), argv[1]);
	return 0;
}
