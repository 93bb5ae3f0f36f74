// SPDX-License-Identifier: GPL-2.0-only
/* The trace events of the fast paths are made here. */
#define CREATE_TRACE_POINTS
#include "trace.h"
