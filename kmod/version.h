/* SPDX-License-Identifier: GPL-2.0-only */
#define NETTOLL_VERSION "0.1.0"
