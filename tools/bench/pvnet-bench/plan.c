// SPDX-License-Identifier: GPL-2.0
/*
 * Reads plans: [section], key = value, # comments on lines of their own; a line
 * that begins with space goes on with the value above. All errors are told, not only the first.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "stats.h"
#include "text.h"

#define MOST_ERRORS	20

/* Where the parser is */
struct reader {
	struct plan *plan;
	const char *path;
	unsigned int line, errors;
	FILE *messages;
	const struct plan_section *section;
	void *base;			/* the struct that keys of the section set */
	char **last;			/* text value that a continuation goes on with */
	struct use {			/* values with %{NAME}, checked at the end */
		const char *key;
		char **text;
		unsigned int line;
	} *use;
	size_t uses;
	struct set {			/* what has been set, and where */
		const void *field;
		unsigned int line;
	} *set;
	size_t sets;
};

__attribute__((__format__(__printf__, 3, 4)))
static void error(struct reader *r, unsigned int line, const char *fmt, ...)
{
	va_list ap;

	if (++r->errors > MOST_ERRORS)
		return;
	fprintf(r->messages, line ? "%s:%u: " : "%s: ", r->path, line);
	va_start(ap, fmt);
	vfprintf(r->messages, fmt, ap);
	va_end(ap);
	fputc('\n', r->messages);
}

/* One more of an array; the others may move, so sections are not pointed at across this. */
static void *grow(void *array, size_t *n, size_t size)
{
	void *more = realloc(array, (*n + 1) * size);

	if (!more)
		exit(1);
	memset((char *)more + *n * size, 0, size);
	++*n;
	return more;
}

static void replace(char **field, char *value)
{
	free(*field);
	*field = value;
}

static bool good_name(const char *s)
{
	return *s &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")];
}

static void set_number(struct reader *r, const struct plan_key *k, double *field, const char *value)
{
	bool whole = k->type == KEY_COUNT;
	char *end;
	double v = strtod(value, &end);

	if (!*value || *end || !isfinite(v) || (whole && v != floor(v)))
		error(r, r->line, "%s = %s: not a %snumber", k->name, value, whole ? "whole " : "");
	else if (v < k->min || v > k->max)
		error(r, r->line, "%s = %s: must be %g to %g", k->name, value, k->min, k->max);
	else
		*field = v;
}

static void set_choice(struct reader *r, const struct plan_key *k, int *field, const char *value)
{
	char all[100] = "";
	int i;

	for (i = 0; k->choices[i]; i++) {
		if (!strcmp(value, k->choices[i])) {
			*field = i;
			return;
		}
		strcat(strcat(all, i ? ", " : ""), k->choices[i]);
	}
	error(r, r->line, "%s = %s: must be one of %s", k->name, value, all);
}

/* The line that has set a field, or 0 */
static unsigned int line_of(const struct reader *r, const void *field)
{
	size_t i;

	for (i = 0; i < r->sets; i++)
		if (r->set[i].field == field)
			return r->set[i].line;
	return 0;
}

static void remember(struct reader *r, const void *field)
{
	r->set = grow(r->set, &r->sets, sizeof(*r->set));
	r->set[r->sets - 1] = (struct set) { field, r->line };
}

/* Arrays move when they grow, and their fields are known by their place. */
static void forget_arrays(struct reader *r)
{
	const char *from = (const char *)r->plan, *to = (const char *)(r->plan + 1);
	size_t i, kept = 0;

	for (i = 0; i < r->sets; i++)
		if ((const char *)r->set[i].field >= from && (const char *)r->set[i].field < to)
			r->set[kept++] = r->set[i];
	r->sets = kept;
}

static void set_key(struct reader *r, const struct plan_key *k, char *value)
{
	void *field = (char *)r->base + k->offset;

	if (line_of(r, field)) {
		error(r, r->line, "%s: set twice, see line %u", k->name, line_of(r, field));
		return;
	}
	remember(r, field);
	switch (k->type) {
	case KEY_TEXT:
		replace(field, text_format("%s", value));
		r->last = field;
		break;
	case KEY_COUNT:
	case KEY_NUMBER:
		set_number(r, k, field, value);
		break;
	case KEY_CHOICE:
		set_choice(r, k, field, value);
		break;
	}
}

