// SPDX-License-Identifier: GPL-2.0
/* The plans that come with the tool, and what may be in a plan */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan.h"
#include "plans.h"
#include "table.h"
#include "text.h"

#ifndef PLANS_DIR
#define PLANS_DIR	"/usr/share/pvnet-bench/plans"
#endif

static const char *directory(void)
{
	return getenv("PVNET_BENCH_PLANS") ?: PLANS_DIR;
}

static int is_plan(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return len > 5 && !strcmp(d->d_name + len - 5, ".plan");
}

static void add_plan(struct table *t, const char *name)
{
	char *path = text_format("%s/%s", directory(), name), *errors;
	struct plan *p = plan_load(path, false, NULL, 0, &errors);
	double hours;
	size_t i;

	table_add(t, "%s", path);
	if (p) {
		for (hours = 0, i = 0; i < p->cells; i++)
			hours += (cell_seconds(p, &p->cell[i]) + cell_warmup(p, &p->cell[i])) *
				 p->repeats * p->variants / 3600;
		table_add(t, "%zu", p->variants);
		table_add(t, "%zu", p->cells);
		table_add(t, "%g", p->repeats);
		table_add(t, "%.1f", hours);
		table_add(t, "%s", p->title);
	} else {
		for (i = 0; i < 4; i++)
			table_add(t, "-");
		table_add(t, "%.*s", (int)strcspn(errors, "\n"), errors);
	}
	free(errors);
	free(path);
	plan_free(p);
}

static int list(void)
{
	struct dirent **found;
	struct table t;
	int i, n = scandir(directory(), &found, is_plan, alphasort);

	if (n < 0) {
		fprintf(stderr,
			"pvnet-bench: no plans in %s (PVNET_BENCH_PLANS names another directory)\n",
			directory());
		return 2;
	}
	table_init(&t, 6);
	table_add(&t, "plan");
	table_add(&t, "variants");
	table_add(&t, "cells");
	table_add(&t, "repeats");
	table_add(&t, "hours");
	table_add(&t, "what");
	for (i = 0; i < n; i++) {
		add_plan(&t, found[i]->d_name);
		free(found[i]);
	}
	free(found);
	table_print(&t, FORM_TERMINAL, stdout);
	table_free(&t);
	return 0;
}

static void keys(void)
{
	const struct plan_section *s;
	const struct plan_key *k;

	for (s = plan_sections; s->name; s++) {
		printf("[%s%s]  %s\n", s->name, s->named ? " NAME" : "", s->about);
		for (k = s->keys; k && k->name; k++)
			printf("    %-10s %s\n", k->name, k->about);
	}
}

void plans_man(void (*print)(const char *text))
{
	const struct plan_section *s;
	const struct plan_key *k;

	printf("Lines of key = value in sections. A line that begins with # is a comment; one that begins with\n"
	       "a space goes on with the value above. %%{NAME} stands for a value of [vars], or for client, server\n"
	       "(addresses), variant, cell, seconds, warmup, block, place.\n");
	for (s = plan_sections; s->name; s++) {
		printf(".SS [%s%s]\n", s->name, s->named ? " NAME" : "");
		print(s->about);
		printf("\n");
		for (k = s->keys; k && k->name; k++) {
			printf(".TP\n.B ");
			print(k->name);
			printf("\n");
			print(k->about);
			printf("\n");
		}
	}
}

int plans_command(const struct options *o)
{
	if (!o->keys)
		return list();
	keys();
	return 0;
}
