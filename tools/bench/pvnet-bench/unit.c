// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "unit.h"

const char *unit_scale(enum unit unit, double value, double *divisor)
{
	if (unit == UNIT_TRANSACTIONS) {
		*divisor = 1;
		return "/s";
	}
	*divisor = value >= 1e10 ? 1e9 : value >= 1e6 ? 1e6 : 1e3;
	return value >= 1e10 ? "Gb/s" : value >= 1e6 ? "Mb/s" : "kb/s";
}

void unit_digits(double value, char *text, size_t size)
{
	double v = fabs(value);

	snprintf(text, size, "%.*f", v >= 1000 ? 0 : v >= 100 ? 1 : v >= 10 ? 2 : 3, value);
}

void unit_print(enum unit unit, double value, char *text, size_t size)
{
	char digits[40];
	double divisor;
	const char *name = unit_scale(unit, value, &divisor);

	unit_digits(value / divisor, digits, sizeof(digits));
	snprintf(text, size, "%s %s", digits, name);
}
