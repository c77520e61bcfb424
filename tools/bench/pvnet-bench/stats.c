// SPDX-License-Identifier: GPL-2.0
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "stats.h"

#define OUTLIER_ALPHA	0.01	/* two-sided */

static const char too_few[] = "fewer than 2 values";
static const char not_finite[] = "a value is not a finite number";

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool all_finite(const double *v, size_t n)
{
	while (n--)
		if (!isfinite(v[n]))
			return false;
	return true;
}

static double mean_of(const double *v, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	return sum / n;
}

/* In two passes: the one-pass form cancels where the CV is small, as it is here. */
static double variance_of(const double *v, size_t n, double mean)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum / (n - 1);
}

static double median_of(const double *v, size_t n)
{
	double *sorted = malloc(n * sizeof(*sorted)), median;

	if (!sorted)
		return NAN;
	memcpy(sorted, v, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	median = (sorted[n / 2] + sorted[(n - 1) / 2]) / 2;
	free(sorted);
	return median;
}

static double t_quantile(double df)
{
	return gsl_cdf_tdist_Pinv(1 - (1 - CONFIDENCE) / 2, df);
}

void stats_summary(const double *v, size_t n, struct summary *s)
{
	double half;
	size_t i;

	*s = (struct summary) { n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	if (!n || !all_finite(v, n))
		return;
	s->mean = mean_of(v, n);
	s->median = median_of(v, n);
	s->min = s->max = v[0];
	for (i = 1; i < n; i++) {
		s->min = fmin(s->min, v[i]);
		s->max = fmax(s->max, v[i]);
	}
	if (n < 2)
		return;
	s->sd = sqrt(variance_of(v, n, s->mean));
	if (s->mean != 0)
		s->cv = s->sd / fabs(s->mean);
	half = t_quantile(n - 1) * s->sd / sqrt(n);
	s->lo = s->mean - half;
	s->hi = s->mean + half;
}

/*
 * The rest of a t test, from diff, se and df. Equal values may have a tiny
 * variance from rounding; size says how large the values are.
 */
static void finish_t(struct ttest *t, double size)
{
	double half;

	t->no_spread = t->se <= 8 * DBL_EPSILON * size;
	if (t->no_spread) {
		bool equal = fabs(t->diff) <= 8 * DBL_EPSILON * size;

		t->se = 0;
		t->diff = equal ? 0 : t->diff;
		t->t = equal ? 0 : copysign(INFINITY, t->diff);
		t->p = equal;
		t->lo = t->hi = t->diff;
		return;
	}
	t->t = t->diff / t->se;
	t->p = 2 * gsl_cdf_tdist_Q(fabs(t->t), t->df);
	half = t_quantile(t->df) * t->se;
	t->lo = t->diff - half;
	t->hi = t->diff + half;
}

const char *stats_one(const double *d, size_t n, struct ttest *t)
{
	if (n < 2)
		return too_few;
	if (!all_finite(d, n))
		return not_finite;
	t->diff = mean_of(d, n);
	t->se = sqrt(variance_of(d, n, t->diff) / n);
	t->df = n - 1;
	finish_t(t, fabs(t->diff));
	return NULL;
}

const char *stats_welch(const double *a, size_t na, const double *b, size_t nb, struct ttest *t)
{
	double ma, mb, va, vb;

	if (na < 2 || nb < 2)
		return too_few;
	if (!all_finite(a, na) || !all_finite(b, nb))
		return not_finite;
	ma = mean_of(a, na);
	mb = mean_of(b, nb);
	va = variance_of(a, na, ma) / na;
	vb = variance_of(b, nb, mb) / nb;
	t->diff = mb - ma;
	t->se = sqrt(va + vb);
	/* Without any spread the formula is 0 / 0; the degrees do not matter then. */
	t->df = va + vb > 0 ? (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1))
			    : NAN;
	if (!isfinite(t->df))
		t->df = na + nb - 2;
	finish_t(t, fmax(fabs(ma), fabs(mb)));
	return NULL;
}

double stats_tost(const struct ttest *t, double lo, double hi)
{
	if (t->no_spread)
		return t->diff > lo && t->diff < hi ? 0 : 1;
	return fmax(gsl_cdf_tdist_Q((t->diff - lo) / t->se, t->df),
		    gsl_cdf_tdist_P((t->diff - hi) / t->se, t->df));
}

struct rank_of {
	size_t rank;
	double p;
};

static int by_p(const void *a, const void *b)
{
	const struct rank_of *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

void stats_holm(const double *p, size_t n, double *adjusted)
{
	struct rank_of *order = calloc(n + 1, sizeof(*order));
	double highest = 0;
	size_t i, tests = 0;

	for (i = 0; i < n; i++) {
		adjusted[i] = NAN;
		if (order && !isnan(p[i]))
			order[tests++] = (struct rank_of) { i, p[i] };
	}
	if (!order)
		return;
	qsort(order, tests, sizeof(*order), by_p);
	for (i = 0; i < tests; i++) {
		highest = fmax(highest, fmin(1, order[i].p * (tests - i)));
		adjusted[order[i].rank] = highest;
	}
	free(order);
}

double stats_outlier_limit(size_t n)
{
	double t;

	if (n < 3)
		return NAN;
	t = gsl_cdf_tdist_Qinv(OUTLIER_ALPHA / (2 * n), n - 2);
	return (n - 1) / sqrt(n) * sqrt(t * t / (n - 2 + t * t));
}

unsigned int stats_most_false(unsigned int n)
{
	unsigned int k = 0;

	while (k < n && gsl_cdf_binomial_P(k, ALPHA, n) < 0.98)
		k++;
	return k;
}
