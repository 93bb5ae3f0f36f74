/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ending by Ctrl-C, TERM or HUP at a place where everything can be put back. */
#ifndef NETTOLL_LIB_STOP_H
#define NETTOLL_LIB_STOP_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Between stop_begin() and stop_end() the signals INT, TERM and HUP (and CHLD, to wake
 * stop_wait()) are blocked but within stop_wait() and stop_pending(), so that no system call ends
 * early and nothing is lost between a check and a sleep. Calls nest.
 */

/** stop_begin() - hold the signals back from here on */
void stop_begin(void);

/** stop_end() - restore what was; a signal that came is not delivered again */
void stop_end(void);

/** stop_pending() - the signal that asks to stop, or 0 */
int stop_pending(void);

/**
 * stop_wait() - sleep
 * @until_ns: CLOCK_MONOTONIC; UINT64_MAX: for ever
 * @fd: ends the sleep when readable; -1: none
 *
 * Return: 0 when the time has come, 1 when @fd is readable, -EINTR when a signal came (a child's
 * end too).
 */
int stop_wait(uint64_t until_ns, int fd);

/** stop_now_ns() - CLOCK_MONOTONIC */
uint64_t stop_now_ns(void);

/** stop_child() - to be called in a forked child before exec: signals as they were at first */
void stop_child(void);

/**
 * stop_run() - run a command and wait for its end
 * @argv: ends with NULL; looked up in PATH
 * @status: as of waitpid()
 *
 * INT from the terminal reaches the command as well and is left to it; TERM and HUP are passed on.
 * Return: 0, or a negative errno described by err_set() when it could not be run at all.
 */
int stop_run(char *const *argv, int *status);

/**
 * struct stop_tick - something to do now and then while a command runs
 * @due_ns: CLOCK_MONOTONIC of the next time; UINT64_MAX: never
 * @fn: does it and moves @due_ns on
 */
struct stop_tick {
	uint64_t due_ns;
	void (*fn)(struct stop_tick *tick);
	void *ctx;
};

/** stop_run_ticking() - as stop_run(), and does what is due meanwhile */
int stop_run_ticking(char *const *argv, int *status, struct stop_tick *tick);

#endif
