// SPDX-License-Identifier: GPL-2.0-or-later
/* Ending by Ctrl-C, TERM or HUP at a place where everything can be put back. */
#include "lib/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/err.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
#define NSIGNALS	(sizeof(signals) / sizeof(*signals))

static volatile sig_atomic_t came;
static int depth;
static sigset_t old_mask;
static struct sigaction old_actions[NSIGNALS];

static void on_signal(int sig)
{
	if (sig != SIGCHLD)
		came = sig;
}

void stop_begin(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t mask;
	size_t i;

	if (depth++)
		return;
	came = 0;
	sigemptyset(&mask);
	for (i = 0; i < NSIGNALS; i++)
		sigaddset(&mask, signals[i]);
	sigprocmask(SIG_BLOCK, &mask, &old_mask);
	for (i = 0; i < NSIGNALS; i++) {
		sigaction(signals[i], NULL, &old_actions[i]);
		/* What was ignored stays so, as under nohup; a child's end must always wake us. */
		if (old_actions[i].sa_handler != SIG_IGN || signals[i] == SIGCHLD)
			sigaction(signals[i], &action, NULL);
	}
}

void stop_end(void)
{
	size_t i;

	if (depth > 1) {
		depth--;
		return;
	}
	/* Take what is still pending by our handler, so that it does not kill on the way out. */
	stop_pending();
	depth = 0;
	for (i = 0; i < NSIGNALS; i++)
		sigaction(signals[i], &old_actions[i], NULL);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
}

void stop_child(void)
{
	size_t i;

	signal(SIGPIPE, SIG_DFL);
	if (!depth)
		return;
	for (i = 0; i < NSIGNALS; i++)
		sigaction(signals[i], &old_actions[i], NULL);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
}

/* The mask to sleep with: as before stop_begin(), and our signals open. */
static void open_mask(sigset_t *mask)
{
	size_t i;

	*mask = old_mask;
	for (i = 0; i < NSIGNALS; i++)
		sigdelset(mask, signals[i]);
}

int stop_pending(void)
{
	struct timespec none = { 0 };
	sigset_t mask;

	if (depth) {
		open_mask(&mask);
		ppoll(NULL, 0, &none, &mask);
	}
	return came;
}

uint64_t stop_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static struct timespec time_until(uint64_t until_ns)
{
	uint64_t now = stop_now_ns(), left = until_ns > now ? until_ns - now : 0;

	return (struct timespec) { .tv_sec = left / 1000000000, .tv_nsec = left % 1000000000 };
}

int stop_wait(uint64_t until_ns, int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct timespec left;
	sigset_t mask;
	int ret;

	open_mask(&mask);
	for (;;) {
		if (came)
			return -EINTR;
		left = time_until(until_ns);
		ret = ppoll(&pfd, 1, until_ns == UINT64_MAX ? NULL : &left, &mask);
		if (ret < 0)
			return -errno;
		if (ret)
			return 1;
		if (stop_now_ns() >= until_ns)
			return 0;
	}
}

/* Until a signal comes or something is due. */
static void sleep_until_due(const sigset_t *mask, struct stop_tick *tick)
{
	struct timespec left;

	if (!tick || tick->due_ns == UINT64_MAX) {
		ppoll(NULL, 0, NULL, mask);
		return;
	}
	left = time_until(tick->due_ns);
	if (!ppoll(NULL, 0, &left, mask))
		tick->fn(tick);
}

int stop_run(char *const *argv, int *status)
{
	return stop_run_ticking(argv, status, NULL);
}

int stop_run_ticking(char *const *argv, int *status, struct stop_tick *tick)
{
	int fds[2], error = 0, passed = 0, ret;
	sigset_t mask;
	pid_t pid;

	/* The child reports a failed exec through a pipe that a successful one closes. */
	if (pipe2(fds, O_CLOEXEC))
		return err_set(-errno, NULL, "cannot run '%s': %s", argv[0], strerror(errno));
	stop_begin();
	pid = fork();
	if (pid < 0) {
		ret = err_set(-errno, NULL, "cannot run '%s': %s", argv[0], strerror(errno));
		close(fds[0]);
		close(fds[1]);
		stop_end();
		return ret;
	}
	if (!pid) {
		stop_child();
		execvp(argv[0], argv);
		error = errno;
		if (write(fds[1], &error, sizeof(error)) < 0)
			_exit(126);
		_exit(127);
	}
	close(fds[1]);
	if (read(fds[0], &error, sizeof(error)) != sizeof(error))
		error = 0;
	close(fds[0]);
	/* The signals are open in ppoll() alone, so the child's end cannot slip in before it. */
	open_mask(&mask);
	while (!waitpid(pid, status, WNOHANG)) {
		sleep_until_due(&mask, tick);
		/* Ctrl-C went to the command too; it decides. */
		if (came && came != SIGINT && came != passed) {
			passed = came;
			kill(pid, passed);
		}
	}
	stop_end();
	if (error)
		return err_set(-error, NULL, "cannot run '%s': %s", argv[0], strerror(error));
	return 0;
}
