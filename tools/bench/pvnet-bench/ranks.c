// SPDX-License-Identifier: GPL-2.0
/* Mann-Whitney: is one sample stochastically larger than the other? */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "stats.h"

struct ranked {
	double v;
	bool of_b;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->v > y->v) - (x->v < y->v);
}

static struct ranked *merge(const double *a, size_t na, const double *b, size_t nb)
{
	struct ranked *all = malloc((na + nb) * sizeof(*all));
	size_t i;

	if (!all)
		return NULL;
	for (i = 0; i < na; i++)
		all[i] = (struct ranked) { a[i], false };
	for (i = 0; i < nb; i++)
		all[na + i] = (struct ranked) { b[i], true };
	qsort(all, na + nb, sizeof(*all), by_value);
	return all;
}

/*
 * The sum of b's ranks, equal values sharing the mean of theirs; *ties is the sum
 * of t^3 - t over groups of t equal values.
 */
static double rank_sum(const struct ranked *all, size_t n, double *ties)
{
	double sum = 0;
	size_t i, j, k;

	*ties = 0;
	for (i = 0; i < n; i = j) {
		for (j = i; j < n && all[j].v == all[i].v; j++)
			;
		for (k = i; k < j; k++)
			if (all[k].of_b)
				sum += (i + 1 + j) / 2.;
		*ties += pow(j - i, 3) - (j - i);
	}
	return sum;
}

/*
 * P(U <= u) if all orders are equally likely. The largest value is of one sample
 * or of the other: ways(m, n, u) = ways(m - 1, n, u - n) + ways(m, n - 1, u).
 * A row for each m, gone over once for each n.
 */
static double exact_cdf(size_t na, size_t nb, size_t u)
{
	size_t width = na * nb + 1, m, n, i;
	double *ways = calloc((na + 1) * width, sizeof(*ways));
	double below = 0, total = 0;

	if (!ways)
		return NAN;
	for (m = 0; m <= na; m++)
		ways[m * width] = 1;
	for (n = 1; n <= nb; n++)
		for (m = 1; m <= na; m++)
			for (i = n; i < width; i++)
				ways[m * width + i] += ways[(m - 1) * width + i - n];
	for (i = 0; i < width; i++) {
		total += ways[na * width + i];
		if (i <= u)
			below += ways[na * width + i];
	}
	free(ways);
	return below / total;
}

static double normal_p(double na, double nb, double u, double ties)
{
	double n = na + nb, centre = na * nb / 2, away = fabs(u - centre);
	double var = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));

	/* All values equal, or the step of U alone reaches the centre */
	if (var <= 0 || away <= 0.5)
		return 1;
	return 2 * gsl_cdf_ugaussian_Q((away - 0.5) / sqrt(var));
}

const char *stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb,
			       struct utest *u)
{
	struct ranked *all;
	double ties;
	size_t i;

	if (!na || !nb)
		return "a sample is empty";
	for (i = 0; i < na + nb; i++)
		if (!isfinite(i < na ? a[i] : b[i - na]))
			return "a value is not a finite number";
	all = merge(a, na, b, nb);
	if (!all)
		return "out of memory";
	u->u = rank_sum(all, na + nb, &ties) - nb * (nb + 1) / 2.;
	free(all);
	u->exact = ties == 0 && na < EXACT_BELOW && nb < EXACT_BELOW;
	if (u->exact)
		u->p = fmin(1, 2 * exact_cdf(na, nb, fmin(u->u, na * nb - u->u)));
	else
		u->p = normal_p(na, nb, u->u, ties);
	return NULL;
}
