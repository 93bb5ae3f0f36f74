/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What standard output is connected to: colour, width, characters, and bars drawn with them. */
#ifndef NETTOLL_LIB_TERM_H
#define NETTOLL_LIB_TERM_H

#include <stdbool.h>
#include <stddef.h>

enum term_color { TERM_COLOR_AUTO, TERM_COLOR_ALWAYS, TERM_COLOR_NEVER };

enum term_style {
	STYLE_NONE,
	STYLE_HEAD,
	STYLE_DIM,
	STYLE_TX,
	STYLE_RX,
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_TOTAL,
};

/** term_set_color() - what --color said; NO_COLOR in the environment counts for auto */
void term_set_color(enum term_color color);

/** term_set_fd() - where the results go, when not to standard output */
void term_set_fd(int fd);

/** term_is_tty() - whether a person looks at the results */
bool term_is_tty(void);

/** term_utf8() - whether the locale's characters are UTF-8 */
bool term_utf8(void);

/** term_width() - columns of the terminal; 0 when it is none or does not tell */
int term_width(void);

/** term_on(), term_off() - the escape sequences around styled text; "" without colour */
const char *term_on(enum term_style style);
const char *term_off(enum term_style style);

/** term_home() - the sequence that clears the screen for a repaint; "" when not a terminal */
const char *term_home(void);

/**
 * term_bar() - draw a horizontal bar
 * @buf: room for 3 * @width + 1 bytes
 * @share: 0 to 1; what lies outside is cut off, NaN is 0
 * @width: columns for a share of 1
 * @utf8: eighths of a column by block characters; else whole '#'
 */
void term_bar(char *buf, size_t size, double share, int width, bool utf8);

#endif
