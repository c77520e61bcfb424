/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_COUNTERS_H
#define _BENCH_COUNTERS_H

#include <jansson.h>

/* "NAME: NUMBER" lines of ethtool -S as an object; queues ("q3_") are added up. */
json_t *counters_read(const char *text);

/* What has been added since; those that went back, as after a new connect, are left out. */
json_t *counters_added(const json_t *before, const json_t *after);

#endif
