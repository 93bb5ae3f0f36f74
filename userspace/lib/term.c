// SPDX-License-Identifier: GPL-2.0-or-later
/* What standard output is connected to: colour, width, characters, and bars drawn with them. */
#include "lib/term.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static enum term_color color_choice = TERM_COLOR_AUTO;
static int output_fd = STDOUT_FILENO;

void term_set_fd(int fd)
{
	output_fd = fd;
}

void term_set_color(enum term_color color)
{
	color_choice = color;
}

bool term_is_tty(void)
{
	return isatty(output_fd);
}

static bool term_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

bool term_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

int term_width(void)
{
	struct winsize size;

	if (!term_is_tty() || ioctl(output_fd, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

static bool colored(void)
{
	const char *no = getenv("NO_COLOR");

	if (color_choice != TERM_COLOR_AUTO)
		return color_choice == TERM_COLOR_ALWAYS;
	return term_is_tty() && !term_dumb() && !(no && *no);
}

const char *term_on(enum term_style style)
{
	static const char *const on[] = {
		[STYLE_NONE] = "",
		[STYLE_HEAD] = "\033[1m",
		[STYLE_DIM] = "\033[2m",
		[STYLE_TX] = "\033[36m",
		[STYLE_RX] = "\033[32m",
		[STYLE_GOOD] = "\033[32m",
		[STYLE_WARN] = "\033[33m",
		[STYLE_BAD] = "\033[31m",
		[STYLE_TOTAL] = "\033[1m",
	};

	return colored() ? on[style] : "";
}

const char *term_off(enum term_style style)
{
	return style != STYLE_NONE && colored() ? "\033[0m" : "";
}

const char *term_home(void)
{
	return term_is_tty() && !term_dumb() ? "\033[H\033[J" : "";
}

void term_bar(char *buf, size_t size, double share, int width, bool utf8)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	const char *full = utf8 ? "█" : "#", *last = "";
	size_t at = 0, len = strlen(full);
	int steps, whole, i;

	if (!(share > 0))
		share = 0;
	if (share > 1)
		share = 1;
	steps = (int)(share * width * (utf8 ? 8 : 1) + 0.5);
	whole = utf8 ? steps / 8 : steps;
	if (utf8)
		last = eighths[steps % 8];
	for (i = 0; i < whole && at + len < size; i++, at += len)
		memcpy(buf + at, full, len);
	len = strlen(last);
	if (at + len < size) {
		memcpy(buf + at, last, len);
		at += len;
	}
	buf[at] = '\0';
}
