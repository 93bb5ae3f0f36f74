// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading JSON from memory as it goes by, without a tree: for many lines with long rows of numbers. */
#include "profile/scan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX	32
#define DIGITS_EXACT	15	/* a number of so many digits is exact as a double, */
#define POWER_EXACT	22	/* and so is this power of ten */
#define NUMBER_MAX	63	/* characters */

void scan_begin(struct scan *s, const char *text, size_t len)
{
	*s = (struct scan) { .at = text, .end = text + len };
}

void scan_fail(struct scan *s, const char *why)
{
	if (!s->why)
		s->why = why;
	s->at = s->end;
}

static void scan_cut(struct scan *s)
{
	if (!s->why)
		s->cut = true;
	scan_fail(s, "the line ends in the middle");
}

/* The next character that is no white space, which stays; 0 at the end. */
static char next(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
		s->at++;
	return s->at < s->end ? *s->at : '\0';
}

static bool word(struct scan *s, const char *w)
{
	size_t len = strlen(w), left = s->end - s->at;

	if (left < len && !memcmp(s->at, w, left)) {
		scan_cut(s);
		return false;
	}
	if (left < len || memcmp(s->at, w, len))
		return false;
	s->at += len;
	return true;
}

enum scan_type scan_peek(struct scan *s)
{
	char c = next(s);

	switch (c) {
	case '{': return SCAN_OBJECT;
	case '[': return SCAN_ARRAY;
	case '"': return SCAN_STRING;
	case 't': case 'f': return SCAN_BOOL;
	case 'n': return SCAN_NULL;
	case '-': case 'N': case 'I': return SCAN_NUMBER;
	default: return c >= '0' && c <= '9' ? SCAN_NUMBER : SCAN_NONE;
	}
}

static bool enter(struct scan *s, char bracket, const char *why)
{
	char c = next(s);

	if (c != bracket || s->depth == DEPTH_MAX) {
		if (s->at == s->end)
			scan_cut(s);
		else
			scan_fail(s, c == bracket ? "it is nested too deeply" : why);
		return false;
	}
	s->at++;
	s->depth++;
	s->fresh = true;
	return true;
}

bool scan_object(struct scan *s)
{
	return enter(s, '{', "an object was expected");
}

bool scan_array(struct scan *s)
{
	return enter(s, '[', "an array was expected");
}

/* Goes to the next element of what is open; false behind the last. */
static bool advance(struct scan *s, char bracket)
{
	char c = next(s);

	if (s->why)
		return false;
	if (c == bracket) {
		s->at++;
		s->depth--;
		s->fresh = false;
		return false;
	}
	if (!s->fresh) {
		if (c != ',') {
			if (s->at == s->end)
				scan_cut(s);
			else
				scan_fail(s, "a comma is missing");
			return false;
		}
		s->at++;
		next(s);
	}
	s->fresh = false;
	if (s->at == s->end) {
		scan_cut(s);
		return false;
	}
	return true;
}

bool scan_item(struct scan *s)
{
	return advance(s, ']');
}

static int hex(struct scan *s)
{
	int v = 0, i;
	char c;

	for (i = 0; i < 4; i++) {
		if (s->at == s->end) {
			scan_cut(s);
			return -1;
		}
		c = *s->at++;
		if (c >= '0' && c <= '9')
			v = v * 16 + c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v = v * 16 + (c | 32) - 'a' + 10;
		else
			return -1;
	}
	return v;
}

/* What follows a backslash, as UTF-8 into @out; returns its length, 0 after an error. Surrogates become '?'. */
static size_t escape(struct scan *s, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit;
	int v;

	if (s->at == s->end) {
		scan_cut(s);
		return 0;
	}
	if (*s->at != 'u') {
		hit = strchr(from, *s->at);
		if (!hit || !*s->at) {
			scan_fail(s, "a string has an unknown escape");
			return 0;
		}
		s->at++;
		*out = to[hit - from];
		return 1;
	}
	s->at++;
	v = hex(s);
	if (v <= 0) {
		scan_fail(s, "a string has a bad \\u escape");
		return 0;
	}
	if (v < 0x80) {
		*out = (char)v;
		return 1;
	}
	if (v < 0x800) {
		out[0] = (char)(0xc0 | v >> 6);
		out[1] = (char)(0x80 | (v & 63));
		return 2;
	}
	if (v >= 0xd800 && v < 0xe000) {
		*out = '?';
		return 1;
	}
	out[0] = (char)(0xe0 | v >> 12);
	out[1] = (char)(0x80 | (v >> 6 & 63));
	out[2] = (char)(0x80 | (v & 63));
	return 3;
}

