// SPDX-License-Identifier: GPL-2.0-or-later
/* What the user is told when something fails: one description, printed once, on stderr. */
#include "lib/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/progress.h"

static const char *verb;
static struct {
	int code;
	char text[1024];
	char cure[512];
} last;

void err_verb(const char *name)
{
	verb = name;
}

void err_clear(void)
{
	last.code = 0;
	last.text[0] = '\0';
	last.cure[0] = '\0';
}

int err_set(int code, const char *cure, const char *fmt, ...)
{
	char text[sizeof(last.text)];
	va_list ap;

	/* By way of a copy: the arguments may point into the last description. */
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (cure != last.cure)
		snprintf(last.cure, sizeof(last.cure), "%s", cure ? cure : "");
	memcpy(last.text, text, sizeof(text));
	last.code = code;
	return code;
}

const char *err_text(int code)
{
	return code == last.code && last.text[0] ? last.text : strerror(-code);
}

const char *err_cure(int code)
{
	return code == last.code ? last.cure : "";
}

int err_context(int code, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(code, code == last.code ? last.cure : NULL, "%s: %s", what, err_text(code));
}

static void say(const char *kind, const char *fmt, va_list ap)
{
	char text[2048];

	vsnprintf(text, sizeof(text), fmt, ap);
	progress_clear();
	fprintf(stderr, "nettoll: %s%s%s%s\n", verb ? verb : "", verb ? ": " : "", kind, text);
}

void pr_err(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void pr_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("warning: ", fmt, ap);
	va_end(ap);
}

void pr_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

int err_exit_code(int code)
{
	return code == -EPERM || code == -EACCES || code == -EBUSY ? EXIT_REFUSED : EXIT_FAILED;
}

int err_report(int code)
{
	const char *cure = err_cure(code);

	if (cure[0])
		pr_err("%s (%s)", err_text(code), cure);
	else
		pr_err("%s", err_text(code));
	err_clear();
	return err_exit_code(code);
}

int usage_error(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pr_err("%s (see nettoll%s%s --help)", text, verb ? " " : "", verb ? verb : "");
	return EXIT_USAGE;
}

int usage_report(int code)
{
	if (err_cure(code)[0])
		pr_err("%s (%s)", err_text(code), err_cure(code));
	else
		usage_error("%s", err_text(code));
	err_clear();
	return EXIT_USAGE;
}
