// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stubs of the direct backend on x86-64, one for each hook. ftrace makes
 * the first instruction of the hooked function call the stub; the stub opens a
 * span in its own frame, calls the rest of the function as a subroutine,
 * closes the span and returns to the function's caller.
 *
 * On entry the stack holds the address behind the ftrace call, then the return
 * address of the function's caller, then arguments seven and up. All argument
 * registers must survive; %rax, %r10 and %r11 are free. The body is reached
 * through a static call, which is a plain direct call: an indirect one would
 * cost a retpoline and, under kernel IBT, fault for want of an ENDBR.
 *
 * Every write to per-CPU memory is one instruction. So an interrupt may come,
 * and the task may move to another CPU, between any two of them. What comes
 * between reading the clock and making the span the innermost, or no longer so,
 * shows in the span's child and is passed on to the enclosing span: else an
 * interrupt's time would be missing from a self time.
 *
 * The return value is in %rax alone; no hook returns more than a register.
 */
#include <linux/objtool.h>
#include <linux/static_call.h>
#include <linux/stringify.h>
#include <asm/linkage.h>
#include <asm/unwind_hints.h>

#include "hook.h"
#include "span.h"
#include "stub.h"

/* What a stub calls until it is told its function. */
static void __used nettoll_no_body(void)
{
}

