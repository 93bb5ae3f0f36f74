/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people read them; pure functions, the same in every locale. */
#ifndef NETTOLL_LIB_FMT_H
#define NETTOLL_LIB_FMT_H

#include <stddef.h>
#include <stdint.h>

/** fmt_size() - bytes with the largest binary unit that divides them: 64K, 1448 */
void fmt_size(char *buf, size_t size, uint64_t bytes);

/** fmt_rate() - bits per second with the largest decimal unit: 1.28Gbit/s */
void fmt_rate(char *buf, size_t size, uint64_t bps);

/** fmt_duration() - ns with the largest unit that divides them: 50us, 2s, 1h */
void fmt_duration(char *buf, size_t size, uint64_t ns);

/** fmt_si() - @digits significant digits and a decimal unit: 12.3k, 4.05G; "-" for NaN */
void fmt_si(char *buf, size_t size, double value, int digits);

/** fmt_real() - @digits behind the point; "-" for NaN */
void fmt_real(char *buf, size_t size, double value, int digits);

/**
 * fmt_closure() - @part as per cent of @whole, never rounded to 100
 *
 * Exactly "100" when they are equal, "-" when @whole is 0 and @part is not; otherwise with as many
 * digits behind the point (at least one) as it takes to differ from 100.
 */
void fmt_closure(char *buf, size_t size, uint64_t part, uint64_t whole);

#endif
