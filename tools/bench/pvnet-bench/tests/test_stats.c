// SPDX-License-Identifier: GPL-2.0
/* Against reference.inc (how it was made: reference.py) and edge cases. */
#include <stdlib.h>

#include "../stats.h"
#include "ktap.h"
#include "reference.inc"

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct t_ref {
	double diff, se, df, t, p, lo, hi;
};

struct u_ref {
	double u, p;
};

static void expect_t(const struct ttest *got, const struct t_ref *want)
{
	EXPECT_NEAR(got->diff, want->diff);
	EXPECT_NEAR(got->se, want->se);
	EXPECT_NEAR(got->df, want->df);
	EXPECT_NEAR(got->t, want->t);
	EXPECT_NEAR(got->p, want->p);
	EXPECT_NEAR(got->lo, want->lo);
	EXPECT_NEAR(got->hi, want->hi);
	EXPECT(!got->no_spread);
}

static void t_tests(void)
{
	const struct t_ref sleep = WELCH_SLEEP, membrane = WELCH_MEMBRANE, paired = PAIRED_SLEEP;
	const double tost[] = TOST_SLEEP;
	double d[N(sleep1)];
	struct ttest t;
	size_t i;

	EXPECT(!stats_welch(sleep1, N(sleep1), sleep2, N(sleep2), &t));
	expect_t(&t, &sleep);
	at("unequal n");
	EXPECT(!stats_welch(membrane1, N(membrane1), membrane2, N(membrane2), &t));
	expect_t(&t, &membrane);
	at("paired");
	for (i = 0; i < N(d); i++)
		d[i] = sleep2[i] - sleep1[i];
	EXPECT(!stats_one(d, N(d), &t));
	expect_t(&t, &paired);
	EXPECT_NEAR(stats_tost(&t, 0, 3), tost[0]);
	EXPECT_NEAR(stats_tost(&t, -2, 2), tost[1]);
}

static void expect_u(const double *a, size_t na, const double *b, size_t nb, struct u_ref want,
		     bool exact)
{
	struct utest u;

	EXPECT(!stats_mann_whitney(a, na, b, nb, &u));
	EXPECT_NEAR(u.u, want.u);
	EXPECT_NEAR(u.p, want.p);
	EXPECT(u.exact == exact);
	/* The other way round is the same test. */
	EXPECT(!stats_mann_whitney(b, nb, a, na, &u));
	EXPECT_NEAR(u.u, na * nb - want.u);
	EXPECT_NEAR(u.p, want.p);
}

static void ranks(void)
{
	at("membrane");
	expect_u(membrane1, N(membrane1), membrane2, N(membrane2), (struct u_ref)RANKS_MEMBRANE,
		 true);
	at("sleep");
	expect_u(sleep1, N(sleep1), sleep2, N(sleep2), (struct u_ref) RANKS_SLEEP, false);
	at("tied");
	expect_u(tied1, N(tied1), tied2, N(tied2), (struct u_ref) RANKS_TIED, false);
}

static void smallest_rank_p(void)
{
	static const size_t n[] = { 3, 5, 10, 20 };
	const double want[] = RANKS_SMALLEST;
	double low[20], high[20];
	struct utest u;
	size_t i;

	for (i = 0; i < 20; i++) {
		low[i] = i;
		high[i] = 100 + i;
	}
	for (i = 0; i < N(n); i++) {
		at("n = %zu", n[i]);
		EXPECT(!stats_mann_whitney(low, n[i], high, n[i], &u));
		EXPECT_NEAR(u.p, want[i]);
	}
}

/* Beyond the exact count, the normal form must meet it. */
static void many_ranks(void)
{
	double a[EXACT_BELOW], b[EXACT_BELOW];
	struct utest exact, normal;
	size_t i;

	for (i = 0; i < EXACT_BELOW; i++) {
		a[i] = 2 * i;
		b[i] = 2 * i + 17;
	}
	EXPECT(!stats_mann_whitney(a, EXACT_BELOW - 1, b, EXACT_BELOW - 1, &exact));
	EXPECT(!stats_mann_whitney(a, EXACT_BELOW, b, EXACT_BELOW, &normal));
	EXPECT(exact.exact && !normal.exact);
	EXPECT_WITHIN(exact.p, normal.p, 0.15);
}

/* The published table of quantiles has 12.706, 4.303, 2.776, 2.262, 2.045. */
static void quantiles(void)
{
	static const size_t n[] = { 2, 3, 5, 10, 30 };
	const double want[] = QUANTILES;
	double v[30] = { };
	struct summary s;
	size_t i;

	for (i = 0; i < 30; i++)
		v[i] = i % 2 ? 1 : -1;
	for (i = 0; i < N(n); i++) {
		at("n = %zu", n[i]);
		stats_summary(v, n[i], &s);
		EXPECT_NEAR(s.hi - s.mean, want[i] * s.sd / sqrt(n[i]));
	}
}

static void summaries(void)
{
	static const double v[] = { 6.2, 6.3, 6.1, 6.4 };
	struct summary s;

	stats_summary(v, 4, &s);
	EXPECT_NEAR(s.mean, 6.25);
	EXPECT_NEAR(s.median, 6.25);
	EXPECT_NEAR(s.sd, sqrt(0.05 / 3));
	EXPECT_NEAR(s.cv, sqrt(0.05 / 3) / 6.25);
	EXPECT_NEAR(s.min, 6.1);
	EXPECT_NEAR(s.max, 6.4);
	at("three");
	stats_summary(v, 3, &s);
	EXPECT_NEAR(s.median, 6.2);
	at("one");
	stats_summary(v, 1, &s);
	EXPECT(s.n == 1 && s.mean == 6.2 && s.median == 6.2);
	EXPECT(isnan(s.sd) && isnan(s.cv) && isnan(s.lo) && isnan(s.hi));
	at("none");
	stats_summary(v, 0, &s);
	EXPECT(!s.n && isnan(s.mean));
}

