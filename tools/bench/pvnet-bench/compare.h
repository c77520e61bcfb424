/* SPDX-License-Identifier: GPL-2.0 */
/* From two series to a verdict */
#ifndef _BENCH_COMPARE_H
#define _BENCH_COMPARE_H

#include "series.h"
#include "stats.h"

enum verdict { REFUSED, FASTER, SLOWER, SAME, CANNOT_TELL };

struct comparison {
	char refused[160];	/* why there is no verdict */
	bool paired, no_spread;
	size_t na, nb, pairs;
	double ratio, lo, hi;	/* of b to a, with its interval */
	double p, p_holm;	/* of the test that the verdict is from */
	double p_welch, p_ranks, p_same;
	double effect;		/* Cohen's d, of the logarithms */
	double sees;		/* a ratio further from 1 than this, less 1, is found with POWER */
	enum verdict verdict;
	bool small;		/* faster or slower, but within the margin */
};

/* margin is a part of 1. p_holm is p, until compare_all(). */
void compare(const struct series *a, const struct series *b, bool paired, double margin,
	     struct comparison *c);

/* Adjusts p over the table, and gives the verdicts */
void compare_all(struct comparison *c, size_t n);

/* In words, of at most size bytes */
void compare_words(const struct comparison *c, double margin, char *text, size_t size);

#endif
