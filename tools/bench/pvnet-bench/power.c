// SPDX-License-Identifier: GPL-2.0
/*
 * What a t test would have seen. GSL has no noncentral t, so integrate: given
 * the sample's s.d. (a scaled chi), the statistic is normal.
 */
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>

#include "stats.h"

#define TAIL	1e-13	/* of the chi distribution, left out at each end */
#define PANELS	200

struct test {
	double df, ncp, critical;
};

/* P(|T| > critical) if the s.d. comes out as s times the true one, times s's density */
static double seen_given(double s, void *arg)
{
	const struct test *t = arg;
	double seen = gsl_cdf_ugaussian_Q(t->critical * s - t->ncp) +
		      gsl_cdf_ugaussian_P(-t->critical * s - t->ncp);

	return seen * 2 * t->df * s * gsl_ran_chisq_pdf(t->df * s * s, t->df);
}

double stats_power(double df, double ncp)
{
	struct test t = { df, ncp };
	gsl_function f = { seen_given, &t };
	gsl_integration_workspace *w;
	double power = NAN, error;
	gsl_error_handler_t *old;

	if (!(df > 0) || !isfinite(ncp))
		return NAN;
	t.critical = gsl_cdf_tdist_Pinv(1 - ALPHA / 2, df);
	w = gsl_integration_workspace_alloc(PANELS);
	if (!w)
		return NAN;
	old = gsl_set_error_handler_off();
	gsl_integration_qag(&f, sqrt(gsl_cdf_chisq_Pinv(TAIL, df) / df),
			    sqrt(gsl_cdf_chisq_Qinv(TAIL, df) / df), 1e-11, 1e-10,
			    PANELS, GSL_INTEG_GAUSS21, w, &power, &error);
	gsl_set_error_handler(old);
	gsl_integration_workspace_free(w);
	return power;
}

/* Power grows with ncp, so halve an interval that holds the answer. */
double stats_detectable(double df)
{
	double lo = 0, hi = 4, mid;
	int i;

	if (!(df > 0))
		return NAN;
	while (stats_power(df, hi) < POWER && hi < 1e6)
		hi *= 2;
	for (i = 0; i < 50 && hi - lo > 1e-10 * hi; i++) {
		mid = (lo + hi) / 2;
		if (stats_power(df, mid) < POWER)
			lo = mid;
		else
			hi = mid;
	}
	return (lo + hi) / 2;
}
