// SPDX-License-Identifier: GPL-2.0-or-later
/* Turning words of the command line into values: numbers with units, and names. */
#include "lib/args.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/err.h"
#include "lib/fmt.h"

#define FRACTION_DIGITS	9
#define FRACTION_ONE	1000000000ull
#define WORD_MAX	64
#define FEW_WORDS	6	/* so few are listed when another is given */

typedef unsigned __int128 u128;

/*
 * Reads DIGITS[.DIGITS] as a number of billionths, so that 0.1 is exact. Points *rest behind it.
 * Digits beyond the ninth behind the point must be 0.
 */
static int decimal(const char *text, u128 *billionths, const char **rest)
{
	u128 v = 0, scale = FRACTION_ONE;
	bool digits = false;

	for (; *text >= '0' && *text <= '9'; text++, digits = true) {
		if (v > UINT64_MAX)
			return -ERANGE;
		v = v * 10 + (*text - '0');
	}
	v *= FRACTION_ONE;
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++, digits = true) {
			scale /= 10;
			if (!scale && *text != '0')
				return -EINVAL;
			v += scale * (*text - '0');
		}
	}
	*billionths = v;
	*rest = text;
	return digits ? 0 : -EINVAL;
}

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit *find_unit(const struct unit *units, const char *name, bool exact_case)
{
	for (; units->name; units++)
		if (exact_case ? !strcmp(units->name, name) : !strcasecmp(units->name, name))
			return units;
	return NULL;
}

/* Formats a bound the way the user would write it. */
typedef void (*show_fn)(char *buf, size_t size, uint64_t value);

static void show_uint(char *buf, size_t size, uint64_t value)
{
	snprintf(buf, size, "%" PRIu64, value);
}

static int out_of_range(const char *what, const char *text, uint64_t min, uint64_t max,
			show_fn show)
{
	char low[32], high[32];

	show(low, sizeof(low), min);
	show(high, sizeof(high), max);
	return err_set(-ERANGE, NULL, "%s: %s is out of range, it goes from %s to %s", what, text,
		       low, high);
}

/* A decimal with a unit, in whole multiples of the smallest unit. */
static int with_unit(const char *what, const char *text, const struct unit *units, bool exact_case,
		     const char *kind, uint64_t min, uint64_t max, show_fn show, uint64_t *value)
{
	const struct unit *unit;
	const char *rest;
	u128 v;
	int ret;

	ret = decimal(text, &v, &rest);
	if (ret == -ERANGE)
		return out_of_range(what, text, min, max, show);
	if (ret)
		return err_set(-EINVAL, NULL, "%s: '%s' is not a %s", what, text, kind);
	unit = find_unit(units, rest, exact_case);
	if (!unit && !*rest && !v)
		unit = units;
	if (!unit)
		return err_set(-EINVAL, NULL, *rest ? "%s: '%s' is not a %s" :
			       "%s: '%s' lacks its unit to be a %s", what, text, kind);
	/* v < 2^64 * 10^9 * 10 and factors are below 2^52: no overflow in two steps. */
	if (v / FRACTION_ONE > UINT64_MAX / unit->factor)
		return out_of_range(what, text, min, max, show);
	v *= unit->factor;
	if (v % FRACTION_ONE)
		return err_set(-EINVAL, NULL, "%s: %s is finer than the smallest unit", what, text);
	v /= FRACTION_ONE;
	if (v < min || v > max)
		return out_of_range(what, text, min, max, show);
	*value = v;
	return 0;
}

int arg_uint(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	unsigned long long v;

	if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return err_set(-EINVAL, NULL, "%s: '%s' is not a whole number", what, text);
	errno = 0;
	v = strtoull(digits, NULL, hex ? 16 : 10);
	if (errno || v < min || v > max)
		return out_of_range(what, text, min, max, show_uint);
	*value = v;
	return 0;
}

int arg_size(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *bytes)
{
	static const struct unit units[] = {
		{ "", 1 }, { "B", 1 },
		{ "K", 1ull << 10 }, { "KB", 1ull << 10 }, { "KiB", 1ull << 10 },
		{ "M", 1ull << 20 }, { "MB", 1ull << 20 }, { "MiB", 1ull << 20 },
		{ "G", 1ull << 30 }, { "GB", 1ull << 30 }, { "GiB", 1ull << 30 },
		{ "T", 1ull << 40 }, { "TB", 1ull << 40 }, { "TiB", 1ull << 40 },
		{ NULL, 0 }
	};

	return with_unit(what, text, units, false, "size (like 1448, 64K, 1.5G)", min, max,
			 fmt_size, bytes);
}

int arg_rate(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *bps)
{
	static const struct unit units[] = {
		{ "", 1 }, { "K", 1000 }, { "M", 1000000 }, { "G", 1000000000 },
		{ "T", 1000000000000 }, { NULL, 0 }
	};
	static const char *const tails[] = { "bit/s", "bps", "b/s", "bit" };
	char word[WORD_MAX];
	size_t i, len = strlen(text), tail;

	if (len >= sizeof(word))
		return err_set(-EINVAL, NULL, "%s: '%s' is not a rate", what, text);
	strcpy(word, text);
	for (i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		tail = strlen(tails[i]);
		if (len > tail && !strcasecmp(word + len - tail, tails[i])) {
			word[len - tail] = '\0';
			break;
		}
	}
	return with_unit(what, word, units, false, "rate in bits per second (like 1.28G, 100Mbit)",
			 min, max, fmt_rate, bps);
}