static void holm(void)
{
	/* By hand: 0.01 * 4, 0.02 * 3, then 0.03 * 2 = 0.06 held up, then 0.5 */
	static const double p[] = { 0.02, NAN, 0.5, 0.01, 0.03 };
	static const double want[] = { 0.06, NAN, 0.5, 0.04, 0.06 };
	double got[5];
	size_t i;

	stats_holm(p, 5, got);
	for (i = 0; i < 5; i++)
		EXPECT_NEAR(got[i], want[i]);
	stats_holm((double[]) { 0.7, 0.8 }, 2, got);
	EXPECT_NEAR(got[0], 1);
	EXPECT_NEAR(got[1], 1);
	stats_holm(NULL, 0, NULL);
}

static void expect_power(const double *ref)
{
	at("df %g ncp %g", ref[0], ref[1]);
	EXPECT_NEAR(stats_power(ref[0], ref[1]), ref[2]);
}

static void power(void)
{
	static const double df[] = { 4, 8, 18, 38 };
	const double want[] = DETECTABLE;
	size_t i;

	expect_power((double[]) POWER_A);
	expect_power((double[]) POWER_B);
	expect_power((double[]) POWER_C);
	expect_power((double[]) POWER_D);
	at("R's power.t.test(n = 20, delta = 1), which leaves the far tail out");
	EXPECT_NEAR(stats_power(38, sqrt(10)), 0.8689528);
	at("no effect");
	EXPECT_NEAR(stats_power(7, 0), ALPHA);
	for (i = 0; i < N(df); i++) {
		at("detectable, df %g", df[i]);
		EXPECT_NEAR(stats_detectable(df[i]), want[i]);
		EXPECT_NEAR(stats_power(df[i], stats_detectable(df[i])), POWER);
	}
	at("no degrees");
	EXPECT(isnan(stats_detectable(0)) && isnan(stats_power(0, 1)));
}

static void no_spread(void)
{
	static const double a[] = { 0.1, 0.1, 0.1, 0.1, 0.1 },
			    b[] = { 0.3, 0.3, 0.3, 0.3, 0.3, 0.3 };
	struct utest u;
	struct ttest t;

	at("equal");
	EXPECT(!stats_welch(a, 5, a, 3, &t));
	EXPECT(t.no_spread && t.p == 1 && t.lo == 0 && t.hi == 0);
	EXPECT(stats_tost(&t, -0.1, 0.1) == 0);
	at("apart");
	EXPECT(!stats_welch(a, 5, b, 6, &t));
	EXPECT(t.no_spread && t.p == 0);
	EXPECT_NEAR(t.diff, 0.2);
	EXPECT_NEAR(t.df, 9);
	EXPECT(stats_tost(&t, -0.1, 0.1) == 1);
	at("one side");
	EXPECT(!stats_welch(a, 5, sleep1, N(sleep1), &t));
	EXPECT(!t.no_spread && t.p > 0 && t.p < 1);
	EXPECT_NEAR(t.df, N(sleep1) - 1);
	at("one sample");
	EXPECT(!stats_one(b, 6, &t));
	EXPECT(t.no_spread && t.p == 0);
	EXPECT(!stats_one((double[]) { 0, 0, 0 }, 3, &t));
	EXPECT(t.no_spread && t.p == 1);
	at("ranks");
	EXPECT(!stats_mann_whitney(a, 5, a, 5, &u));
	EXPECT(u.p == 1);
}

static void too_few(void)
{
	static const double v[] = { 1, 2, NAN };
	struct utest u;
	struct ttest t;

	EXPECT_HAS(stats_welch(v, 1, v, 2, &t), "fewer than 2");
	EXPECT_HAS(stats_welch(v, 2, v, 0, &t), "fewer than 2");
	EXPECT_HAS(stats_one(v, 1, &t), "fewer than 2");
	EXPECT_HAS(stats_one(v, 3, &t), "not a finite");
	EXPECT_HAS(stats_mann_whitney(v, 0, v, 1, &u), "empty");
	EXPECT_HAS(stats_mann_whitney(v, 3, v, 1, &u), "not a finite");
	EXPECT(!stats_mann_whitney(v, 1, v + 1, 1, &u) && u.p == 1);
}

/* Grubbs' published table, two-sided 1 %, to its digits */
static void outliers(void)
{
	EXPECT_WITHIN(stats_outlier_limit(5), 1.764, 5e-4);
	EXPECT_WITHIN(stats_outlier_limit(7), 2.139, 5e-4);
	EXPECT_WITHIN(stats_outlier_limit(10), 2.482, 5e-4);
	EXPECT(isnan(stats_outlier_limit(2)));
}

/* P(at most 3 of 20 at 5 %) = 0.984 */
static void false_calls(void)
{
	EXPECT(stats_most_false(20) == 3);
	EXPECT(stats_most_false(1) == 1);
	EXPECT(stats_most_false(0) == 0);
}

SUITE(stats,
	{ "Welch, paired t and TOST meet the reference to 1e-6", t_tests },
	{ "Mann-Whitney: exact, and normal with ties", ranks },
	{ "the smallest p of n runs", smallest_rank_p },
	{ "Mann-Whitney: the normal form meets the exact one", many_ranks },
	{ "half widths are t(n-1) sd / sqrt(n)", quantiles },
	{ "summaries, down to one value and none", summaries },
	{ "Holm", holm },
	{ "power and detectable effects", power },
	{ "no spread: limits, no division by zero", no_spread },
	{ "too few values are refused", too_few },
	{ "limits of outliers", outliers },
	{ "how many false calls are plausible", false_calls });
