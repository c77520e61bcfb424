// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "series.h"
#include "stats.h"

static double number(const json_t *run, const char *key)
{
	const json_t *v = json_object_get(run, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static bool is_of(const json_t *run, const char *variant, const char *cell)
{
	const char *v = json_string_value(json_object_get(run, "variant"));
	const char *c = json_string_value(json_object_get(run, "cell"));

	return v && c && !strcmp(v, variant) && !strcmp(c, cell);
}

static bool unsteady(const json_t *samples)
{
	size_t n = json_array_size(samples), i;
	double first = 0, second = 0;

	/* Of a few intervals, the halves are too short to tell. */
	if (n < 6)
		return false;
	for (i = 0; i < n / 2; i++) {
		first += json_number_value(json_array_get(samples, i));
		second += json_number_value(json_array_get(samples, n - 1 - i));
	}
	return first > 0 && fabs(second / first - 1) > STEADY;
}

/* What a run may have beside its result */
enum { SENT, LOSS, P50, P99, NR_BESIDE };

static const char *const beside[NR_BESIDE] = { "sent", "loss", "p50_us", "p99_us" };

struct mean {
	double sum;
	size_t n;
};

static double mean_of(const struct mean *m)
{
	return m->n ? m->sum / m->n : NAN;
}

static void add_run(const json_t *run, struct series *s, struct mean *mean)
{
	const char *failed = json_string_value(json_object_get(run, "failed"));
	const char *unit = json_string_value(json_object_get(run, "unit"));
	double goodput = number(run, "goodput"), v;
	int i;

	if (failed || !(goodput > 0)) {
		if (!s->failed++)
			snprintf(s->why, sizeof(s->why), "%s", failed ?: "no figure in the file");
		return;
	}
	s->unit = unit && !strcmp(unit, "transactions/s") ? UNIT_TRANSACTIONS : UNIT_BITS;
	s->value[s->n] = goodput;
	s->block[s->n] = json_integer_value(json_object_get(run, "block"));
	s->place[s->n] = json_integer_value(json_object_get(run, "place"));
	s->n++;
	for (i = 0; i < NR_BESIDE; i++) {
		v = number(run, beside[i]);
		mean[i].sum += isnan(v) ? 0 : v;
		mean[i].n += !isnan(v);
	}
	s->missed += json_is_true(json_object_get(run, "confidence_missed"));
	s->unsteady += unsteady(json_object_get(run, "samples"));
}

void series_read(const json_t *root, const char *variant, const char *cell, struct series *s)
{
	const json_t *runs = json_object_get(root, "runs"), *run;
	size_t i, most = json_array_size(runs) + 1;
	struct mean mean[NR_BESIDE] = { };

	memset(s, 0, sizeof(*s));
	s->value = calloc(most, sizeof(*s->value));
	s->block = calloc(most, sizeof(*s->block));
	s->place = calloc(most, sizeof(*s->place));
	if (!s->value || !s->block || !s->place)
		exit(1);
	json_array_foreach(runs, i, run)
		if (is_of(run, variant, cell))
			add_run(run, s, mean);
	s->sent = mean_of(&mean[SENT]);
	s->loss = mean_of(&mean[LOSS]);
	s->p50 = mean_of(&mean[P50]);
	s->p99 = mean_of(&mean[P99]);
}

void series_free(struct series *s)
{
	free(s->value);
	free(s->block);
	free(s->place);
}

void series_by_group(struct series *s)
{
	size_t i, k, groups = 0, runs;
	double sum;

	/* Group k takes the place of its first run, which is never before place k. */
	for (i = 0; i < s->n; i++) {
		for (k = 0; k < groups && s->block[k] != s->block[i]; k++)
			;
		if (k < groups)
			continue;
		sum = 0;
		runs = 0;
		for (k = i; k < s->n; k++)
			if (s->block[k] == s->block[i]) {
				sum += log(s->value[k]);
				runs++;
			}
		s->value[groups] = exp(sum / runs);
		s->block[groups] = s->block[i];
		s->place[groups++] = 0;
	}
	s->n = groups;
}

bool series_outlier(const struct series *s, unsigned int *block)
{
	double limit = stats_outlier_limit(s->n), furthest = 0, away;
	struct summary all;
	size_t i;

	stats_summary(s->value, s->n, &all);
	for (i = 0; i < s->n; i++) {
		away = fabs(s->value[i] - all.mean);
		if (away > furthest) {
			furthest = away;
			*block = s->block[i];
		}
	}
	/* False where there is no limit, or no spread */
	return furthest > limit * all.sd;
}

double series_first_place(const struct series *s)
{
	double first = 0, rest = 0;
	size_t i, nr_first = 0, nr_rest = 0;

	for (i = 0; i < s->n; i++) {
		if (s->place[i]) {
			rest += log(s->value[i]);
			nr_rest++;
		} else {
			first += log(s->value[i]);
			nr_first++;
		}
	}
	return nr_first && nr_rest ? expm1(first / nr_first - rest / nr_rest) : NAN;
}
