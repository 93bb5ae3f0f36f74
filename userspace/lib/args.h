/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turning words of the command line into values: numbers with units, and names. */
#ifndef NETTOLL_LIB_ARGS_H
#define NETTOLL_LIB_ARGS_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All of these return 0 or a negative errno, -EINVAL for what is no number or has an unknown
 * unit and -ERANGE for what is out of bounds, with a description by err_set() that names the
 * value and its range; print it with usage_report(). @what says what the value is for, as the
 * user knows it ("--size", "interval"). Numbers are exact decimals, read the same in every locale.
 */

/** arg_uint() - a whole number, decimal or 0x hexadecimal */
int arg_uint(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *value);

/** arg_size() - bytes: 1448, 64K, 1M, 1.5G; units are powers of 1024, iB and B may follow */
int arg_size(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *bytes);

/** arg_rate() - bits per second: 1000000, 1.28G, 100Mbit, 10Gbit/s; units are powers of 1000 */
int arg_rate(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *bps);

/**
 * arg_duration() - nanoseconds: 250ns, 50us, 10ms, 2s, 1.5m, 1h
 * @unit: what a bare number counts: "s", "ms", ...; NULL: a unit must be given (but for 0)
 */
int arg_duration(const char *what, const char *text, const char *unit, uint64_t min,
		 uint64_t max, uint64_t *ns);

/** arg_ppm() - a share in millionths: 1%, 0.05%; a number without % is per cent as well */
int arg_ppm(const char *what, const char *text, uint32_t min, uint32_t max, uint32_t *ppm);

/** arg_real() - a decimal number */
int arg_real(const char *what, const char *text, double min, double max, double *value);

/**
 * arg_word() - which of @n @words this is, as a whole or as an unambiguous beginning
 *
 * Return: its index, or -EINVAL described with the nearest word or the candidates.
 */
int arg_word(const char *what, const char *text, const char *const *words, size_t n);

/** nearest_word() - the word that @text is most likely a misspelling of, or NULL */
const char *nearest_word(const char *text, const char *const *words, size_t n);

/**
 * arg_getopt() - getopt_long() that describes its errors
 *
 * Options end at the first word that is none when @shorts begins with "+". Begin with ":" never;
 * it is added. Return: as getopt_long(); '?' after printing a usage error: return EXIT_USAGE.
 */
int arg_getopt(int argc, char **argv, const char *shorts, const struct option *longs);

#endif
