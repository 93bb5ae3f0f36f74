// SPDX-License-Identifier: GPL-2.0-or-later
/* Ends a busy loop from outside: signal handlers move its limit, it never looks at a clock. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "traffic/engine.h"
#include "lib/err.h"

/* How soon a blocked call is interrupted again after the first signal, in case that one came just
 * before the call. */
#define KICK_NS		10000000

enum { SIG_TICK, SIG_CLOCK };

static struct run *watched;

static void kick(struct run *r)
{
	struct itimerspec soon = { { 0, KICK_NS }, { 0, KICK_NS } };

	timer_settime(r->tick, 0, &soon, NULL);
}

static void end_run(struct run *r, int why)
{
	r->why |= why;
	r->limit = 0;
	kick(r);
}

static void on_tick(struct run *r)
{
	uint64_t done = r->sender ? *r->progress : *(volatile uint64_t *)&r->calls;
	uint64_t now = clock_ns();

	r->ticks++;
	/* A receiver may wait for its first message as long as the command likes. */
	if (done != r->seen || !(r->sender || r->armed)) {
		r->seen = done;
		r->seen_ns = now;
	} else if (now - r->seen_ns > r->spec.timeout_ms * 1000000ull) {
		end_run(r, WHY_STALL);
	}
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	int saved = errno;
	struct run *r = watched;

	(void)context;
	if (!r)
		return;
	if (sig == SIGIO)
		end_run(r, WHY_CONTROL);
	else if (info->si_code == SI_TIMER && info->si_value.sival_int == SIG_CLOCK)
		end_run(r, WHY_TIME);
	else
		on_tick(r);
	errno = saved;
}

static int make_timer(timer_t *t, int which)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };

	ev.sigev_value.sival_int = which;
	return timer_create(CLOCK_MONOTONIC, &ev, t);
}

int watch_start(struct run *r, uint64_t duration_ns, uint32_t period_ms)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct itimerspec every = { { period_ms / 1000, period_ms % 1000 * 1000000L },
				    { period_ms / 1000, period_ms % 1000 * 1000000L } };
	struct itimerspec once = { { 0, 0 }, { (time_t)(duration_ns / 1000000000u),
					       (long)(duration_ns % 1000000000u) } };
	struct pollfd p = { .fd = r->chan->in, .events = POLLIN };

	r->why = 0;
	r->ticks = 0;
	r->seen = r->sender ? *r->progress : r->calls;
	r->seen_ns = clock_ns();
	if (make_timer(&r->tick, SIG_TICK) || make_timer(&r->clock, SIG_CLOCK))
		return err_set(-errno, NULL, "cannot make a timer: %s", strerror(errno));
	watched = r;
	sigfillset(&act.sa_mask);
	sigaction(SIGALRM, &act, NULL);
	sigaction(SIGIO, &act, NULL);
	/* No restart: a handler must be able to end a blocked call. */
	fcntl(p.fd, F_SETOWN, getpid());
	fcntl(p.fd, F_SETFL, fcntl(p.fd, F_GETFL) | O_ASYNC);
	if (period_ms)
		timer_settime(r->tick, 0, &every, NULL);
	if (duration_ns)
		timer_settime(r->clock, 0, &once, NULL);
	/* What came before O_ASYNC raised no signal. */
	if (r->chan->len || poll(&p, 1, 0) > 0)
		raise(SIGIO);
	return 0;
}

void watch_stop(struct run *r)
{
	sigset_t mask;

	fcntl(r->chan->in, F_SETFL, fcntl(r->chan->in, F_GETFL) & ~O_ASYNC);
	timer_delete(r->tick);
	timer_delete(r->clock);
	sigemptyset(&mask);
	sigaddset(&mask, SIGALRM);
	sigaddset(&mask, SIGIO);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	watched = NULL;
	/* A signal still on its way finds no run; handlers stay, so that it does not kill. */
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
}
