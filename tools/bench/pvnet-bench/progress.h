/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_PROGRESS_H
#define _BENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* On a terminal a bar with the time left; elsewhere nothing but the lines. */
struct progress {
	size_t done, total;
	double left;		/* seconds, of runs that are to come */
	double began, expected;	/* of the one at work */
	char what[100];
};

void progress_begin(const struct progress *p);	/* p is read while commands run */
void progress_end(void);

__attribute__((__format__(__printf__, 1, 2)))
void progress_line(const char *fmt, ...);

void progress_time(double seconds, char *text, size_t size);

#endif
