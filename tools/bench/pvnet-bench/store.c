// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store.h"
#include "text.h"

/* JSON has no NAN: what is not known is null. */
static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *names_of_variants(const struct plan *p)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < p->variants; i++)
		json_array_append_new(list, json_string(p->variant[i].name));
	return list;
}

static json_t *cells_of(const struct plan *p)
{
	json_t *list = json_array();
	char *command;
	size_t i;

	for (i = 0; i < p->cells; i++) {
		command = cell_command(p, &p->cell[i], false);
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s}", "name", p->cell[i].name, "about",
						p->cell[i].about ?: "", "command", command));
		free(command);
	}
	return list;
}

static json_t *vars_of(const struct plan *p)
{
	json_t *vars = json_object();
	size_t i;

	for (i = 0; i < p->vars; i++)
		json_object_set_new(vars, p->var[i].name, json_string(p->var[i].value));
	return vars;
}

static json_t *plan_of(const struct plan *p)
{
	json_t *plan = json_pack("{s:s, s:s, s:b, s:b, s:o, s:s}", "name", p->name,
				 "title", p->title, "small", p->small, "cold", p->cold != NULL,
				 "vars", vars_of(p), "text", p->text);
	const struct {
		const char *name;
		double value;
	} numbers[] = {
		{ "repeats", p->repeats }, { "pairs", p->pairs }, { "group", p->group },
		{ "seconds", p->seconds }, { "warmup", p->warmup }, { "margin", p->margin },
	};
	size_t i;

	for (i = 0; plan && i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_set_new(plan, numbers[i].name, json_real(numbers[i].value));
	return plan;
}

json_t *store_new(const struct plan *p, unsigned int seed)
{
	return json_pack("{s:i, s:o, s:I, s:o, s:o, s:{}, s:[]}", "pvnet-bench", STORE_FORMAT,
			 "plan", plan_of(p), "seed", (json_int_t)seed, "variants",
			 names_of_variants(p), "cells", cells_of(p), "record", "runs");
}

json_t *store_load(const char *path, char **why)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);

	if (!root) {
		/* Without a place in the file, it could not be read. */
		if (error.line > 0)
			*why = text_format("%s:%d: %s", path, error.line, error.text);
		else
			*why = text_format("%s: %s", path, strerror(errno));
		return NULL;
	}
	if (json_integer_value(json_object_get(root, "pvnet-bench")) == STORE_FORMAT &&
	    json_is_array(json_object_get(root, "runs")) &&
	    json_is_array(json_object_get(root, "variants")) &&
	    json_is_array(json_object_get(root, "cells")) &&
	    json_is_object(json_object_get(root, "plan")))
		return root;
	json_decref(root);
	*why = text_format("%s: not a file of results, or of another version", path);
	return NULL;
}

static bool write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text += n;
		len -= n;
	}
	return true;
}

char *store_save(const json_t *root, const char *path)
{
	char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	char *new = text_format("%s.new", path), *why = NULL;
	int fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool good;

	if (!text)
		why = text_format("%s: cannot be written as JSON", path);
	good = text && fd >= 0 && write_all(fd, text, strlen(text)) && write_all(fd, "\n", 1) &&
	       !fsync(fd);
	if (fd >= 0 && close(fd))
		good = false;
	if (!good || rename(new, path)) {
		why = why ?: text_format("%s: %s", new, strerror(errno));
		if (fd >= 0)
			unlink(new);
	}
	free(text);
	free(new);
	return why;
}

char *store_differs(const json_t *root, const struct plan *p)
{
	const json_t *old = json_object_get(root, "plan");
	json_t *new = plan_of(p);
	const char *key;
	char *what = NULL;
	json_t *value;

	json_object_foreach(new, key, value)
		if (!what && !json_equal(value, json_object_get(old, key)))
			what = text_format("%s", strcmp(key, "text") ? key : "a line");
	json_decref(new);
	return what;
}

static bool is_of_step(json_t *run, const struct plan *p, const struct step *s)
{
	const char *cell, *variant;
	int block, place;

	if (json_unpack(run, "{s:i, s:i, s:s, s:s}", "block", &block, "place", &place, "variant",
			&variant, "cell", &cell))
		return false;
	return block == (int)s->block && place == (int)s->place &&
	       !strcmp(variant, p->variant[s->variant].name) &&
	       !strcmp(cell, p->cell[s->cell].name);
}

json_t *store_find(const json_t *root, const struct plan *p, const struct step *s)
{
	json_t *run, *runs = json_object_get(root, "runs");
	size_t i;

	json_array_foreach(runs, i, run)
		if (is_of_step(run, p, s))
			return run;
	return NULL;
}

static void add_figures(json_t *run, const struct result *r)
{
	json_t *samples = json_array();
	size_t i;

	json_object_set_new(run, "unit",
			    json_string(r->unit == UNIT_BITS ? "bits/s" : "transactions/s"));
	json_object_set_new(run, "goodput", number(r->goodput));
	json_object_set_new(run, "sent", number(r->sent));
	json_object_set_new(run, "loss", number(r->loss));
	json_object_set_new(run, "seconds", number(r->seconds));
	json_object_set_new(run, "warmup", number(r->warmup));
	if (!isnan(r->p50) && !isnan(r->p99)) {
		json_object_set_new(run, "p50_us", number(r->p50));
		json_object_set_new(run, "p99_us", number(r->p99));
	}
	if (!isnan(r->width[WIDTH_THROUGHPUT]))
		json_object_set_new(run, "confidence_widths",
				    json_pack("[o, o, o]", number(r->width[WIDTH_THROUGHPUT]),
					      number(r->width[WIDTH_LOCAL_CPU]),
					      number(r->width[WIDTH_REMOTE_CPU])));
	if (r->confidence_missed)
		json_object_set_new(run, "confidence_missed", json_true());
	for (i = 0; i < r->nr_samples; i++)
		json_array_append_new(samples, json_real(round(r->sample[i])));
	json_object_set_new(run, "samples", samples);
}

json_t *store_run(const struct plan *p, const struct step *s, const struct result *r)
{
	json_t *run = json_pack("{s:i, s:i, s:s, s:s}", "block", (int)s->block, "place",
				(int)s->place, "variant", p->variant[s->variant].name, "cell",
				p->cell[s->cell].name);

	if (*r->tool)
		json_object_set_new(run, "tool", json_string(r->tool));
	if (*r->failed)
		json_object_set_new(run, "failed", json_string(r->failed));
	else
		add_figures(run, r);
	return run;
}
