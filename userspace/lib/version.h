/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The version of the command. */
#ifndef NETTOLL_LIB_VERSION_H
#define NETTOLL_LIB_VERSION_H

#ifndef NETTOLL_VERSION
#define NETTOLL_VERSION	"0.1.0"
#endif

#endif
