// SPDX-License-Identifier: GPL-2.0-or-later
/* Reaching an end: a child in a namespace, a command over ssh, or a waiting receiver over TCP. */
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/args.h"
#include "lib/err.h"
#include "lib/netns.h"
#include "traffic/agent.h"
#include "traffic/clock.h"
#include "traffic/engine.h"

#define HOST_CONNECT_MS	5000
#define END_WAIT_MS	2000	/* for a child to go by itself */
#define SSH_ARGS_MAX	32
#define SSH_NOT_RUN	126	/* exit status of a child that could not become ssh */

/* Give a child a plain start, whatever its parent does with signals. */
static void child_signals(void)
{
	sigset_t none;
	int sig;

	for (sig = 1; sig < SIGRTMIN; sig++)
		signal(sig, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Descriptors of the parent would keep its other channels from ending. */
static void close_all_but(int a, int b)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		int fd = atoi(e->d_name);

		if (fd > 2 && fd != a && fd != b && fd != dirfd(dir))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static void __attribute__((noreturn))
child_end(const char *name, int in, int out, volatile uint64_t *progress)
{
	struct chan c;
	int ret = 0;

	/* Ctrl-C reaches the whole foreground; the command decides what it means for the run. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	close_all_but(in, out);
	chan_init(&c, in, out);
	if (!strncmp(name, "netns:", 6))
		ret = netns_enter(name + 6);
	if (ret) {
		struct json_object *e = json_object_new_object();

		json_object_object_add(e, "code", json_object_new_int(ret));
		json_object_object_add(e, "text", json_object_new_string(err_text(ret)));
		json_object_object_add(e, "cure", json_object_new_string(err_cure(ret)));
		chan_send(&c, agent_message("error", e));
	} else {
		ret = agent_loop(&c, progress, NULL);
	}
	/* Not exit(): buffers and handlers are the parent's. The memory is freed for the sake of
	 * tools that look for leaks. */
	chan_close(&c);
	_exit(ret ? 1 : 0);
}

/* Replace the child by ssh. Only returns if that fails. */
static void child_ssh(const char *host, const struct traffic_spec *spec, int in, int out)
{
	char ssh[TRAFFIC_PEER_MAX], command[TRAFFIC_PEER_MAX + 64], *argv[SSH_ARGS_MAX], *save;
	int n = 0;

	snprintf(ssh, sizeof(ssh), "%s", spec->ssh);
	for (argv[n] = strtok_r(ssh, " ", &save); n < SSH_ARGS_MAX - 6 && argv[n];)
		argv[++n] = strtok_r(NULL, " ", &save);
	/* Notice a vanished host; says nothing within the first ten seconds of a run. */
	argv[n++] = "-oServerAliveInterval=10";
	argv[n++] = "-oServerAliveCountMax=3";
	argv[n++] = (char *)host;
	snprintf(command, sizeof(command), "exec %s traffic recv --stdio", spec->remote_nettoll);
	argv[n++] = command;
	argv[n] = NULL;
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	close_all_but(-1, -1);
	execvp(argv[0], argv);
}

/* A child at the other end of two pipes: sockets would be on the network's bill. */
static int start_child(struct peer *p, const struct traffic_spec *spec)
{
	bool ssh = !strncmp(p->name, "ssh:", 4);
	pid_t parent = getpid();
	int down[2], up[2];

	if (pipe2(down, O_CLOEXEC))
		return err_set(-errno, NULL, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(up, O_CLOEXEC)) {
		close(down[0]);
		close(down[1]);
		return err_set(-errno, NULL, "cannot make a pipe: %s", strerror(errno));
	}
	if (!ssh) {
		p->progress = mmap(NULL, sizeof(*p->progress), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (p->progress == MAP_FAILED)
			p->progress = NULL;
	}
	p->pid = fork();
	if (!p->pid) {
		/* A killed command must not leave traffic behind. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		child_signals();
		if (!ssh)
			child_end(p->name, down[0], up[1], p->progress);
		child_ssh(p->name + 4, spec, down[0], up[1]);
		_exit(SSH_NOT_RUN);
	}
	close(down[0]);
	close(up[1]);
	chan_init(&p->chan, up[0], down[1]);
	if (p->pid > 0)
		return 0;
	p->pid = 0;
	return err_set(-errno, NULL, "cannot start a process: %s", strerror(errno));
}

/* ADDR, ADDR:PORT, [ADDR]:PORT; several colons without brackets are an IPv6 address. */
static int split_host(const char *text, char *host, size_t size, char *port, size_t port_size)
{
	const char *colon = strrchr(text, ':'), *close;

	snprintf(port, port_size, "%d", TRAFFIC_PORT);
	if (*text == '[') {
		close = strchr(text, ']');
		if (!close || (close[1] && close[1] != ':'))
			return -EINVAL;
		snprintf(host, size, "%.*s", (int)(close - text - 1), text + 1);
		colon = close[1] ? close + 1 : NULL;
	} else if (colon && strchr(text, ':') != colon) {
		snprintf(host, size, "%s", text);
		colon = NULL;
	} else {
		snprintf(host, size, "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
	}
	if (colon)
		snprintf(port, port_size, "%s", colon + 1);
	return *host && *port ? 0 : -EINVAL;
}

static bool is_port(const char *text)
{
	uint64_t port;
	int ret = arg_uint("port", text, 1, UINT16_MAX, &port);

	if (ret)
		err_clear();
	return !ret;
}

static int connect_host(const struct addrinfo *a, int *error)
{
	struct timeval limit = { HOST_CONNECT_MS / 1000, 0 }, none = { 0, 0 };
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		*error = errno;
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, a->ai_addr, a->ai_addrlen)) {
		*error = errno == EINPROGRESS ? ETIMEDOUT : errno;
		close(fd);
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof(none));
	return fd;
}

static int start_host(struct peer *p)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all, *a;
	char host[TRAFFIC_PEER_MAX], port[16];
	socklen_t len = sizeof(p->control);
	int ret, fd = -1, error = 0;

	if (split_host(p->name + 5, host, sizeof(host), port, sizeof(port)))
		return err_set(-EINVAL, "host:ADDR, host:ADDR:PORT or host:[ADDR]:PORT",
			       "'%s' is not an address", p->name);
	if (!is_port(port))
		return err_set(-EINVAL, "nettoll traffic recv --listen says which",
			       "%s: its port is a number from 1 to 65535", p->name);
	ret = getaddrinfo(host, port, &hints, &all);
	if (ret)
		return err_set(-EHOSTUNREACH, "is its name spelt right? An address needs no name service",
			       "%s: %s", p->name, gai_strerror(ret));
	for (a = all; a && fd < 0; a = a->ai_next)
		fd = connect_host(a, &error);
	freeaddrinfo(all);
	if (fd < 0)
		return err_set(-error,
			       "start nettoll traffic recv --listen there, and let its port "
			       "through the firewall",
			       "cannot reach %s (port %s): %s", p->name, port, strerror(error));
	sock_control(fd);
	getpeername(fd, (struct sockaddr *)&p->control, &len);
	chan_init(&p->chan, fd, fd);
	return 0;
}

void peer_init(struct peer *p, const char *name, const char *role)
{
	memset(p, 0, sizeof(*p));
	p->name = name;
	p->role = role;
	chan_init(&p->chan, -1, -1);
}

int peer_start(struct peer *p, const struct traffic_spec *spec)
{
	return strncmp(p->name, "host:", 5) ? start_child(p, spec) : start_host(p);
}

int peer_hello_ms(const struct peer *p)
{
	/* ssh may ask for a password. */
	return strncmp(p->name, "ssh:", 4) ? 10000 : 120000;
}

/* Reap the child if it is gone or goes within @wait_ms. Return: true with *status. */
static bool reap(struct peer *p, int wait_ms, int *status)
{
	uint64_t end = clock_ns() + (uint64_t)wait_ms * 1000000;
	struct timespec nap = { 0, 1000000 };

	for (;;) {
		pid_t pid = waitpid(p->pid, status, WNOHANG);

		if (pid == p->pid || (pid < 0 && errno == ECHILD)) {
			if (pid < 0)
				*status = 0;
			p->pid = 0;
			return true;
		}
		if (clock_ns() >= end)
			return false;
		nanosleep(&nap, NULL);
	}
}

int peer_died(struct peer *p, const struct traffic_spec *spec)
{
	bool ssh = !strncmp(p->name, "ssh:", 4);
	int status;

	if (!p->pid || !reap(p, END_WAIT_MS, &status))
		return err_set(-ECONNRESET, NULL, "the %s end %s closed the control channel",
			       p->role, p->name);
	if (WIFSIGNALED(status))
		return err_set(-ECONNRESET, NULL, "the %s end %s was killed by signal %d (%s)",
			       p->role, p->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (ssh && WEXITSTATUS(status) == SSH_NOT_RUN)
		return err_set(-ENOENT, "install it, or give another with --ssh", "cannot run '%s'",
			       spec->ssh);
	if (ssh && WEXITSTATUS(status) == 127)
		return err_set(-ENOENT, "install it there, or give its path with --remote-nettoll",
			       "%s has no command '%s'", p->name, spec->remote_nettoll);
	if (ssh && WEXITSTATUS(status) == 255)
		return err_set(-ECONNREFUSED, "try ssh by hand", "ssh to %s failed", p->name + 4);
	return err_set(-ECONNRESET, NULL, "the %s end %s ended with status %d", p->role, p->name,
		       WEXITSTATUS(status));
}

void peer_end(struct peer *p)
{
	int status;

	/* The end of the channel is the order to stop. */
	chan_close(&p->chan);
	json_object_put(p->answer);
	p->answer = NULL;
	if (p->pid && !reap(p, END_WAIT_MS, &status)) {
		kill(p->pid, SIGKILL);
		reap(p, END_WAIT_MS, &status);
	}
	if (p->progress)
		munmap((void *)p->progress, sizeof(*p->progress));
	p->progress = NULL;
}
