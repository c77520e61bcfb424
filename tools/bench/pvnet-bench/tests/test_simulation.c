// SPDX-License-Identifier: GPL-2.0
/* The promises of intervals and tests, counted over seeded draws. */
#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "../stats.h"
#include "ktap.h"

#define DRAWS	10000
#define N	10
#define TRUTH	6.24
#define SD	0.032

static void draw(gsl_rng *rng, double *v, double truth)
{
	int i;

	for (i = 0; i < N; i++)
		v[i] = truth + gsl_ran_gaussian_ziggurat(rng, SD);
}

static void coverage(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned int covered = 0, i;
	struct summary s;
	double v[N];

	for (i = 0; i < DRAWS; i++) {
		draw(rng, v, TRUTH);
		stats_summary(v, N, &s);
		covered += s.lo <= TRUTH && TRUTH <= s.hi;
	}
	gsl_rng_free(rng);
	at("%u of %u covered", covered, DRAWS);
	EXPECT(covered >= 0.94 * DRAWS && covered <= 0.96 * DRAWS);
}

/* As compare does: logarithms, paired and not; and the ranks, which are discrete. */
static void same_build_twice(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned int welch = 0, paired = 0, ranks = 0, i, k;
	double a[N], b[N], d[N];
	struct utest u;
	struct ttest t;

	for (i = 0; i < DRAWS; i++) {
		draw(rng, a, TRUTH);
		draw(rng, b, TRUTH);
		for (k = 0; k < N; k++) {
			a[k] = log(a[k]);
			b[k] = log(b[k]);
			d[k] = b[k] - a[k];
		}
		welch += !stats_welch(a, N, b, N, &t) && t.p < ALPHA;
		paired += !stats_one(d, N, &t) && t.p < ALPHA;
		ranks += !stats_mann_whitney(a, N, b, N, &u) && u.p < ALPHA;
	}
	gsl_rng_free(rng);
	at("different: Welch %u, paired %u, ranks %u of %u", welch, paired, ranks, DRAWS);
	EXPECT(welch >= 0.04 * DRAWS && welch <= 0.06 * DRAWS);
	EXPECT(paired >= 0.04 * DRAWS && paired <= 0.06 * DRAWS);
	EXPECT(ranks >= 0.04 * DRAWS && ranks <= 0.06 * DRAWS);
}

/* So few that ranks can reach 0.03 or 0.06 but nothing between; t tests keep their promise. */
static void fewest_runs(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned int welch = 0, paired = 0, i, k;
	double a[N], b[N], d[N];
	struct ttest t;

	for (i = 0; i < DRAWS; i++) {
		draw(rng, a, TRUTH);
		draw(rng, b, TRUTH);
		for (k = 0; k < LEAST_RUNS; k++)
			d[k] = log(b[k] / a[k]);
		welch += !stats_welch(a, LEAST_RUNS, b, LEAST_RUNS, &t) && t.p < ALPHA;
		paired += !stats_one(d, LEAST_RUNS, &t) && t.p < ALPHA;
	}
	gsl_rng_free(rng);
	at("different: Welch %u, paired %u of %u", welch, paired, DRAWS);
	EXPECT(welch >= 0.04 * DRAWS && welch <= 0.06 * DRAWS);
	EXPECT(paired >= 0.04 * DRAWS && paired <= 0.06 * DRAWS);
}

/* An effect of the size that is called detectable is found in POWER of the cases. */
static void detectable(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double a[N], b[N], effect = stats_detectable(2 * N - 2) * SD * sqrt(2. / N);
	unsigned int seen = 0, i;
	struct ttest t;

	for (i = 0; i < DRAWS; i++) {
		draw(rng, a, TRUTH);
		draw(rng, b, TRUTH + effect);
		seen += !stats_welch(a, N, b, N, &t) && t.p < ALPHA;
	}
	gsl_rng_free(rng);
	at("%u of %u seen", seen, DRAWS);
	EXPECT(seen >= (POWER - 0.02) * DRAWS && seen <= (POWER + 0.02) * DRAWS);
}

SUITE(simulation,
	{ "95 % intervals cover 94 to 96 % of 10000 draws", coverage },
	{ "the same build twice is called different in 4 to 6 %", same_build_twice },
	{ "so do t tests of the fewest runs that are compared", fewest_runs },
	{ "a detectable effect is detected in 80 %", detectable });
