// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaches the programs of bpf-account.bpf.c to the functions named, runs a command and prints what they counted. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf-account.h"

static const char *const hook_names[ACCOUNT_HOOKS] = {
#define NETTOLL_HOOK(fn, nargs, layer, dir, sleeps) #fn,
#include "account/hook_table.def"
#undef NETTOLL_HOOK
};

static bool wanted[ACCOUNT_HOOKS];
static bool attached[ACCOUNT_HOOKS];

static _Noreturn void die(const char *what, int error)
{
	fprintf(stderr, "bpf-account: %s: %s\n", what, strerror(error));
	exit(1);
}

static void want(char *list)
{
	char *name;
	int i;

	for (name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		for (i = 0; i < ACCOUNT_HOOKS && strcmp(hook_names[i], name); i++)
			;
		if (i == ACCOUNT_HOOKS) {
			fprintf(stderr, "bpf-account: %s is not in the table of hooks\n", name);
			exit(2);
		}
		wanted[i] = true;
	}
}

static struct bpf_program *program(struct bpf_object *obj, const char *what, int hook)
{
	char name[128];
	struct bpf_program *prog;

	snprintf(name, sizeof(name), "%s_%s", what, hook_names[hook]);
	prog = bpf_object__find_program_by_name(obj, name);
	if (!prog)
		die(name, ENOENT);
	return prog;
}

/* Both or none: a kernel may refuse a function with many arguments. */
static void attach(struct bpf_object *obj, int hook)
{
	struct bpf_link *enter, *leave;

	/* The exit first, since it ignores what it has not seen begin. */
	leave = bpf_program__attach(program(obj, "exit", hook));
	if (!leave)
		return;
	enter = bpf_program__attach(program(obj, "enter", hook));
	if (!enter) {
		bpf_link__destroy(leave);
		return;
	}
	attached[hook] = true;
}

static int run(char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork", errno);
	if (!pid) {
		execvp(argv[0], argv);
		die(argv[0], errno);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid", errno);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Sums the CPUs' charges and prints one line a function. */
static void print(struct bpf_object *obj)
{
	int i, cpu, cpus = libbpf_num_possible_cpus();
	size_t size = (sizeof(struct account) + 7) / 8 * 8;
	const struct account *a;
	const __u32 zero = 0;
	char *values;

	if (cpus < 0)
		die("number of CPUs", -cpus);
	values = calloc(cpus, size);
	if (!values)
		die("memory", ENOMEM);
	if (bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(obj, "accounts"), &zero, values))
		die("reading the account", errno);
	for (i = 0; i < ACCOUNT_HOOKS; i++) {
		unsigned long long calls = 0, self = 0, total = 0;

		if (!wanted[i])
			continue;
		for (cpu = 0; cpu < cpus; cpu++) {
			a = (const struct account *)(values + cpu * size);
			calls += a->charge[i].calls;
			self += a->charge[i].self;
			total += a->charge[i].total;
		}
		if (attached[i])
			printf("bpf-account: function=%s calls=%llu self=%llu total=%llu\n",
			       hook_names[i], calls, self, total);
		else
			printf("bpf-account: refused=%s\n", hook_names[i]);
	}
	free(values);
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN && getenv("BPF_ACCOUNT_VERBOSE") ? vfprintf(stderr, format, args) : 0;
}

int main(int argc, char **argv)
{
	struct bpf_object *obj;
	int i, status, err;

	if (argc < 5 || strcmp(argv[3], "--")) {
		fputs("usage: bpf-account OBJECT FUNCTION[,FUNCTION]... -- COMMAND [ARGUMENT]...\n", stderr);
		return 2;
	}
	want(argv[2]);
	libbpf_set_print(quiet);
	obj = bpf_object__open_file(argv[1], NULL);
	if (!obj)
		die(argv[1], errno);
	for (i = 0; i < ACCOUNT_HOOKS; i++) {
		bpf_program__set_autoload(program(obj, "enter", i), wanted[i]);
		bpf_program__set_autoload(program(obj, "exit", i), wanted[i]);
	}
	err = bpf_object__load(obj);
	if (err)
		die("the kernel refused the programs (BPF_ACCOUNT_VERBOSE=1 shows why)", -err);
	for (i = 0; i < ACCOUNT_HOOKS; i++)
		if (wanted[i])
			attach(obj, i);
	status = run(argv + 4);
	print(obj);
	return status;
}
