// SPDX-License-Identifier: GPL-2.0-or-later
/* Readings in between, while hooks are attached in windows: what the scaled figures' confidence is reckoned from. */
#include "cmd/stat_windows.h"

#include "lib/err.h"
#include "lib/stop.h"

#define ALWAYS	10000	/* hundredths of a per cent */

void stat_windows_begin(struct stat_windows *w, const struct module_status *status, bool per_cpu)
{
	*w = (struct stat_windows) { .due_ns = UINT64_MAX, .per_cpu = per_cpu };
	if (!status->window_ms)
		return;
	w->window_ns = status->window_ms * 1000000ull;
	/* A ceiling changes the duty as it goes; readings without a window count to the next. */
	w->period_ns = w->window_ns * ALWAYS / (status->duty ? status->duty : 1);
	w->due_ns = stop_now_ns() + w->period_ns;
}

/* Half as many readings, twice as far apart. */
static void thin_out(struct stat_windows *w)
{
	size_t i;

	for (i = 0; i < w->n; i++) {
		if (i % 2)
			w->mark[i / 2] = w->mark[i];
		else
			stat_reading_free(&w->mark[i]);
	}
	w->n /= 2;
	w->period_ns *= 2;
}

int stat_windows_mark(struct stat_windows *w, struct module *module)
{
	uint64_t now = stop_now_ns();
	int ret;

	if (now < w->due_ns)
		return 0;
	if (w->n == STAT_WINDOWS_MAX)
		thin_out(w);
	ret = module_stat(module, w->per_cpu, &w->mark[w->n]);
	if (!ret)
		w->n++;
	w->due_ns += w->period_ns;
	if (w->due_ns <= now)
		w->due_ns = now + w->period_ns;
	return ret;
}

void stat_windows_next(struct stat_windows *w)
{
	while (w->n)
		stat_reading_free(&w->mark[--w->n]);
}

size_t stat_windows_diffs(const struct stat_windows *w, const struct stat_reading *from,
			  const struct stat_reading *to, const struct hook_list *hooks,
			  struct toll_diff *diffs)
{
	const struct stat_reading *next, *start = from;
	size_t i, n = 0;

	if (!w->period_ns)
		return 0;
	for (i = 0; i <= w->n; i++) {
		next = i < w->n ? &w->mark[i] : to;
		/* Two halves of a window are not two windows: what is short goes to the next part, or the last. */
		if (next->attached_ns - from->attached_ns < w->window_ns) {
			if (i < w->n || !n)
				continue;
			from = start;
			toll_diff_free(&diffs[--n]);
		}
		if (toll_diff_make(&diffs[n], from, next, hooks)) {
			err_clear();
			while (n)
				toll_diff_free(&diffs[--n]);
			return 0;
		}
		n++;
		start = from;
		from = next;
	}
	return n;
}
