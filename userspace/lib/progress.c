// SPDX-License-Identifier: GPL-2.0-or-later
/* How far long work has come and how long it still takes, on stderr. */
#include "lib/progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_NS	200000000ull
#define BAR		20

static struct {
	bool running;
	bool tty;
	bool drawn;
	uint64_t total, done;
	uint64_t start_ns, drawn_ns;
	char text[160];
} p;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

uint64_t progress_left(uint64_t done, uint64_t total, uint64_t elapsed_ns)
{
	if (!done || !total || done > total)
		return UINT64_MAX;
	return (unsigned __int128)elapsed_ns * (total - done) / done;
}

static void draw(uint64_t now)
{
	uint64_t left = progress_left(p.done, p.total, now - p.start_ns);
	uint64_t done = p.done < p.total ? p.done : p.total;
	char bar[BAR + 1];
	int full;

	p.drawn = true;
	p.drawn_ns = now;
	fprintf(stderr, "\r\033[K%s", p.text);
	if (!p.total)
		return;
	full = (unsigned __int128)done * BAR / p.total;
	memset(bar, '#', full);
	memset(bar + full, '-', BAR - full);
	bar[BAR] = '\0';
	fprintf(stderr, "  [%s] %3d %%", bar, (int)((unsigned __int128)done * 100 / p.total));
	if (left != UINT64_MAX) {
		left = (left + 999999999) / 1000000000;
		fprintf(stderr, "  %" PRIu64 ":%02" PRIu64 " left", left / 60, left % 60);
	}
}

void progress_start(uint64_t total)
{
	const char *term = getenv("TERM");

	p.running = true;
	p.tty = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
	p.drawn = false;
	p.total = total;
	p.done = 0;
	p.text[0] = '\0';
	p.start_ns = now_ns();
	p.drawn_ns = 0;
}

void progress_text(const char *fmt, ...)
{
	char text[sizeof(p.text)];
	va_list ap;

	if (!p.running)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!strcmp(text, p.text))
		return;
	memcpy(p.text, text, sizeof(text));
	if (p.tty)
		draw(now_ns());
	else
		fprintf(stderr, "%s\n", p.text);
}

void progress_at(uint64_t done)
{
	uint64_t now;

	if (!p.running)
		return;
	p.done = done;
	if (!p.tty)
		return;
	now = now_ns();
	if (now - p.drawn_ns >= REDRAW_NS)
		draw(now);
}

void progress_total(uint64_t total)
{
	p.total = total;
}

void progress_clear(void)
{
	if (p.drawn)
		fputs("\r\033[K", stderr);
	p.drawn = false;
}

void progress_end(void)
{
	progress_clear();
	p.running = false;
}