void scan_string(struct scan *s, char *text, size_t size)
{
	char one[4];
	size_t n = 0, len;

	if (size)
		*text = '\0';
	if (next(s) == 'n' && word(s, "null"))
		return;
	if (s->at == s->end || *s->at != '"') {
		if (s->at == s->end)
			scan_cut(s);
		else
			scan_fail(s, "a string was expected");
		return;
	}
	for (s->at++; s->at < s->end && *s->at != '"';) {
		*one = *s->at++;
		len = 1;
		if ((unsigned char)*one < ' ') {
			scan_fail(s, "a string has a control character");
			return;
		}
		if (*one == '\\')
			len = escape(s, one);
		if (s->why)
			return;
		if (n + len < size) {
			memcpy(text + n, one, len);
			n += len;
			text[n] = '\0';
		} else {
			size = 0;
		}
	}
	if (s->at == s->end)
		scan_cut(s);
	else
		s->at++;
}

bool scan_key(struct scan *s, char *key, size_t size)
{
	if (!advance(s, '}'))
		return false;
	scan_string(s, key, size);
	if (!s->why && next(s) != ':') {
		if (s->at == s->end)
			scan_cut(s);
		else
			scan_fail(s, "a colon is missing");
	}
	if (s->why)
		return false;
	s->at++;
	return true;
}

static bool digit(const struct scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

/* What the fast way cannot do exactly. */
static double number_slow(struct scan *s, const char *begin)
{
	char buf[NUMBER_MAX + 1];
	size_t len = s->at - begin;

	if (len > NUMBER_MAX) {
		scan_fail(s, "a number is too long");
		return NAN;
	}
	memcpy(buf, begin, len);
	buf[len] = '\0';
	/* The locale's numbers are C's: see main.c. */
	return strtod(buf, NULL);
}

double scan_number(struct scan *s)
{
	static const double tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
				       1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	const char *begin;
	uint64_t digits = 0;
	int n = 0, shift = 0, power = 0;
	bool minus, minus_power;
	double v;

	if (next(s) == 'n' && word(s, "null"))
		return NAN;
	begin = s->at;
	minus = s->at < s->end && *s->at == '-';
	s->at += minus;
	if (s->at < s->end && *s->at == 'N' && word(s, "NaN"))
		return NAN;
	if (s->at < s->end && *s->at == 'I' && word(s, "Infinity"))
		return minus ? -INFINITY : INFINITY;
	if (!digit(s)) {
		if (s->at == s->end)
			scan_cut(s);
		else
			scan_fail(s, "a number was expected");
		return NAN;
	}
	for (; digit(s); s->at++, n += digits != 0)
		digits = n < DIGITS_EXACT ? digits * 10 + (*s->at - '0') : digits;
	if (s->at < s->end && *s->at == '.') {
		s->at++;
		if (!digit(s) && s->at < s->end)
			scan_fail(s, "a number ends with a point");
		for (; digit(s); s->at++, n += digits != 0, shift--)
			digits = n < DIGITS_EXACT ? digits * 10 + (*s->at - '0') : digits;
	}
	if (s->at < s->end && (*s->at | 32) == 'e') {
		s->at++;
		minus_power = s->at < s->end && *s->at == '-';
		s->at += s->at < s->end && (*s->at == '-' || *s->at == '+');
		if (!digit(s) && s->at < s->end)
			scan_fail(s, "a number has no exponent");
		for (; digit(s); s->at++)
			power = power < 10000 ? power * 10 + (*s->at - '0') : power;
		shift += minus_power ? -power : power;
	}
	if (s->why)
		return NAN;
	/* A number never is the last of a record: it was cut. */
	if (s->at == s->end && s->depth) {
		scan_cut(s);
		return NAN;
	}
	if (n > DIGITS_EXACT || shift > POWER_EXACT || shift < -POWER_EXACT)
		return number_slow(s, begin);
	v = shift < 0 ? (double)digits / tens[-shift] : (double)digits * tens[shift];
	return minus ? -v : v;
}

bool scan_bool(struct scan *s)
{
	char c = next(s);

	if (c == 't' && word(s, "true"))
		return true;
	if (c == 'f' && word(s, "false"))
		return false;
	if (s->at == s->end)
		scan_cut(s);
	else
		scan_fail(s, "true or false was expected");
	return false;
}

void scan_skip(struct scan *s)
{
	switch (scan_peek(s)) {
	case SCAN_OBJECT:
		for (scan_object(s); scan_key(s, NULL, 0);)
			scan_skip(s);
		break;
	case SCAN_ARRAY:
		for (scan_array(s); scan_item(s);)
			scan_skip(s);
		break;
	case SCAN_STRING:
		scan_string(s, NULL, 0);
		break;
	case SCAN_BOOL:
		scan_bool(s);
		break;
	default:
		scan_number(s);
		break;
	}
}

bool scan_end(struct scan *s)
{
	if (!s->why && next(s))
		scan_fail(s, "something follows the object");
	return !s->why;
}
