// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aa.h"
#include "compare.h"
#include "report.h"
#include "run.h"
#include "text.h"

#define PAIRS	20

static struct variant *find_variant(struct plan *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->variants; i++)
		if (!name || !strcmp(p->variant[i].name, name))
			return &p->variant[i];
	fprintf(stderr, "pvnet-bench: %s: has no variant %s\n", p->path, name);
	return NULL;
}

static char *copy(const char *s)
{
	return s ? text_format("%s", s) : NULL;
}

/* The plan with one variant under two names, long enough for so many comparisons */
static bool make_aa(struct plan *p, const struct options *o)
{
	double pairs = o->pairs >= 1 ? floor(o->pairs) : PAIRS;
	struct variant *v = find_variant(p, o->variant), first;
	struct variant *both = calloc(2, sizeof(*both));
	int i, end;

	if (!v || !both) {
		free(both);
		return false;
	}
	first = *v;
	for (i = 0; i < 2; i++) {
		both[i].name = text_format("%s.%d", first.name, i + 1);
		both[i].check = copy(first.check);
		for (end = 0; end < NR_ENDS; end++)
			both[i].command[end] = copy(first.command[end]);
	}
	plan_drop_variants(p);
	p->variant = both;
	p->variants = 2;
	p->pairs = pairs;
	p->repeats = fmax(p->repeats, LEAST_RUNS) * pairs;
	return true;
}

/* Runs of blocks from to (less one), as if they were all that there is */
static void part_of(const struct series *all, unsigned int from, unsigned int to,
		    struct series *part)
{
	size_t i;

	*part = *all;
	part->n = 0;
	part->value = calloc(all->n + 1, sizeof(*part->value));
	part->block = calloc(all->n + 1, sizeof(*part->block));
	part->place = calloc(all->n + 1, sizeof(*part->place));
	if (!part->value || !part->block || !part->place)
		exit(1);
	for (i = 0; i < all->n; i++)
		if (all->block[i] >= from && all->block[i] < to) {
			part->value[part->n] = all->value[i];
			part->block[part->n] = all->block[i];
			part->place[part->n++] = all->place[i];
		}
}

struct count {
	size_t compared, refused, different;
};

static void compare_parts(const struct series *a, const struct series *b, unsigned int blocks,
			  unsigned int pairs, double margin, struct count *n)
{
	struct series pa, pb;
	struct comparison c;
	unsigned int i;

	for (i = 0; i < pairs; i++) {
		part_of(a, blocks * i / pairs, blocks * (i + 1) / pairs, &pa);
		part_of(b, blocks * i / pairs, blocks * (i + 1) / pairs, &pb);
		compare(&pa, &pb, true, margin, &c);
		n->refused += !!*c.refused;
		n->compared += !*c.refused;
		n->different += !*c.refused && c.p < ALPHA;
		series_free(&pa);
		series_free(&pb);
	}
}

static void print_cell(struct table *t, const char *cell, const struct count *n)
{
	table_add(t, "%s", cell);
	table_add(t, "%zu", n->compared);
	table_add(t, "%zu", n->refused);
	table_add(t, "%zu", n->different);
	table_add(t, "%u", stats_most_false(n->compared));
	table_add(t, "%s", !n->compared ? "nothing to judge" :
		  n->different <= stats_most_false(n->compared) ? "as it should be" : "too many");
}

static int judge_file(const json_t *root, const struct options *o)
{
	const json_t *plan = json_object_get(root, "plan");
	unsigned int pairs = json_number_value(json_object_get(plan, "pairs"));
	double blocks = json_number_value(json_object_get(plan, "repeats")) /
			json_number_value(json_object_get(plan, "group"));
	double margin = json_number_value(json_object_get(plan, "margin")) / 100;
	struct series a, b;
	const char *cell;
	struct table t;
	int bad = 0;
	size_t i;

	if (!pairs) {
		fprintf(stderr, "pvnet-bench: these are not results of aa\n");
		return 2;
	}
	table_init(&t, 6);
	table_add(&t, "cell");
	table_add(&t, "compared");
	table_add(&t, "refused");
	table_add(&t, "different");
	table_add(&t, "at most");
	table_add(&t, "the tool is");
	for (i = 0; (cell = report_cell(root, i)); i++) {
		struct count n = { };

		series_read(root, report_variant(root, 0), cell, &a);
		series_read(root, report_variant(root, 1), cell, &b);
		compare_parts(&a, &b, blocks, pairs, margin, &n);
		bad |= !n.compared || n.different > stats_most_false(n.compared);
		print_cell(&t, cell, &n);
		series_free(&a);
		series_free(&b);
	}
	table_print(&t, report_form(o), stdout);
	table_free(&t);
	fprintf(report_notes(report_form(o)),
		"\nThe same variant twice: a test at %g %% calls about that part "
		"different; \"at most\" holds in 98 %% of cases.\n",
		100 * ALPHA);
	return bad;
}

static bool is_results(const char *path)
{
	size_t len = strlen(path);

	return len > 5 && !strcmp(path + len - 5, ".json");
}

int aa_command(const struct options *o)
{
	bool results = is_results(o->args[0]);
	struct plan *p = results ? NULL : run_load_plan(o->args[0], o);
	int status = 2;
	json_t *root;

	if (!results && !o->output)
		fprintf(stderr, "pvnet-bench: aa of a plan needs -o FILE\n");
	else if (p && make_aa(p, o))
		status = run_plan(p, o);
	plan_free(p);
	/* Failed runs are left out and shown, so what is there can be judged. */
	if (!results && (status == 2 || !o->output))
		return 2;
	root = report_load(results ? o->args[0] : o->output);
	if (!root)
		return 2;
	status = judge_file(root, o) || (!results && status);
	json_decref(root);
	return status;
}
