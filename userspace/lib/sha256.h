/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash that names a state: SHA-256 as in FIPS 180-4. */
#ifndef NETTOLL_LIB_SHA256_H
#define NETTOLL_LIB_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_TEXT	65	/* hexadecimal, with its end */

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);

/** sha256_text() - the hash of all that was added, in lower case; nothing can be added afterwards */
void sha256_text(struct sha256 *s, char text[SHA256_TEXT]);

#endif