#define NETTOLL_HOOK(fn, nargs, layer, dir, sleeps) \
	DEFINE_STATIC_CALL(nettoll_body_##fn, nettoll_no_body);
#include "hook_table.def"
#undef NETTOLL_HOOK

#define SPAN(member)	__stringify(NETTOLL_SPAN_##member) "(%rsp)"
#define PARENT(member)	__stringify(NETTOLL_SPAN_##member) "(%r8)"
#define CPU(member)	"%gs:nettoll_cpu+" __stringify(NETTOLL_CPU_##member) "(%rip)"
#define OWN_COST(member)	"nettoll_own_direct+" __stringify(NETTOLL_OWN_##member) "(%rip)"
#define CHARGE(member)	"%gs:" __stringify(NETTOLL_CHARGE_##member) "(%rcx)"

/* The direction is that of the table, or that of the enclosing span. */
#define SLOT_TX		"movl $slot, " SPAN(SLOT) "\n"
#define SLOT_RX		"movl $slot + " __stringify(NETTOLL_CHARGE_SIZE) ", " SPAN(SLOT) "\n"
#define SLOT_BOTH						\
	"movl $slot, %eax\n"					\
	"test %r11, %r11\n"					\
	"jz 9f\n"						\
	"movl " __stringify(NETTOLL_SPAN_SLOT) "(%r11), %r10d\n"	\
	"andl $" __stringify(NETTOLL_CHARGE_SIZE) ", %r10d\n"	\
	"orl %r10d, %eax\n"					\
	"9: movl %eax, " SPAN(SLOT) "\n"

/* Arguments on the stack: the offset stands still since each push moves %rsp. */
#define COPY_STACK_ARGS(nargs)					\
	".set words, 0\n"					\
	".if " #nargs " > 6\n"					\
	".set words, " #nargs " - 6\n"				\
	".rept " #nargs " - 6\n"				\
	"pushq " __stringify(NETTOLL_SPAN_SIZE) " + 8 + 8 * words(%rsp)\n" \
	".endr\n"						\
	".endif\n"

#define DROP_STACK_ARGS						\
	".if words > 0\n"					\
	"addq $8 * words, %rsp\n"				\
	".endif\n"

/* What the span leaves in the time of the one around it. */
#define OUTER_TX	OWN_COST(OUTER)
#define OUTER_RX	OWN_COST(OUTER)
#define OUTER_BOTH	OWN_COST(OUTER_BOTH)

#define STUB(fn, nargs, store_slot, outer)			\
	".type nettoll_stub_" #fn ", @function\n"		\
	".balign 16\n"						\
	"nettoll_stub_" #fn ":\n"				\
	ANNOTATE_NOENDBR					\
	"subq $" __stringify(NETTOLL_SPAN_SIZE) ", %rsp\n"	\
	"movq " CPU(CUR) ", %r11\n"				\
	"movq %r11, " SPAN(PARENT) "\n"				\
	store_slot						\
	"movq $0, " SPAN(CHILD) "\n"				\
	"movq $0, " SPAN(OWN) "\n"				\
	"incq " CPU(OPEN) "\n"					\
	"movq %rsp, " CPU(CUR) "\n"				\
	"movq %rdx, %r10\n"					\
	"1: rdtsc\n"						\
	"shlq $32, %rdx\n"					\
	"orq %rdx, %rax\n"					\
	"movq %rax, " SPAN(START) "\n"				\
	"cmpq $0, " SPAN(CHILD) "\n"				\
	"jne 3f\n"						\
	"movq %r10, %rdx\n"					\
	COPY_STACK_ARGS(nargs)					\
	"call " STATIC_CALL_TRAMP_STR(nettoll_body_##fn) "\n"	\
	DROP_STACK_ARGS						\
	"movq %rax, %r10\n"					\
	"2: movq " SPAN(CHILD) ", %r9\n"				\
	"rdtsc\n"						\
	"cmpq " SPAN(CHILD) ", %r9\n"				\
	"jne 2b\n"						\
	"shlq $32, %rdx\n"					\
	"orq %rdx, %rax\n"					\
	"subq " SPAN(START) ", %rax\n"				\
	"movq " SPAN(PARENT) ", %r8\n"				\
	"movq %r8, " CPU(CUR) "\n"				\
	"movl " SPAN(SLOT) ", %ecx\n"				\
	"addq nettoll_charges(%rip), %rcx\n"			\
	"incq " CHARGE(CALLS) "\n"				\
	"movq " OWN_COST(INNER) ", %rdx\n"			\
	"addq " SPAN(OWN) ", %rdx\n"				\
	"addq %rdx, " CHARGE(OWN) "\n"				\
	"addq %rax, " CHARGE(TOTAL) "\n"			\
	"movq %rax, %rdx\n"					\
	"subq %r9, %rdx\n"					\
	"addq %rdx, " CHARGE(SELF) "\n"				\
	/* What came between the clock and the switch of the span. */ \
	"addq " SPAN(CHILD) ", %rax\n"				\
	"subq %r9, %rax\n"					\
	"testq %r8, %r8\n"					\
	"jz 5f\n"						\
	"addq %rax, " PARENT(CHILD) "\n"			\
	"movq " outer ", %rdx\n"				\
	"addq %rdx, " PARENT(OWN) "\n"				\
	"4: decq " CPU(OPEN) "\n"				\
	"movq %r10, %rax\n"					\
	/* Past the frame and past the address behind the ftrace call. */ \
	"addq $" __stringify(NETTOLL_SPAN_SIZE) " + 8, %rsp\n"	\
	UNWIND_HINT_FUNC					\
	ASM_RET							\
	/* No enclosing span: the outermost count as inclusive time. */ \
	"5: addq %rax, " CPU(INCLUSIVE) "\n"			\
	"jmp 4b\n"						\
	/* Something came before the clock: it is the enclosing span's. */ \
	"3: xorl %eax, %eax\n"					\
	"xchgq %rax, " SPAN(CHILD) "\n"				\
	"testq %r11, %r11\n"					\
	"jz 6f\n"						\
	"addq %rax, " __stringify(NETTOLL_SPAN_CHILD) "(%r11)\n"	\
	"jmp 1b\n"						\
	"6: addq %rax, " CPU(INCLUSIVE) "\n"			\
	"jmp 1b\n"						\
	".size nettoll_stub_" #fn ", . - nettoll_stub_" #fn "\n" \
	".set slot, slot + 2 * " __stringify(NETTOLL_CHARGE_SIZE) "\n"

/* Sparse has a limit for strings and nothing to check here. */
#ifndef __CHECKER__
#define NETTOLL_HOOK(fn, nargs, layer, dir, sleeps)	STUB(fn, nargs, SLOT_##dir, OUTER_##dir)
asm(".pushsection .text\n"
    ".set slot, 0\n"
#include "hook_table.def"
    ".popsection\n");
#undef NETTOLL_HOOK
#endif

#define NETTOLL_HOOK(fn, nargs, layer, dir, sleeps) \
	extern const char nettoll_stub_##fn[];
#include "hook_table.def"
#undef NETTOLL_HOOK

static const struct {
	const char *stub;
	struct static_call_key *key;
	void *tramp;
} nettoll_stubs[] = {
#define NETTOLL_HOOK(fn, nargs, layer, dir, sleeps)		\
	{							\
		.stub = nettoll_stub_##fn,			\
		.key = &STATIC_CALL_KEY(nettoll_body_##fn),	\
		.tramp = STATIC_CALL_TRAMP_ADDR(nettoll_body_##fn), \
	},
#include "hook_table.def"
#undef NETTOLL_HOOK
};

unsigned long nettoll_stub_addr(unsigned int hook)
{
	return (unsigned long)nettoll_stubs[hook].stub;
}

void nettoll_stub_set_body(unsigned int hook, unsigned long body)
{
	__static_call_update(nettoll_stubs[hook].key, nettoll_stubs[hook].tramp,
			     (void *)body);
}
