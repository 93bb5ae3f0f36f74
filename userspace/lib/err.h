/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user is told when something fails, and the exit status that says it to scripts. */
#ifndef NETTOLL_LIB_ERR_H
#define NETTOLL_LIB_ERR_H

/* Exit status of the command. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_REFUSED = 3,	/* no permission, or busy */
};

#define PRINTF_LIKE(fmt, args)	__attribute__((format(printf, fmt, args)))

/*
 * A function that fails describes the cause with err_set() and returns its negative errno;
 * whoever decides that this is the end prints it once with err_report(). A description is kept
 * until the next err_set() or err_report().
 */

/**
 * err_set() - describe a failure
 * @code: negative errno
 * @cure: what to do about it; NULL when there is nothing to say
 * @fmt: what failed and why
 *
 * Return: @code, so that a function can `return err_set(...)`.
 */
int err_set(int code, const char *cure, const char *fmt, ...) PRINTF_LIKE(3, 4);

/**
 * err_context() - put "what was being done: " before the description of a failure
 * @code: negative errno, as just returned by a function; described by strerror() if err_set()
 *	was not called for it
 *
 * Return: @code.
 */
int err_context(int code, const char *fmt, ...) PRINTF_LIKE(2, 3);

/** err_text() - the description of @code without its cure; valid until the next err_ call */
const char *err_text(int code);

/** err_cure() - the cure that belongs to @code, or "" */
const char *err_cure(int code);

/**
 * err_report() - print the description of a failure on stderr and forget it
 *
 * Return: the exit status that fits @code: EXIT_REFUSED for EPERM, EACCES and EBUSY, else
 * EXIT_FAILED.
 */
int err_report(int code);

/** err_exit_code() - the exit status that fits a negative errno */
int err_exit_code(int code);

/** err_clear() - forget a description that nobody needs */
void err_clear(void);

/** err_verb() - name the subcommand that messages begin with; the string is kept, not copied */
void err_verb(const char *verb);

/** pr_err() - print "nettoll: VERB: ..." on stderr */
void pr_err(const char *fmt, ...) PRINTF_LIKE(1, 2);

/** pr_warn() - print "nettoll: VERB: warning: ..." on stderr */
void pr_warn(const char *fmt, ...) PRINTF_LIKE(1, 2);

/** pr_note() - print "nettoll: VERB: ..." on stderr: something to know, not a problem */
void pr_note(const char *fmt, ...) PRINTF_LIKE(1, 2);

/** usage_error() - print what is wrong with the command line; returns EXIT_USAGE */
int usage_error(const char *fmt, ...) PRINTF_LIKE(1, 2);

/** usage_report() - the same, with the description that an arg_ function left for @code */
int usage_report(int code);

#endif
