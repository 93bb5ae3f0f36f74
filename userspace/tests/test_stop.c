// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals that ask to stop: none is lost, none ends the process, and commands run under them. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/stop.h"

#define SECOND	1000000000ull

static void wait__until_the_time(void **state)
{
	uint64_t start = stop_now_ns();

	(void)state;
	stop_begin();
	assert_int_equal(stop_wait(start + SECOND / 50, -1), 0);
	assert_true(stop_now_ns() >= start + SECOND / 50);
	assert_int_equal(stop_wait(0, -1), 0);
	stop_end();
}

/* A signal that comes before the sleep ends it all the same. */
static void wait__signal_before_the_sleep(void **state)
{
	(void)state;
	stop_begin();
	assert_int_equal(stop_pending(), 0);
	raise(SIGTERM);
	assert_int_equal(stop_wait(stop_now_ns() + 60 * SECOND, -1), -EINTR);
	assert_int_equal(stop_pending(), SIGTERM);
	stop_end();
}

static void end__does_not_deliver_again(void **state)
{
	(void)state;
	stop_begin();
	raise(SIGINT);
	stop_end();
	/* Still here. And the next time begins without it. */
	stop_begin();
	assert_int_equal(stop_pending(), 0);
	stop_end();
}

static void wait__descriptor(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	stop_begin();
	assert_int_equal(stop_wait(stop_now_ns() + SECOND / 100, fds[0]), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(stop_wait(stop_now_ns() + 60 * SECOND, fds[0]), 1);
	stop_end();
	close(fds[0]);
	close(fds[1]);
}

static void run__status(void **state)
{
	static char *const three[] = { "sh", "-c", "exit 3", NULL };
	static char *const killed[] = { "sh", "-c", "kill -9 $$", NULL };
	static char *const none[] = { "/no/such/command", NULL };
	static char *const no_exec[] = { "/etc/passwd", NULL };
	int status = 0;

	(void)state;
	assert_int_equal(stop_run(three, &status), 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	assert_int_equal(stop_run(killed, &status), 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(stop_run(none, &status), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "/no/such/command"));
	assert_int_equal(stop_run(no_exec, &status), -EACCES);
}

static void count_tick(struct stop_tick *tick)
{
	++*(int *)tick->ctx;
	tick->due_ns += SECOND / 50;
}

/* Meanwhile what is due is done; a command that ends in its sleep still ends it. */
static void run__ticks(void **state)
{
	static char *const argv[] = { "sleep", "0.3", NULL };
	struct stop_tick tick = { stop_now_ns() + SECOND / 50, count_tick, &(int) { 0 } };
	int *ticks = tick.ctx, status = 1;

	(void)state;
	assert_int_equal(stop_run_ticking(argv, &status, &tick), 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	/* A late tick is made up for, so the number does not depend on how busy this machine is. */
	assert_true(*ticks >= 13);
	*ticks = 0;
	tick.due_ns = UINT64_MAX;
	assert_int_equal(stop_run_ticking(argv, &status, &tick), 0);
	assert_int_equal(*ticks, 0);
}

/* The command meets the signals as we did: none blocked, SIGPIPE not ignored. */
static void run__child_s_signals_are_as_at_first(void **state)
{
	static char *const check[] = { "sh", "-c",
		"grep -Eq '^SigBlk:[[:space:]]*0*$' /proc/self/status && "
		"i=$(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status) && "
		"[ $((0x$i & 0x1000)) -eq 0 ]", NULL };
	int status = 0;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	stop_begin();
	assert_int_equal(stop_run(check, &status), 0);
	stop_end();
	signal(SIGPIPE, SIG_DFL);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* TERM to us ends the command, which we outlive; we then know that we were asked to stop. */
static void run__passes_term_on(void **state)
{
	static char *const argv[] = { "sh", "-c", "kill -TERM $PPID; sleep 60", NULL };
	uint64_t start = stop_now_ns();
	int status = 0;

	(void)state;
	stop_begin();
	assert_int_equal(stop_run(argv, &status), 0);
	assert_int_equal(stop_pending(), SIGTERM);
	stop_end();
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_true(stop_now_ns() < start + 50 * SECOND);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait__until_the_time),
		cmocka_unit_test(wait__signal_before_the_sleep),
		cmocka_unit_test(end__does_not_deliver_again),
		cmocka_unit_test(wait__descriptor),
		cmocka_unit_test(run__status),
		cmocka_unit_test(run__ticks),
		cmocka_unit_test(run__child_s_signals_are_as_at_first),
		cmocka_unit_test(run__passes_term_on),
	};

	return cmocka_run_group_tests_name("stop", tests, NULL, NULL);
}
