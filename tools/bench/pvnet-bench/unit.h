/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_UNIT_H
#define _BENCH_UNIT_H

#include <stddef.h>

#include "result.h"

/* The unit in which people read a rate of this size, and what to divide by */
const char *unit_scale(enum unit unit, double value, double *divisor);
void unit_print(enum unit unit, double value, char *text, size_t size);

/* Three to four digits that count */
void unit_digits(double value, char *text, size_t size);

#endif
