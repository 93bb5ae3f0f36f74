/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Just enough of the kernel for the module's pure code to run as a program.
 * Every <linux/...> header that it includes leads here (see the Makefile).
 * What can be misused checks that it is not: locks, allocations, CPUs.
 */
#ifndef NETTOLL_TESTS_SHIM_H
#define NETTOLL_TESTS_SHIM_H

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#undef static_assert
#define static_assert(expr)	_Static_assert(expr, #expr)
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define __percpu
#define __init
#define BITS_PER_LONG		64
#define BIT(n)			(1UL << (n))
#define U64_MAX			UINT64_MAX
#define S32_MAX			INT32_MAX
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(t, a, b)		min((t)(a), (t)(b))
#define ilog2(n)		(63 - __builtin_clzll(n))
#define div64_u64(a, b)		((u64)(a) / (u64)(b))
#define U32_MAX			((u32)~0u)
#define max_t(t, a, b)		max((t)(a), (t)(b))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define struct_size(p, member, n) (sizeof(*(p)) + (n) * sizeof((p)->member[0]))
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define xchg(p, v)		({ __typeof__(*(p)) shim_old = *(p); *(p) = (v); shim_old; })
#define local_irq_save(f)	((f) = 0)
#define local_irq_restore(f)	((void)(f))
#define barrier()		__asm__ volatile("" ::: "memory")
#define cond_resched()		do { } while (0)
#define IS_ERR_OR_NULL(p)	((uintptr_t)(p) - 1 >= (uintptr_t)-4096)
#define WARN_ON_ONCE(x)		assert_false(x)
#define NOKPROBE_SYMBOL(f)	struct shim_unused_##f
#define pr_err(...)		snprintf(shim_log, sizeof(shim_log), __VA_ARGS__)
#define pr_warn			pr_err

extern char shim_log[256];

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	snprintf(to, size, "%s", from);
	return strlen(to);
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 div)
{
	return (unsigned __int128)a * mul / div;
}

/* The clock stands still until a test moves it. An interrupt may come just before it is read and just after. */
extern u64 shim_cycles;
extern void (*shim_interrupt)(void);
static inline u64 get_cycles(void)
{
	u64 now;

	if (shim_interrupt)
		shim_interrupt();
	now = shim_cycles;
	if (shim_interrupt)
		shim_interrupt();
	return now;
}

/* Allocations: the next but shim_fail_in ones succeed, then one fails; all are counted. */
#define GFP_KERNEL 0
extern int shim_fail_in, shim_allocated;
void *shim_alloc(size_t size);
void kfree(const void *p);
#define kzalloc(size, gfp)		shim_alloc(size)
#define kmalloc_array(n, size, gfp)	shim_alloc((n) * (size))

/*
 * Per-CPU memory as in the kernel: an address is that of the template, and the
 * CPU's offset leads from it to the copy. Only the copies are ever used.
 */
#define SHIM_CPUS	4
extern int shim_cpu;
extern char __start_shim_percpu[], __stop_shim_percpu[];
void *shim_on_cpu(const void *p, int cpu);
void shim_percpu_reset(void);
void *__alloc_percpu(size_t size, size_t align);
void free_percpu(void *p);

#define DECLARE_PER_CPU_ALIGNED(type, name) extern type name
#define DEFINE_PER_CPU_ALIGNED(type, name) \
	type name __attribute__((section("shim_percpu"), aligned(64)))
#define per_cpu_ptr(p, cpu)		((__typeof__(p))shim_on_cpu(p, cpu))
#define this_cpu_ptr(p)			per_cpu_ptr(p, shim_cpu)
#define per_cpu(x, cpu)			(*per_cpu_ptr(&(x), cpu))
#define __this_cpu_read(x)		per_cpu(x, shim_cpu)
#define __this_cpu_write(x, v)		(per_cpu(x, shim_cpu) = (v))
#define __this_cpu_add(x, v)		(per_cpu(x, shim_cpu) += (v))
#define __this_cpu_inc(x)		__this_cpu_add(x, 1)
#define __this_cpu_dec(x)		__this_cpu_add(x, -1)
#define this_cpu_add			__this_cpu_add
#define this_cpu_inc			__this_cpu_inc
#define this_cpu_dec			__this_cpu_dec
#define raw_cpu_read			__this_cpu_read
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < SHIM_CPUS; (cpu)++)
#define num_possible_cpus()		SHIM_CPUS
#define preempt_disable()		do { } while (0)
#define preempt_enable()		do { } while (0)

