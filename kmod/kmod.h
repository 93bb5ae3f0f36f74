/* SPDX-License-Identifier: GPL-2.0-only */
/* Read before every file of the module: how its messages begin. */
#define pr_fmt(fmt) "nettoll: " fmt
