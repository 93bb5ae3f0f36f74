// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers as people read them. */
#include "lib/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void fmt_size(char *buf, size_t size, uint64_t bytes)
{
	static const char units[] = "\0KMGT";
	int i = 0;

	while (bytes && !(bytes % 1024) && i < 4) {
		bytes /= 1024;
		i++;
	}
	snprintf(buf, size, "%" PRIu64 "%.1s", bytes, units + i);
}

void fmt_rate(char *buf, size_t size, uint64_t bps)
{
	char number[32];

	fmt_si(number, sizeof(number), bps, 4);
	snprintf(buf, size, "%sbit/s", number);
}

void fmt_duration(char *buf, size_t size, uint64_t ns)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "h", 3600000000000ull }, { "m", 60000000000ull }, { "s", 1000000000 },
		{ "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	};
	size_t i;

	if (!ns) {
		snprintf(buf, size, "0s");
		return;
	}
	for (i = 0; ns % units[i].ns; i++)
		;
	snprintf(buf, size, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
}

void fmt_si(char *buf, size_t size, double value, int digits)
{
	static const char units[] = "\0kMGTPE";
	double a = fabs(value), limit;
	int i = 0, before;

	if (!isfinite(value)) {
		snprintf(buf, size, "-");
		return;
	}
	/* The value that rounds up to 1000 at this many digits belongs to the next unit. */
	limit = 1000 - 0.5 * pow(10, 3 - digits);
	while (a >= limit && i < 6) {
		a /= 1000;
		i++;
	}
	if (!i && value == trunc(value)) {
		snprintf(buf, size, "%.0f", value);
		return;
	}
	before = a >= 100 ? 3 : a >= 10 ? 2 : 1;
	snprintf(buf, size, "%s%.*f%.1s", value < 0 ? "-" : "",
		 digits > before ? digits - before : 0, a, units + i);
}

void fmt_real(char *buf, size_t size, double value, int digits)
{
	if (!isfinite(value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.*f", digits, value);
}

void fmt_closure(char *buf, size_t size, uint64_t part, uint64_t whole)
{
	long double percent;
	int digits;

	if (part == whole) {
		snprintf(buf, size, "100");
		return;
	}
	if (!whole) {
		snprintf(buf, size, "-");
		return;
	}
	/* In parts that long double holds exactly, so that one cycle in 2^63 still shows. */
	percent = part > whole ? 100 + 100.0L * (part - whole) / whole :
				 100 - 100.0L * (whole - part) / whole;
	for (digits = 1; digits < 20; digits++) {
		snprintf(buf, size, "%.*Lf", digits, percent);
		if (strncmp(buf, "100.", 4) || strspn(buf + 4, "0") != strlen(buf + 4))
			return;
	}
}
