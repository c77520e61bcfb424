/* SPDX-License-Identifier: GPL-2.0 */
/* The runs of one cell with one variant, out of a file of results */
#ifndef _BENCH_SERIES_H
#define _BENCH_SERIES_H

#include <jansson.h>

#include "result.h"

struct series {
	enum unit unit;
	size_t n, failed;
	double *value;		/* goodput */
	unsigned int *block, *place;
	double sent, loss, p50, p99;	/* means, NAN if not known */
	size_t missed;		/* runs whose netperf confidence was not reached */
	size_t unsteady;	/* runs that rose or fell by more than STEADY */
	char why[200];		/* of the first that failed */
};

#define STEADY	0.1	/* second half of a run against the first */

void series_read(const json_t *root, const char *variant, const char *cell, struct series *s);
void series_free(struct series *s);

/* From one mean for each block: what runs share since a cold start does not count as many. */
void series_by_group(struct series *s);

/* Not to be thrown away, but to be looked at: the furthest from the mean, by Grubbs' test */
bool series_outlier(const struct series *s, unsigned int *block);

/* How much more (of 1) runs at the first place of their group show than the rest; NAN if there is one place */
double series_first_place(const struct series *s);

#endif