/* Locks know whether they are held, so that taking one twice or none at all fails the test. */
typedef struct { bool held; } raw_spinlock_t;
struct mutex { bool held; };
#define __RAW_SPIN_LOCK_UNLOCKED(name)	{ false }
#define DEFINE_MUTEX(name)		struct mutex name = { false }
#define shim_lock(l)			do { assert_false((l)->held); (l)->held = true; } while (0)
#define shim_unlock(l)			do { assert_true((l)->held); (l)->held = false; } while (0)
#define raw_spin_lock			shim_lock
#define raw_spin_unlock			shim_unlock
#define raw_spin_lock_irqsave(l, f)	do { (f) = 0; shim_lock(l); } while (0)
#define raw_spin_unlock_irqrestore(l, f) do { (void)(f); shim_unlock(l); } while (0)
#define mutex_lock			shim_lock
#define mutex_unlock			shim_unlock
#define lockdep_assert_held(l)		assert_true((l)->held)

/* Nobody writes while a test reads. */
typedef struct { unsigned int seq; } seqcount_mutex_t;
#define SEQCNT_MUTEX_ZERO(name, l)	{ 0 }
#define read_seqcount_begin(s)		((s)->seq)
#define read_seqcount_retry(s, old)	((s)->seq != (old))
#define write_seqcount_begin(s)		((s)->seq++)
#define write_seqcount_end(s)		((s)->seq++)

/* Tasks. */
#define TASK_COMM_LEN		16
#define TASK_INTERRUPTIBLE	1
#define TASK_UNINTERRUPTIBLE	2
#define PF_KTHREAD		0x00200000
#define TIF_NOTIFY_SIGNAL	17
struct task_struct {
	pid_t pid;
	char comm[TASK_COMM_LEN];
	unsigned int flags;
	unsigned int __state;
	unsigned int tif;
	int refs;
	int woken;
};

#define THIS_MODULE		NULL
extern int shim_module_refs;
#define try_module_get(m)	(shim_module_refs++, true)
#define module_put(m)		(shim_module_refs--)
#define get_task_struct(t)	((t)->refs++, (t))
#define put_task_struct(t)	((t)->refs--)
#define set_tsk_thread_flag(t, flag) ((t)->tif |= BIT(flag))
#define wake_up_process(t)	((t)->woken++, true)
/* As bad a hash as can be, so that every bucket is shared. */
#define hash_ptr(p, bits)	((u32)((uintptr_t)(p) >> 4 & 1))
#define CONFIG_X86_TSC		1
#define tsc_khz			1000000U

/* Bit maps. */
#define DECLARE_BITMAP(name, n)	unsigned long name[((n) + 63) / 64]
static inline void __set_bit(unsigned int i, unsigned long *map)
{
	map[i / 64] |= 1UL << i % 64;
}

static inline void __clear_bit(unsigned int i, unsigned long *map)
{
	map[i / 64] &= ~(1UL << i % 64);
}

static inline bool test_bit(unsigned int i, const unsigned long *map)
{
	return map[i / 64] >> i % 64 & 1;
}

static inline void bitmap_fill(unsigned long *map, unsigned int n)
{
	memset(map, 0xff, (n + 63) / 64 * 8);
}

static inline void bitmap_zero(unsigned long *map, unsigned int n)
{
	memset(map, 0, (n + 63) / 64 * 8);
}

static inline void bitmap_copy(unsigned long *to, const unsigned long *from, unsigned int n)
{
	memcpy(to, from, (n + 63) / 64 * 8);
}

static inline void bitmap_andnot(unsigned long *to, const unsigned long *a, const unsigned long *b,
				 unsigned int n)
{
	unsigned int i;

	for (i = 0; i < (n + 63) / 64; i++)
		to[i] = a[i] & ~b[i];
}

static inline unsigned int find_next_bit(const unsigned long *map, unsigned int n, unsigned int i)
{
	while (i < n && !test_bit(i, map))
		i++;
	return i;
}

static inline unsigned int bitmap_weight(const unsigned long *map, unsigned int n)
{
	unsigned int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += test_bit(i, map);
	return sum;
}

#define find_first_bit(map, n)	find_next_bit(map, n, 0)
#define bitmap_empty(map, n)	(find_first_bit(map, n) == (n))
#define for_each_set_bit(i, map, n) \
	for ((i) = find_first_bit(map, n); (i) < (n); (i) = find_next_bit(map, n, (i) + 1))

#endif /* NETTOLL_TESTS_SHIM_H */
