// SPDX-License-Identifier: GPL-2.0
/* The compare command: which series, then a table of verdicts */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "report.h"
#include "text.h"

/* One side: FILE, or FILE:VARIANT */
struct side {
	json_t *root;
	char *path;
	const char *variant;	/* NULL: the only one, or all */
};

struct row {
	char *cell, *a, *b;
	struct comparison c;
};

struct rows {
	struct row *row;
	size_t n;
};

static bool has_variant(const json_t *root, const char *name)
{
	const char *v;
	size_t i;

	for (i = 0; (v = report_variant(root, i)); i++)
		if (!strcmp(v, name))
			return true;
	return false;
}

/* A colon may be part of the file's name, so what follows it must be a variant. */
static bool side_open(const char *arg, struct side *s)
{
	char *colon;

	s->path = text_format("%s", arg);
	colon = strrchr(s->path, ':');
	if (colon) {
		*colon = '\0';
		s->variant = colon + 1;
	}
	s->root = report_load(s->path);
	if (!s->root || !s->variant || has_variant(s->root, s->variant))
		return s->root;
	fprintf(stderr, "pvnet-bench: %s: has no variant %s\n", s->path, s->variant);
	return false;
}

static void side_close(struct side *s)
{
	json_decref(s->root);
	free(s->path);
}

static bool in_groups(const json_t *root)
{
	const json_t *plan = json_object_get(root, "plan");

	return json_is_true(json_object_get(plan, "cold")) &&
	       json_number_value(json_object_get(plan, "group")) > 1;
}

static void add_row(struct rows *rows, const char *cell, const struct side *a, const char *va,
		    const struct side *b, const char *vb, bool paired, double margin)
{
	struct series sa, sb;
	struct row *row;

	rows->row = realloc(rows->row, (rows->n + 1) * sizeof(*rows->row));
	if (!rows->row)
		exit(1);
	row = &rows->row[rows->n++];
	row->cell = text_format("%s", cell);
	row->a = text_format("%s", va);
	row->b = text_format("%s", vb);
	series_read(a->root, va, cell, &sa);
	series_read(b->root, vb, cell, &sb);
	if (in_groups(a->root) || in_groups(b->root)) {
		series_by_group(&sa);
		series_by_group(&sb);
	}
	compare(&sa, &sb, paired, margin, &row->c);
	series_free(&sa);
	series_free(&sb);
}

/* All other variants of a file with its first, or one with another */
static void rows_of_file(struct rows *rows, const struct side *a, const struct side *b,
			 double margin)
{
	const char *cell, *v;
	size_t i, k;

	for (i = 0; (cell = report_cell(a->root, i)); i++) {
		if (b) {
			add_row(rows, cell, a, a->variant, b, b->variant, true, margin);
			continue;
		}
		for (k = 1; (v = report_variant(a->root, k)); k++)
			add_row(rows, cell, a, report_variant(a->root, 0), a, v, true, margin);
	}
}

static bool has_cell(const json_t *root, const char *name)
{
	const char *c;
	size_t i;

	for (i = 0; (c = report_cell(root, i)); i++)
		if (!strcmp(c, name))
			return true;
	return false;
}

/* Two files: the same variant of both, or the two that are named */
static void rows_of_files(struct rows *rows, const struct side *a, const struct side *b,
			  double margin)
{
	const char *cell, *v;
	size_t i, k;

	for (i = 0; (cell = report_cell(a->root, i)); i++) {
		if (!has_cell(b->root, cell))
			continue;
		if (a->variant || b->variant) {
			add_row(rows, cell, a, a->variant ?: b->variant, b,
				b->variant ?: a->variant, false, margin);
			continue;
		}
		for (k = 0; (v = report_variant(a->root, k)); k++)
			if (has_variant(b->root, v))
				add_row(rows, cell, a, v, b, v, false, margin);
	}
}