static void set_var(struct reader *r, const char *name, const char *value)
{
	struct plan *p = r->plan;
	size_t i;

	for (i = 0; i < p->vars; i++)
		if (!strcmp(p->var[i].name, name)) {
			error(r, r->line, "%s: set twice", name);
			return;
		}
	p->var = grow(p->var, &p->vars, sizeof(*p->var));
	p->var[p->vars - 1] = (struct pair) { text_format("%s", name), text_format("%s", value) };
	r->last = &p->var[p->vars - 1].value;
}

static void read_pair(struct reader *r, char *line)
{
	char *equals = strchr(line, '='), *name, *value;
	const struct plan_key *k;

	if (!equals) {
		error(r, r->line, "neither [section] nor key = value: %s", line);
		return;
	}
	*equals = '\0';
	name = text_trim(line);
	value = text_trim(equals + 1);
	if (!r->section) {
		error(r, r->line, "%s: before any [section]", name);
	} else if (!r->section->keys) {
		if (good_name(name))
			set_var(r, name, value);
		else
			error(r, r->line, "%s: not a name", name);
	} else if (r->base) {
		for (k = r->section->keys; k->name && strcmp(k->name, name); k++)
			;
		if (k->name)
			set_key(r, k, value);
		else
			error(r, r->line, "%s: no such key in [%s]", name, r->section->name);
	}
}

static void begin_variant(struct reader *r, const char *name)
{
	struct plan *p = r->plan;
	size_t i;

	for (i = 0; i < p->variants; i++)
		if (!strcmp(p->variant[i].name, name))
			error(r, r->line, "a second variant %s, see line %u", name,
			      p->variant[i].line);
	p->variant = grow(p->variant, &p->variants, sizeof(*p->variant));
	p->variant[p->variants - 1].name = text_format("%s", name);
	p->variant[p->variants - 1].line = r->line;
	r->base = &p->variant[p->variants - 1];
}

static void begin_cell(struct reader *r, const char *name)
{
	struct plan *p = r->plan;
	struct cell *c;
	size_t i;

	for (i = 0; i < p->cells; i++)
		if (!strcmp(p->cell[i].name, name))
			error(r, r->line, "a second cell %s, see line %u", name, p->cell[i].line);
	p->cell = grow(p->cell, &p->cells, sizeof(*p->cell));
	c = r->base = &p->cell[p->cells - 1];
	c->name = text_format("%s", name);
	c->line = r->line;
	c->seconds = c->warmup = -1;
}

static void begin_end(struct reader *r, const char *name)
{
	int i;

	for (i = 0; i < NR_ENDS; i++)
		if (!strcmp(name, end_names[i]))
			r->base = &r->plan->end[i];
	if (!r->base)
		error(r, r->line, "[end %s]: must be client or server", name);
}

static void begin_named(struct reader *r, const char *name)
{
	forget_arrays(r);
	if (!good_name(name))
		error(r, r->line, "[%s %s]: a name of letters, digits, . _ - is needed",
		      r->section->name, name);
	else if (!strcmp(r->section->name, "variant"))
		begin_variant(r, name);
	else if (!strcmp(r->section->name, "cell"))
		begin_cell(r, name);
	else
		begin_end(r, name);
}

static void read_section(struct reader *r, char *line)
{
	char *end = strchr(line, ']'), *name, *of;
	const struct plan_section *s;

	r->section = NULL;
	r->base = NULL;
	if (!end || end[1]) {
		error(r, r->line, "[section] without its ], or with more after it");
		return;
	}
	*end = '\0';
	name = text_trim(line + 1);
	of = name + strcspn(name, " \t");
	if (*of)
		*of++ = '\0';
	for (s = plan_sections; s->name && strcmp(s->name, name); s++)
		;
	if (!s->name) {
		error(r, r->line, "[%s]: no such section", name);
		return;
	}
	r->section = s;
	r->base = r->plan;
	if (s->named) {
		r->base = NULL;
		begin_named(r, text_trim(of));
	} else if (*text_trim(of)) {
		error(r, r->line, "[%s]: takes no name", name);
	}
}

