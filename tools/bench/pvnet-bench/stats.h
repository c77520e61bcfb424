/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics on plain arrays of doubles. Pure: no I/O, no state. A function that
 * cannot answer returns the reason as a string, NULL means that it could;
 * NAN in a result means "there is no such figure".
 */
#ifndef _BENCH_STATS_H
#define _BENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIDENCE	0.95	/* of every interval */
#define ALPHA		0.05	/* of every claim of a difference */
#define POWER		0.8	/* at which the detectable effect is given */
#define LEAST_RUNS	5	/* on each side; with 3, no rank test can ever tell */
#define EXACT_BELOW	50	/* Mann-Whitney counts all orders up to here */

struct summary {
	size_t n;
	double mean, sd, cv, median, min, max;
	double lo, hi;		/* interval of the mean */
};

void stats_summary(const double *v, size_t n, struct summary *s);

/* How far b is from a, by a t statistic */
struct ttest {
	double diff, se, df;
	double t, p;		/* two-sided */
	double lo, hi;		/* interval of diff */
	bool no_spread;		/* se is 0: p is its limit, 0 or 1 */
};

const char *stats_one(const double *d, size_t n, struct ttest *t);
const char *stats_welch(const double *a, size_t na, const double *b, size_t nb, struct ttest *t);

/* Is diff inside (-margin, margin)? Two one-sided tests; the p of the worse. */
double stats_tost(const struct ttest *t, double lo, double hi);

struct utest {
	double u, p;		/* two-sided */
	bool exact;
};

const char *stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb,
			       struct utest *u);

/* adjusted[i] belongs to p[i]; a p of NAN is no test, and does not count. */
void stats_holm(const double *p, size_t n, double *adjusted);

/* Of a two-sided t test with df degrees, if the truth is ncp standard errors away */
double stats_power(double df, double ncp);

/* How many standard errors away the truth must be to be seen with POWER */
double stats_detectable(double df);

/* Grubbs' test: a value further than this from the mean, in s.d., is an outlier at 1 % */
double stats_outlier_limit(size_t n);

/* At most this many of n tests at ALPHA call a difference that is not there, in 98 % of cases */
unsigned int stats_most_false(unsigned int n);

#endif