static void print_row(struct table *t, enum form form, const struct row *row, double margin)
{
	const struct comparison *c = &row->c;
	char words[240];

	compare_words(c, margin, words, sizeof(words));
	table_add(t, "%s", row->cell);
	table_add(t, "%s", row->a);
	table_add(t, "%s", row->b);
	table_add(t, "%zu", c->paired ? c->pairs : c->na < c->nb ? c->na : c->nb);
	table_number(t, form, c->ratio);
	table_number(t, form, c->lo);
	table_number(t, form, c->hi);
	table_p(t, form, c->p);
	table_p(t, form, c->p_holm);
	table_p(t, form, c->p_welch);
	table_p(t, form, c->p_ranks);
	table_number(t, form, c->effect);
	table_number(t, form, 100 * c->sees);
	table_add(t, "%s", words);
}

static void print(const struct rows *rows, enum form form, double margin)
{
	static const char *const names[] = {
		"cell", "A", "B", "n", "B/A", "95 % from", "to", "p", "p Holm", "Welch", "ranks",
		"effect", "sees %", "B is",
	};
	bool paired = rows->n && rows->row[0].c.paired;
	struct table t;
	size_t i;

	table_init(&t, sizeof(names) / sizeof(names[0]));
	for (i = 0; i < t.columns; i++)
		table_add(&t, "%s", names[i]);
	for (i = 0; i < rows->n; i++)
		print_row(&t, form, &rows->row[i], margin);
	table_print(&t, form, stdout);
	table_free(&t);
	fprintf(report_notes(form),
		"\np: of %s of logarithms; a ratio that is further from 1 than \"sees\" "
		"would be found in %g %% of cases.\n",
		paired ? "pairs" : "two samples (Welch)", 100 * POWER);
	for (i = 0; i < rows->n; i++)
		if (rows->row[i].c.no_spread)
			fprintf(report_notes(form),
				"%s, %s: no spread at all. Are these runs of their own?\n",
				rows->row[i].cell, rows->row[i].b);
}

static int judge(struct rows *rows, enum form form, double margin)
{
	struct comparison *c = calloc(rows->n + 1, sizeof(*c));
	size_t i, refused = 0;

	if (!c)
		exit(1);
	for (i = 0; i < rows->n; i++)
		c[i] = rows->row[i].c;
	compare_all(c, rows->n);
	for (i = 0; i < rows->n; i++) {
		rows->row[i].c = c[i];
		refused += c[i].verdict == REFUSED;
	}
	free(c);
	print(rows, form, margin);
	return refused > 0;
}

static double margin_of(const json_t *root)
{
	return json_number_value(json_object_get(json_object_get(root, "plan"), "margin")) / 100;
}

static bool make_rows(const struct options *o, struct side *a, struct side *b, struct rows *rows,
		      double *margin)
{
	bool two = o->nr_args > 1;

	if (!side_open(o->args[0], a) || (two && !side_open(o->args[1], b)))
		return false;
	*margin = o->margin >= 0 ? o->margin / 100 : margin_of(a->root);
	if (!two)
		rows_of_file(rows, a, NULL, *margin);
	else if (!strcmp(a->path, b->path) && a->variant && b->variant)
		rows_of_file(rows, a, b, *margin);
	else
		rows_of_files(rows, a, b, *margin);
	if (!rows->n)
		fprintf(stderr,
			"pvnet-bench: nothing to compare: no cell and variant that both have\n");
	return rows->n;
}

int verdict_command(const struct options *o)
{
	struct side a = { }, b = { };
	struct rows rows = { };
	double margin;
	int status = 2;
	size_t i;

	if (make_rows(o, &a, &b, &rows, &margin))
		status = judge(&rows, report_form(o), margin);
	for (i = 0; i < rows.n; i++) {
		free(rows.row[i].cell);
		free(rows.row[i].a);
		free(rows.row[i].b);
	}
	free(rows.row);
	side_close(&a);
	side_close(&b);
	return status;
}
