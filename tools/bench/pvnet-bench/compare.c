// SPDX-License-Identifier: GPL-2.0
/*
 * Rates are compared as ratios, so their logarithms are tested. Runs of the same
 * block and place are pairs: what drifts over hours is the same for both.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

struct logs {
	double *a, *b, *diff;	/* diff: of pairs */
	size_t na, nb, pairs;
};

static double *log_of(const struct series *s)
{
	double *v = calloc(s->n + 1, sizeof(*v));
	size_t i;

	if (!v)
		exit(1);
	for (i = 0; i < s->n; i++)
		v[i] = log(s->value[i]);
	return v;
}

static void logs_make(const struct series *a, const struct series *b, struct logs *l)
{
	size_t i, k;

	*l = (struct logs){ log_of(a), log_of(b), calloc(a->n + 1, sizeof(double)), a->n, b->n, 0 };
	if (!l->diff)
		exit(1);
	for (i = 0; i < a->n; i++)
		for (k = 0; k < b->n; k++)
			if (a->block[i] == b->block[k] && a->place[i] == b->place[k]) {
				l->diff[l->pairs++] = l->b[k] - l->a[i];
				break;
			}
}

static void logs_free(struct logs *l)
{
	free(l->a);
	free(l->b);
	free(l->diff);
}

__attribute__((__format__(__printf__, 2, 3)))
static void refuse(struct comparison *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->refused, sizeof(c->refused), fmt, ap);
	va_end(ap);
}

/* Too few runs make no claim, whatever they say. */
static bool enough(struct comparison *c, const struct series *a, const struct series *b)
{
	size_t least = a->n < b->n ? a->n : b->n;
	const char *why = a->failed ? a->why : b->why;

	if (c->paired)
		least = c->pairs;
	if (least >= LEAST_RUNS)
		return true;
	if (a->failed || b->failed)
		refuse(c, "%zu %s, at least %d are needed; %zu failed: %s", least,
		       c->paired ? "pairs" : "runs", LEAST_RUNS, a->failed + b->failed, why);
	else
		refuse(c, "%zu %s, at least %d are needed", least, c->paired ? "pairs" : "runs",
		       LEAST_RUNS);
	return false;
}

static double cohens_d(const struct logs *l)
{
	struct summary a, b;
	double pooled;

	stats_summary(l->a, l->na, &a);
	stats_summary(l->b, l->nb, &b);
	pooled =
		sqrt((a.sd * a.sd * (l->na - 1) + b.sd * b.sd * (l->nb - 1)) / (l->na + l->nb - 2));
	return pooled > 0 ? (b.mean - a.mean) / pooled : NAN;
}

/* -margin as a ratio is 1 / (1 + margin): slower by it is faster by it the other way round. */
static void from_test(struct comparison *c, const struct ttest *t, double margin)
{
	c->no_spread = t->no_spread;
	c->ratio = exp(t->diff);
	c->lo = exp(t->lo);
	c->hi = exp(t->hi);
	c->p = c->p_holm = t->p;
	c->p_same = stats_tost(t, -log1p(margin), log1p(margin));
	c->sees = t->no_spread ? 0 : expm1(stats_detectable(t->df) * t->se);
}

static const char *test(struct comparison *c, const struct logs *l, double margin)
{
	struct ttest welch, paired;
	struct utest ranks;
	const char *why;

	why = stats_welch(l->a, l->na, l->b, l->nb, &welch);
	why = why ?: stats_mann_whitney(l->a, l->na, l->b, l->nb, &ranks);
	why = why ?: c->paired ? stats_one(l->diff, l->pairs, &paired) : NULL;
	if (why)
		return why;
	c->p_welch = welch.p;
	c->p_ranks = ranks.p;
	c->effect = cohens_d(l);
	from_test(c, c->paired ? &paired : &welch, margin);
	return NULL;
}

void compare(const struct series *a, const struct series *b, bool paired, double margin,
	     struct comparison *c)
{
	const char *why;
	struct logs l;

	*c = (struct comparison) {
		.paired = paired, .na = a->n, .nb = b->n, .ratio = NAN, .lo = NAN, .hi = NAN,
		.p = NAN, .p_holm = NAN, .p_welch = NAN, .p_ranks = NAN, .p_same = NAN,
		.effect = NAN, .sees = NAN,
	};
	logs_make(a, b, &l);
	c->pairs = paired ? l.pairs : 0;
	if (a->n && b->n && a->unit != b->unit) {
		refuse(c, "bits and transactions do not compare");
	} else if (enough(c, a, b)) {
		why = test(c, &l, margin);
		if (why)
			refuse(c, "%s", why);
	}
	logs_free(&l);
}

static void judge(struct comparison *c)
{
	if (*c->refused) {
		c->verdict = REFUSED;
		return;
	}
	if (c->p_holm < ALPHA) {
		c->verdict = c->ratio > 1 ? FASTER : SLOWER;
		c->small = c->p_same < ALPHA;
	} else {
		c->verdict = c->p_same < ALPHA ? SAME : CANNOT_TELL;
	}
}

void compare_all(struct comparison *c, size_t n)
{
	double *p = calloc(n + 1, sizeof(*p)), *adjusted = calloc(n + 1, sizeof(*adjusted));
	size_t i;

	if (!p || !adjusted)
		exit(1);
	for (i = 0; i < n; i++)
		p[i] = c[i].p;
	stats_holm(p, n, adjusted);
	for (i = 0; i < n; i++) {
		c[i].p_holm = adjusted[i];
		judge(&c[i]);
	}
	free(p);
	free(adjusted);
}

/* Two digits that count, but never 1.9e+02 */
static void percent(double part, char *text, size_t size)
{
	double v = 100 * fabs(part);

	snprintf(text, size, "%.*f %%", v < 0.995 ? 2 : v < 9.95 ? 1 : 0, v);
}

void compare_words(const struct comparison *c, double margin, char *text, size_t size)
{
	char by[40];

	percent(c->verdict == CANNOT_TELL ? c->sees : c->ratio - 1, by, sizeof(by));
	switch (c->verdict) {
	case REFUSED:
		snprintf(text, size, "refused: %s", c->refused);
		break;
	case FASTER:
	case SLOWER:
		snprintf(text, size, "%s by %s%s", c->verdict == FASTER ? "faster" : "slower", by,
			 c->small ? ", less than the margin" : "");
		break;
	case SAME:
		snprintf(text, size, "same within %g %%", 100 * margin);
		break;
	case CANNOT_TELL:
		snprintf(text, size, "cannot tell; sees %s", by);
		break;
	}
}