int arg_duration(const char *what, const char *text, const char *unit, uint64_t min,
		 uint64_t max, uint64_t *ns)
{
	struct unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
		{ "m", 60 * 1000000000ull }, { "min", 60 * 1000000000ull },
		{ "h", 3600 * 1000000000ull }, { NULL, 0 }, { NULL, 0 }
	};
	const struct unit *bare = unit ? find_unit(units, unit, true) : NULL;

	if (bare)
		units[7] = (struct unit) { "", bare->factor };
	return with_unit(what, text, units, true, "duration (like 50us, 10ms, 2s)", min, max,
			 fmt_duration, ns);
}

static void show_ppm(char *buf, size_t size, uint64_t ppm)
{
	snprintf(buf, size, "%g%%", ppm / 1e4);
}

int arg_ppm(const char *what, const char *text, uint32_t min, uint32_t max, uint32_t *ppm)
{
	static const struct unit units[] = { { "%", 10000 }, { "", 10000 }, { NULL, 0 } };
	uint64_t v;
	int ret;

	ret = with_unit(what, text, units, true, "share in per cent (like 1%, 0.5%)", min, max,
			show_ppm, &v);
	if (!ret)
		*ppm = v;
	return ret;
}

int arg_real(const char *what, const char *text, double min, double max, double *value)
{
	const char *rest, *digits = text + (*text == '-' || *text == '+');
	u128 v;
	double d;
	int ret;

	ret = decimal(digits, &v, &rest);
	if (!ret && *rest)
		ret = -EINVAL;
	if (ret == -EINVAL)
		return err_set(-EINVAL, NULL, "%s: '%s' is not a number", what, text);
	d = ret ? INFINITY : (double)v / FRACTION_ONE;
	if (*text == '-')
		d = -d;
	if (d < min || d > max)
		return err_set(-ERANGE, NULL, "%s: %s is out of range, it goes from %g to %g", what,
			       text, min, max);
	*value = d;
	return 0;
}

/* Edits (insert, delete, replace, swap of neighbours) between two words, at most WORD_MAX long. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][WORD_MAX + 1], *above2 = rows[0], *above = rows[1], *row = rows[2], *t;
	size_t la = strnlen(a, WORD_MAX), lb = strnlen(b, WORD_MAX), i, j;
	unsigned int best;

	for (j = 0; j <= lb; j++)
		above[j] = j;
	for (i = 1; i <= la; i++) {
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			best = above[j - 1] + (a[i - 1] != b[j - 1]);
			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    above2[j - 2] + 1 < best)
				best = above2[j - 2] + 1;
			row[j] = best;
		}
		t = above2;
		above2 = above;
		above = row;
		row = t;
	}
	return above[lb];
}

const char *nearest_word(const char *text, const char *const *words, size_t n)
{
	size_t i, len = strlen(text);
	unsigned int d, best = len / 3 + 2;
	const char *found = NULL;

	if (!len)
		return NULL;
	for (i = 0; i < n; i++) {
		d = distance(text, words[i]);
		if (d < best && d < strlen(words[i])) {
			best = d;
			found = words[i];
		}
	}
	/* A part of a longer name is a likely slip too. */
	for (i = 0; i < n && !found && len >= 3; i++)
		if (strstr(words[i], text))
			found = words[i];
	return found;
}

int arg_word(const char *what, const char *text, const char *const *words, size_t n)
{
	size_t i, len = strlen(text), hits = 0, hit = 0, at = 0;
	const char *near;
	char list[256] = "";

	for (i = 0; i < n; i++) {
		if (!strcmp(words[i], text))
			return i;
		if (len && !strncmp(words[i], text, len)) {
			hits++;
			hit = i;
			at += snprintf(list + at, sizeof(list) - at, "%s%s", at ? ", " : "",
				       words[i]);
			if (at >= sizeof(list))
				at = sizeof(list) - 1;
		}
	}
	if (hits == 1)
		return hit;
	if (hits)
		return err_set(-EINVAL, NULL, "%s '%s' is ambiguous: %s", what, text, list);
	near = nearest_word(text, words, n);
	if (near)
		return err_set(-EINVAL, NULL, "there is no %s '%s', did you mean '%s'?", what, text,
			       near);
	for (i = 0; i < n && n <= FEW_WORDS && at < sizeof(list); i++)
		at += snprintf(list + at, sizeof(list) - at, "%s%s", at ? ", " : ": ", words[i]);
	return err_set(-EINVAL, NULL, "there is no %s '%s'%s", what, text, list);
}

int arg_getopt(int argc, char **argv, const char *shorts, const struct option *longs)
{
	char with_colon[64];
	const char *word;
	int c;

	if (shorts[0] == '+' || shorts[0] == '-')
		snprintf(with_colon, sizeof(with_colon), "%c:%s", shorts[0], shorts + 1);
	else
		snprintf(with_colon, sizeof(with_colon), ":%s", shorts);
	opterr = 0;
	c = getopt_long(argc, argv, with_colon, longs, NULL);
	if (c != '?' && c != ':')
		return c;
	word = argv[optind > 0 ? optind - 1 : 0];
	if (c == ':')
		usage_error("option %s needs a value", word);
	else if (optopt && strncmp(word, "--", 2))
		usage_error("there is no option -%c", optopt);
	else if (optopt)
		usage_error("option %s takes no value", word);
	else
		usage_error("there is no option %s, or it is ambiguous", word);
	return '?';
}
