// SPDX-License-Identifier: GPL-2.0-or-later
/* A waiting receiver: one run at a time for whoever connects to its control port. */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/stop.h"
#include "traffic/agent.h"
#include "traffic/engine.h"

static int open_port(const char *addr, uint16_t port)
{
	struct sockaddr_storage ss;
	int one = 1, zero = 0, ret, fd;
	socklen_t len;

	ret = addr_parse(*addr ? addr : "::", port, &ss, &len);
	if (ret)
		return ret;
	fd = socket(ss.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 && !*addr && errno == EAFNOSUPPORT)
		return open_port("0.0.0.0", port);
	if (fd < 0)
		return err_set(-errno, NULL, "cannot open a socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!*addr)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (!bind(fd, (struct sockaddr *)&ss, len) && !listen(fd, 4))
		return fd;
	ret = err_set(-errno, errno == EADDRINUSE ? "choose another port with --listen" :
			      errno == EACCES ? "ports below 1024 are root's: choose another with --listen" :
			      errno == EADDRNOTAVAIL ? "ip address lists this host's" : NULL,
		      "cannot listen on %s port %u: %s", *addr ? addr : "any address", port,
		      strerror(errno));
	close(fd);
	return ret;
}

/* Tell a caller that it has to wait, and hang up. */
static void refuse(int fd)
{
	static const char busy[] =
		"{\"error\":{\"code\":-16,\"text\":\"the waiting receiver is busy with another "
		"run\",\"cure\":\"try again when it is over\"}}\n";
	ssize_t n = send(fd, busy, sizeof(busy) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);

	(void)n;
	close(fd);
}

static pid_t serve(int fd, int listener, const struct sockaddr_storage *caller)
{
	pid_t parent = getpid(), pid = fork();
	struct chan c;
	int ret;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	stop_child();
	signal(SIGINT, SIG_IGN);
	close(listener);
	sock_control(fd);
	chan_init(&c, fd, fd);
	ret = agent_loop(&c, NULL, caller);
	chan_close(&c);
	_exit(ret ? 1 : 0);
}

/* Take a call. Return: 0, or a negative errno that ends the waiting. */
static int take_call(int listener, pid_t *child)
{
	struct sockaddr_storage caller;
	socklen_t len = sizeof(caller);
	int fd = accept4(listener, (struct sockaddr *)&caller, &len, SOCK_CLOEXEC);

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM ?
		       err_set(-errno, NULL, "cannot take a call: %s", strerror(errno)) : 0;
	if (*child) {
		refuse(fd);
		return 0;
	}
	*child = serve(fd, listener, &caller);
	close(fd);
	if (*child > 0)
		return 0;
	*child = 0;
	return err_set(-errno, NULL, "cannot start a process: %s", strerror(errno));
}

int traffic_listen(const char *addr, uint16_t port, bool once,
		   void (*ready)(const char *addr, uint16_t port))
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	pid_t child = 0;
	int ret, fd = open_port(addr, port);

	if (fd < 0)
		return fd;
	stop_begin();
	getsockname(fd, (struct sockaddr *)&ss, &len);
	if (ready)
		ready(*addr ? addr : "any address", (uint16_t)addr_port(&ss));
	for (ret = 0; !ret;) {
		int n = stop_wait(UINT64_MAX, fd);

		/* A child's end wakes us as well. */
		if (child && waitpid(child, NULL, WNOHANG) == child) {
			child = 0;
			if (once)
				break;
		}
		if (stop_pending())
			ret = err_set(-EINTR, NULL, "interrupted");
		else if (n == 1)
			ret = take_call(fd, &child);
	}
	close(fd);
	if (child) {
		kill(child, SIGTERM);
		waitpid(child, NULL, 0);
	}
	stop_end();
	return ret;
}