static void read_line(struct reader *r, char *line)
{
	bool more = isspace((unsigned char)*line);

	line = text_trim(line);
	if (!*line || *line == '#')
		return;
	if (more) {
		if (r->last)
			replace(r->last, text_format("%s\n%s", *r->last, line));
		else
			error(r, r->line,
			      "begins with a space, but there is no text above to go on with");
		return;
	}
	r->last = NULL;
	if (*line == '[')
		read_section(r, line);
	else
		read_pair(r, line);
}

static void set_vars_given(struct reader *r, char *const *sets, size_t n)
{
	struct plan *p = r->plan;
	size_t i, k, len;

	for (i = 0; i < n; i++) {
		len = strcspn(sets[i], "=");
		for (k = 0; k < p->vars; k++)
			if (strlen(p->var[k].name) == len && !strncmp(p->var[k].name, sets[i], len))
				break;
		if (!sets[i][len] || k == p->vars)
			error(r, 0, "--set %s: [vars] has no such name (NAME=VALUE)", sets[i]);
		else
			replace(&p->var[k].value, text_format("%s", sets[i] + len + 1));
	}
}

static void check_cell(struct reader *r, const struct cell *c)
{
	bool rr = c->test >= TEST_TCP_RR, iperf3 = c->tool == TOOL_IPERF3;

	if (iperf3 && rr)
		error(r, c->line, "cell %s: iperf3 has no such test; tool = netperf", c->name);
	if (rr && c->direction == FROM_SERVER)
		error(r, c->line, "cell %s: requests go both ways, so there is no direction",
		      c->name);
	if (!iperf3 && c->test == TEST_UDP && c->direction == FROM_SERVER)
		error(r, c->line,
		      "cell %s: netperf sends UDP from its own end only: at = server instead",
		      c->name);
	if (rr ? !!c->size : !!c->request)
		error(r, c->line, "cell %s: %s", c->name,
		      rr ? "request, not size, is for the rr tests"
			 : "request is for the rr tests only");
	if (iperf3 && c->global)
		error(r, c->line, "cell %s: global is for netperf", c->name);
	if (!iperf3 && (c->rate || c->streams))
		error(r, c->line, "cell %s: rate and streams are for iperf3", c->name);
	if (!r->plan->end[c->at == END_CLIENT ? END_SERVER : END_CLIENT].address)
		error(r, c->line, "cell %s: [end %s] needs an address to connect to", c->name,
		      end_names[c->at == END_CLIENT ? END_SERVER : END_CLIENT]);
}

/* line 0: each text is told by its own line, else by that of its section. */
static void find_uses_in(struct reader *r, const struct plan_key *k, void *base, unsigned int line)
{
	for (; k->name; k++) {
		char **field = (char **)((char *)base + k->offset);

		if (k->type != KEY_TEXT || !*field)
			continue;
		r->use = grow(r->use, &r->uses, sizeof(*r->use));
		r->use[r->uses - 1] = (struct use) { k->name, field, line ?: line_of(r, field) };
	}
}

static void find_uses(struct reader *r)
{
	struct plan *p = r->plan;
	size_t i;

	find_uses_in(r, plan_sections[0].keys, p, 0);
	for (i = 0; i < NR_ENDS; i++)
		find_uses_in(r, plan_sections[3].keys, &p->end[i], 0);
	for (i = 0; i < p->variants; i++)
		find_uses_in(r, plan_sections[4].keys, &p->variant[i], p->variant[i].line);
	for (i = 0; i < p->cells; i++)
		find_uses_in(r, plan_sections[5].keys, &p->cell[i], p->cell[i].line);
}

static void check_names(struct reader *r)
{
	struct run_vars run = { r->plan->variant, r->plan->cell };
	char *unknown, *text;
	size_t i;

	find_uses(r);
	for (i = 0; i < r->uses; i++) {
		text = plan_expand(r->plan, &run, *r->use[i].text, &unknown);
		if (!text) {
			error(r, r->use[i].line, "%s: %%{%s}: no such name in [vars]",
			      r->use[i].key, unknown);
			free(unknown);
		}
		free(text);
	}
}

