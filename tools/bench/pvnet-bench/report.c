// SPDX-License-Identifier: GPL-2.0
/* What has been measured, without a judgement */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "series.h"
#include "stats.h"
#include "store.h"
#include "unit.h"

enum form report_form(const struct options *o)
{
	return o->csv ? FORM_CSV : o->markdown ? FORM_MARKDOWN : FORM_TERMINAL;
}

FILE *report_notes(enum form form)
{
	return form == FORM_CSV ? stderr : stdout;
}

json_t *report_load(const char *path)
{
	char *why;
	json_t *root = store_load(path, &why);

	if (root)
		return root;
	fprintf(stderr, "pvnet-bench: %s\n", why);
	free(why);
	return NULL;
}

const char *report_variant(const json_t *root, size_t i)
{
	return json_string_value(json_array_get(json_object_get(root, "variants"), i));
}

const char *report_cell(const json_t *root, size_t i)
{
	return json_string_value(
		json_object_get(json_array_get(json_object_get(root, "cells"), i), "name"));
}

static void header(struct table *t)
{
	static const char *const names[] = {
		"cell", "variant", "n", "failed", "unit", "mean", "s.d.", "CV %", "median",
		"95 % from", "to", "sent", "lost %", "p50 us", "p99 us",
	};
	size_t i;

	table_init(t, sizeof(names) / sizeof(names[0]));
	for (i = 0; i < t->columns; i++)
		table_add(t, "%s", names[i]);
}

static void add_series(struct table *t, enum form form, const char *cell, const char *variant,
		       const struct series *s)
{
	double divisor = 1;
	struct summary sum;
	const char *unit;

	stats_summary(s->value, s->n, &sum);
	unit = unit_scale(s->unit, s->n ? sum.mean : 1e6, &divisor);
	if (form == FORM_CSV) {
		unit = s->unit == UNIT_BITS ? "bits/s" : "transactions/s";
		divisor = 1;
	}
	table_add(t, "%s", cell);
	table_add(t, "%s", variant);
	table_add(t, "%zu", s->n);
	table_add(t, "%zu", s->failed);
	table_add(t, "%s", unit);
	table_number(t, form, sum.mean / divisor);
	table_number(t, form, sum.sd / divisor);
	table_number(t, form, 100 * sum.cv);
	table_number(t, form, sum.median / divisor);
	table_number(t, form, sum.lo / divisor);
	table_number(t, form, sum.hi / divisor);
	table_number(t, form, s->sent / divisor);
	table_number(t, form, 100 * s->loss);
	table_number(t, form, s->p50);
	table_number(t, form, s->p99);
}

static void notes(FILE *out, const char *cell, const char *variant, const struct series *s)
{
	unsigned int block = 0;
	double first = series_first_place(s);

	if (s->failed)
		fprintf(out, "%s, %s: %zu of %zu runs failed: %s\n", cell, variant, s->failed,
			s->failed + s->n, s->why);
	if (series_outlier(s, &block))
		fprintf(out, "%s, %s: the run in block %u is far from the others; not left out\n",
			cell, variant, block);
	if (s->unsteady)
		fprintf(out,
			"%s, %s: %zu of %zu runs had no steady state (halves differ by over %g %%)\n",
			cell, variant, s->unsteady, s->n, 100 * STEADY);
	if (s->missed)
		fprintf(out, "%s, %s: in %zu of %zu runs netperf did not reach its confidence\n",
			cell, variant, s->missed, s->n);
	if (!isnan(first))
		fprintf(out,
			"%s, %s: the first run of a group shows %+.2g %% against the rest of it\n",
			cell, variant, 100 * first);
}

static void title(const json_t *root, FILE *out)
{
	const json_t *plan = json_object_get(root, "plan");

	fprintf(out, "%s%s; seed %lld\n\n", json_string_value(json_object_get(plan, "title")) ?: "",
		json_is_true(json_object_get(plan, "small")) ? " (small)" : "",
		(long long)json_integer_value(json_object_get(root, "seed")));
}

static void rates(const json_t *root, enum form form)
{
	FILE *out = report_notes(form), *later;
	const char *cell, *variant;
	char *text;
	struct series s;
	struct table t;
	size_t i, k, len;

	header(&t);
	later = open_memstream(&text, &len);
	for (i = 0; (cell = report_cell(root, i)); i++)
		for (k = 0; (variant = report_variant(root, k)); k++) {
			series_read(root, variant, cell, &s);
			add_series(&t, form, cell, variant, &s);
			notes(later, cell, variant, &s);
			series_free(&s);
		}
	fclose(later);
	table_print(&t, form, stdout);
	table_free(&t);
	if (len)
		fprintf(out, "\n%s", text);
	free(text);
}

int report_command(const struct options *o)
{
	json_t *root = report_load(o->args[0]);
	enum form form = report_form(o);

	if (!root)
		return 2;
	title(root, report_notes(form));
	if (o->cost)
		cost_table(root, form);
	else
		rates(root, form);
	json_decref(root);
	return 0;
}
