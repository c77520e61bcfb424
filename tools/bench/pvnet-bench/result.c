// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "result.h"

static void no_figures(struct result *r)
{
	r->goodput = r->sent = r->loss = r->seconds = r->warmup = NAN;
	r->width[WIDTH_THROUGHPUT] = r->width[WIDTH_LOCAL_CPU] = r->width[WIDTH_REMOTE_CPU] = NAN;
	r->p50 = r->p99 = NAN;
	r->nr_samples = 0;
}

void result_init(struct result *r)
{
	memset(r, 0, offsetof(struct result, sample));
	no_figures(r);
}

/* Reasons end up in tables: one line, and nothing that a terminal acts on. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if (!isprint((unsigned char)*s))
			*s = ' ';
}

bool result_fail(struct result *r, const char *fmt, ...)
{
	va_list ap;

	if (!*r->failed) {
		va_start(ap, fmt);
		vsnprintf(r->failed, sizeof(r->failed), fmt, ap);
		va_end(ap);
		make_printable(r->failed);
	}
	no_figures(r);
	return false;
}

bool result_plausible(struct result *r)
{
	double most = r->unit == UNIT_BITS ? FASTEST : 1e9;

	if (!isfinite(r->goodput) || !isfinite(r->seconds))
		return result_fail(r, "no figure of the receiver");
	if (r->goodput < 0 || r->goodput > most || r->seconds <= 0)
		return result_fail(r, "impossible: %g in %g s", r->goodput, r->seconds);
	if (r->goodput == 0)
		return result_fail(r, "nothing arrived");
	if (!isnan(r->sent) && (r->sent < 0 || r->sent > most))
		return result_fail(r, "impossible: %g sent", r->sent);
	if (!isnan(r->loss) && (r->loss < 0 || r->loss > 1))
		return result_fail(r, "impossible: loss of %g %%", 100 * r->loss);
	if (r->p50 < 0 || r->p99 < r->p50)
		return result_fail(r, "impossible: latency of %g and %g us", r->p50, r->p99);
	return true;
}