static void check(struct reader *r)
{
	struct plan *p = r->plan;
	size_t i;

	if (!p->variants)
		error(r, 0, "no [variant NAME]");
	if (!p->cells)
		error(r, 0, "no [cell NAME]");
	for (i = 0; i < p->cells; i++)
		check_cell(r, &p->cell[i]);
	if (fmod(p->repeats, p->group))
		error(r, 0, "repeats = %g is not a multiple of group = %g", p->repeats, p->group);
	if (p->variants && p->cells)
		check_names(r);
}

static void default_text(char **field, const char *value)
{
	if (!*field)
		*field = text_format("%s", value);
}

static void defaults_after(struct plan *p)
{
	const char *slash = strrchr(p->path, '/');
	char *name = text_format("%s", slash ? slash + 1 : p->path);

	name[strcspn(name, ".")] = '\0';
	default_text(&p->name, name);
	free(name);
	default_text(&p->title, p->name);
	default_text(&p->iperf3, "iperf3");
	default_text(&p->netperf, "netperf");
}

/* --small: scaled, but still runs that can be compared. A group stays whole. */
static void make_small(struct plan *p)
{
	double repeats = fmax(LEAST_RUNS, ceil(p->repeats * p->small_repeats));
	size_t i;

	p->small = true;
	p->repeats = fmin(p->repeats, ceil(repeats / p->group) * p->group);
	p->seconds = fmax(1, p->seconds * p->small_seconds);
	p->warmup *= p->small_warmup;
	for (i = 0; i < p->cells; i++) {
		if (p->cell[i].seconds > 0)
			p->cell[i].seconds = fmax(1, p->cell[i].seconds * p->small_seconds);
		if (p->cell[i].warmup > 0)
			p->cell[i].warmup *= p->small_warmup;
	}
}

static struct plan *plan_new(const char *path)
{
	struct plan *p = calloc(1, sizeof(*p));

	if (!p)
		exit(1);
	p->path = text_format("%s", path);
	p->repeats = 10;
	p->group = 1;
	p->seconds = 10;
	p->seed = -1;
	p->margin = 2;
	p->timeout = 60;
	p->failures = 5;
	p->small_repeats = p->small_seconds = p->small_warmup = 1;
	return p;
}

static void read_all(struct reader *r)
{
	char *copy = text_format("%s", r->plan->text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		r->line++;
		read_line(r, line);
	}
	free(copy);
}

struct plan *plan_load(const char *path, bool small, char *const *sets, size_t nr_sets,
		       char **errors)
{
	struct reader r = { .plan = plan_new(path), .path = path };
	size_t len;

	r.messages = open_memstream(errors, &len);
	if (!r.messages)
		exit(1);
	r.plan->text = text_read(path, &len);
	if (!r.plan->text) {
		error(&r, 0, "%s", strerror(errno));
	} else {
		read_all(&r);
		defaults_after(r.plan);
		set_vars_given(&r, sets, nr_sets);
		check(&r);
	}
	fclose(r.messages);
	free(r.use);
	free(r.set);
	if (r.errors) {
		plan_free(r.plan);
		return NULL;
	}
	if (small)
		make_small(r.plan);
	return r.plan;
}

static void free_texts(const struct plan_key *k, void *base)
{
	for (; k->name; k++)
		if (k->type == KEY_TEXT)
			free(*(char **)((char *)base + k->offset));
}

void plan_drop_variants(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->variants; i++) {
		free_texts(plan_sections[4].keys, &p->variant[i]);
		free(p->variant[i].name);
	}
	free(p->variant);
	p->variant = NULL;
	p->variants = 0;
}

void plan_free(struct plan *p)
{
	size_t i;

	if (!p)
		return;
	free_texts(plan_sections[0].keys, p);
	for (i = 0; i < NR_ENDS; i++)
		free_texts(plan_sections[3].keys, &p->end[i]);
	plan_drop_variants(p);
	for (i = 0; i < p->cells; i++) {
		free_texts(plan_sections[5].keys, &p->cell[i]);
		free(p->cell[i].name);
	}
	for (i = 0; i < p->vars; i++) {
		free(p->var[i].name);
		free(p->var[i].value);
	}
	free(p->cell);
	free(p->var);
	free(p->path);
	free(p->text);
	free(p);
}
