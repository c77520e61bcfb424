// SPDX-License-Identifier: GPL-2.0
/* Makes the runs of a plan, and keeps each as soon as it is made. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "exec.h"
#include "progress.h"
#include "run.h"
#include "store.h"
#include "text.h"
#include "unit.h"

#define FIRST_OVERHEAD	2.0	/* seconds a run takes beyond its time, until that is known */

struct session {
	const struct plan *plan;
	const struct options *options;
	json_t *root;
	struct step *step;
	size_t steps;
	struct progress progress;
	double overhead, measured;	/* seconds beyond the runs' time, and of how many runs */
	const struct step *in_use;	/* whose variant has been switched to */
	char *switch_failed;
	unsigned int failed, failed_in_row;
};

static double step_seconds(const struct plan *p, const struct step *s)
{
	return cell_seconds(p, &p->cell[s->cell]) + cell_warmup(p, &p->cell[s->cell]);
}

static struct run_vars vars_of(const struct session *s, const struct step *step)
{
	return (struct run_vars) {
		.variant = &s->plan->variant[step->variant], .cell = &s->plan->cell[step->cell],
		.block = step->block, .place = step->place,
	};
}

/* At an end, or here if end is NULL. The caller frees o. */
static void run_at(struct session *s, const struct step *step, const struct end *end,
		   const char *text, double timeout, struct output *o)
{
	struct run_vars vars = vars_of(s, step);
	char *unknown, *command = plan_expand(s->plan, &vars, text, &unknown);
	char *prefix = end && end->prefix ? plan_expand(s->plan, &vars, end->prefix, &unknown)
					  : NULL;

	/* Names have been checked with the plan. */
	exec_run(prefix, command ?: "false", timeout, o);
	free(command);
	free(prefix);
}

/* A step on the way to a run; NULL, or why it failed, to be freed */
static char *try(struct session *s, const struct step *step, const struct end *end,
		 const char *what, const char *text)
{
	struct output o;
	char *why, *all = NULL;

	if (!text || !*text)
		return NULL;
	run_at(s, step, end, text, s->plan->timeout, &o);
	why = exec_why(&o, s->plan->timeout);
	if (why)
		all = text_format("%s: %s", what, why);
	free(why);
	exec_free(&o);
	return all;
}

static char *switch_to(struct session *s, const struct step *step)
{
	const struct plan *p = s->plan;
	const struct variant *v = &p->variant[step->variant];
	const struct end *client = &p->end[END_CLIENT], *server = &p->end[END_SERVER];
	char *why;

	why = try(s, step, NULL, "cold start", p->cold);
	why = why ?: try(s, step, server, "switch at the server", v->command[END_SERVER]);
	why = why ?: try(s, step, client, "switch at the client", v->command[END_CLIENT]);
	why = why ?: try(s, step, server, "prepare the server", server->prepare);
	why = why ?: try(s, step, client, "prepare the client", client->prepare);
	why = why ?: try(s, step, NULL, "check of the variant", v->check);
	if (!why && p->settle > 0)
		exec_sleep(p->settle);
	return why;
}

static bool same_group(const struct step *a, const struct step *b)
{
	return a && a->block == b->block && a->variant == b->variant;
}

static json_t *counters_at(struct session *s, const struct step *step, int end)
{
	const char *command = s->plan->end[end].counters;
	json_t *counters = NULL;
	struct output o;

	if (!command || !*command)
		return NULL;
	run_at(s, step, &s->plan->end[end], command, s->plan->timeout, &o);
	if (!o.failed && !o.status)
		counters = counters_read(o.out);
	exec_free(&o);
	return counters;
}

/* before takes what it points at, and becomes what has been added, NULL if that is not known. */
static void counters_difference(json_t **before, json_t *after)
{
	json_t *added = *before && after ? counters_added(*before, after) : NULL;

	json_decref(*before);
	json_decref(after);
	*before = added;
}

static enum netperf_test test_of(const struct cell *c)
{
	static const enum netperf_test of[] = {
		[TEST_TCP] = TCP_STREAM, [TEST_UDP] = UDP_STREAM, [TEST_TCP_RR] = TCP_RR,
		[TEST_TCP_CRR] = TCP_CRR, [TEST_UDP_RR] = UDP_RR,
	};

	return c->test == TEST_TCP && c->direction == FROM_SERVER ? TCP_MAERTS : of[c->test];
}

/* iperf3 tells its errors in JSON and exits with 1: what it says comes first. */
static void understand(const struct cell *c, const struct output *o, double timeout,
		       struct result *r)
{
	char *why = exec_why(o, timeout);

	if (c->tool == TOOL_IPERF3)
		parse_iperf3(o->out, o->out_len, r);
	else
		parse_netperf(test_of(c), NULL, o->out, o->out_len, o->err, r);
	if (why && (!*r->failed || o->timed_out || !o->out_len)) {
		*r->failed = '\0';
		result_fail(r, "%s", why);
	}
	free(why);
}

static char *write_text(const char *path, const char *text, size_t len)
{
	FILE *file = fopen(path, "w");
	bool good = file && fwrite(text, 1, len, file) == len;

	if (file && fclose(file))
		good = false;
	return good ? NULL : text_format("%s: %s", path, strerror(errno));
}

/* What the tool said, for those who doubt the figures. NULL, or why not */
static char *keep_raw(struct session *s, const struct step *step, const struct output *o)
{
	char *dir = text_format("%s.raw", s->options->output), *base, *path, *why = NULL;

	base = text_format("%s/%u-%u-%s-%s", dir, step->block, step->place,
			   s->plan->variant[step->variant].name, s->plan->cell[step->cell].name);
	if (mkdir(dir, 0777) && errno != EEXIST)
		why = text_format("%s: %s", dir, strerror(errno));
	path = text_format("%s.out", base);
	why = why ?: write_text(path, o->out, o->out_len);
	free(path);
	path = text_format("%s.err", base);
	if (o->err_len)
		why = why ?: write_text(path, o->err, o->err_len);
	free(path);
	free(base);
	free(dir);
	return why;
}

/* The run itself. NULL, or why it cannot be kept; *r is the result. */
static char *measure(struct session *s, const struct step *step, struct result *r,
		     json_t *added[NR_ENDS])
{
	const struct cell *c = &s->plan->cell[step->cell];
	double timeout = s->plan->timeout + cell_longest(s->plan, c);
	char *command = cell_command(s->plan, c, false), *why;
	struct output o;
	int end;

	for (end = 0; end < NR_ENDS; end++)
		added[end] = counters_at(s, step, end);
	run_at(s, step, &s->plan->end[c->at], command, timeout, &o);
	for (end = 0; end < NR_ENDS; end++)
		counters_difference(&added[end],
				    exec_interrupted ? NULL : counters_at(s, step, end));
	understand(c, &o, timeout, r);
	why = exec_interrupted ? NULL : keep_raw(s, step, &o);
	exec_free(&o);
	free(command);
	return why;
}

static char *before_run(struct session *s, const struct step *step)
{
	const struct cell *c = &s->plan->cell[step->cell];
	char *warmup = cell_command(s->plan, c, true), *why;

	if (!same_group(s->in_use, step)) {
		free(s->switch_failed);
		s->switch_failed = switch_to(s, step);
		s->in_use = step;
	}
	why = s->switch_failed ? text_format("%s", s->switch_failed) : NULL;
	why = why ?: try(s, step, NULL, "before", s->plan->before);
	why = why ?: try(s, step, &s->plan->end[c->at], "warm-up", warmup);
	free(warmup);
	return why;
}

static void replace_run(json_t *root, json_t *old, json_t *run)
{
	json_t *runs = json_object_get(root, "runs"), *at;
	size_t i;

	json_array_foreach(runs, i, at)
		if (at == old) {
			json_array_set_new(runs, i, run);
			return;
		}
	json_array_append_new(runs, run);
}

static char *keep(struct session *s, const struct step *step, const struct result *r,
		  json_t *added[NR_ENDS])
{
	json_t *run = store_run(s->plan, step, r), *counters = json_object();
	int end;

	for (end = 0; end < NR_ENDS; end++)
		if (added[end])
			json_object_set_new(counters, end_names[end], added[end]);
	json_object_set_new(run, "added", counters);
	json_object_set_new(run, "ended", json_integer(time(NULL)));
	replace_run(s->root, store_find(s->root, s->plan, step), run);
	return store_save(s->root, s->options->output);
}

static void say(const struct session *s, const struct step *step, const struct result *r)
{
	const struct plan *p = s->plan;
	char figure[40], loss[40] = "";

	unit_print(r->unit, r->goodput, figure, sizeof(figure));
	if (r->loss > 0)
		snprintf(loss, sizeof(loss), ", %.1f %% lost", 100 * r->loss);
	if (s->options->quiet && !*r->failed)
		return;
	progress_line("%4zu/%zu  block %u  %-12s %-20s %s%s%s", s->progress.done, s->progress.total,
		      step->block, p->variant[step->variant].name, p->cell[step->cell].name,
		      *r->failed ? "failed: " : figure, r->failed, loss);
}

static void expect(struct session *s, const struct step *step)
{
	double overhead = s->measured ? s->overhead / s->measured : FIRST_OVERHEAD;

	s->progress.expected = step_seconds(s->plan, step) + overhead;
	s->progress.left -= step_seconds(s->plan, step);
	s->progress.began = exec_now();
	snprintf(s->progress.what, sizeof(s->progress.what), "%s %s",
		 s->plan->variant[step->variant].name, s->plan->cell[step->cell].name);
}

static void learn(struct session *s, const struct step *step)
{
	double beyond = exec_now() - s->progress.began - step_seconds(s->plan, step), old,
	       runs_left;

	s->progress.done++;
	runs_left = s->progress.total - s->progress.done;
	old = s->measured ? s->overhead / s->measured : FIRST_OVERHEAD;
	s->overhead += beyond > 0 ? beyond : 0;
	s->measured++;
	s->progress.left += (s->overhead / s->measured - old) * runs_left - old;
}

/* One step. NULL, or why there is no going on, to be freed */
static char *make(struct session *s, const struct step *step)
{
	json_t *added[NR_ENDS] = { };
	static struct result r;
	char *why;
	int end;

	result_init(&r);
	expect(s, step);
	why = before_run(s, step);
	if (why)
		result_fail(&r, "%s", why);
	free(why);
	why = *r.failed || exec_interrupted ? NULL : measure(s, step, &r, added);
	if (exec_interrupted || why) {
		for (end = 0; end < NR_ENDS; end++)
			json_decref(added[end]);
		return why;
	}
	learn(s, step);
	s->failed += !!*r.failed;
	s->failed_in_row = *r.failed ? s->failed_in_row + 1 : 0;
	say(s, step, &r);
	return keep(s, step, &r, added);
}

static bool to_be_made(const struct session *s, const struct step *step)
{
	const json_t *run = store_find(s->root, s->plan, step);

	return !run || (s->options->retry && json_object_get(run, "failed"));
}

static void count_steps(struct session *s)
{
	size_t i;

	s->progress.total = s->steps;
	for (i = 0; i < s->steps; i++) {
		if (to_be_made(s, &s->step[i]))
			s->progress.left += step_seconds(s->plan, &s->step[i]) + FIRST_OVERHEAD;
		else
			s->progress.done++;
	}
}

static int made_so_far(struct session *s, const char *why)
{
	size_t n = json_array_size(json_object_get(s->root, "runs"));

	fprintf(stderr, "pvnet-bench: %s\n", why);
	fprintf(stderr, "pvnet-bench: %zu of %zu runs are in %s; go on with: run --resume\n", n,
		s->steps, s->options->output);
	return 1;
}

static int make_all(struct session *s)
{
	char *why, left[40];
	size_t i;

	progress_time(s->progress.left, left, sizeof(left));
	progress_line("%s: %zu runs, %zu of them done, about %s; seed %lld", s->plan->title,
		      s->steps, s->progress.done, left,
		      (long long)json_integer_value(json_object_get(s->root, "seed")));
	for (i = 0; i < s->steps && !exec_interrupted; i++) {
		if (!to_be_made(s, &s->step[i]))
			continue;
		why = make(s, &s->step[i]);
		if (why) {
			/* The last run is not on disk, so it does not count. */
			progress_end();
			fprintf(stderr, "pvnet-bench: %s: make room, or whatever it needs\n", why);
			free(why);
			return 1;
		}
		if (s->failed_in_row >= s->plan->failures && i + 1 < s->steps) {
			progress_end();
			return made_so_far(
				s, "too many runs failed in a row (failures = in the plan)");
		}
	}
	progress_end();
	if (exec_interrupted)
		return made_so_far(s, "interrupted");
	if (s->failed)
		fprintf(stderr,
			"pvnet-bench: %u runs failed; report says why, --resume --retry makes them again\n",
			s->failed);
	return s->failed > 0;
}

/* What the figures depend on, from both ends, once */
static void record(struct session *s)
{
	json_t *all = json_object_get(s->root, "record");
	static const char here[] = "uname -srvm";
	struct output o;
	int end;

	for (end = 0; end < NR_ENDS; end++) {
		const char *more = s->plan->end[end].record;
		char *command = text_format("%s; %s", here, more ?: "true");

		if (json_object_get(all, end_names[end])) {
			free(command);
			continue;
		}
		run_at(s, &s->step[0], &s->plan->end[end], command, s->plan->timeout, &o);
		if (!exec_interrupted)
			json_object_set_new(all, end_names[end],
					    json_string(*o.out ? o.out : "nothing")
						    ?: json_string("not text"));
		exec_free(&o);
		free(command);
	}
}

static bool begin_new(struct session *s)
{
	double seed = s->options->seed >= 0 ? s->options->seed : s->plan->seed;

	if (!access(s->options->output, F_OK)) {
		fprintf(stderr, "pvnet-bench: %s exists: --resume goes on with it\n",
			s->options->output);
		return false;
	}
	if (seed < 0)
		seed = (time(NULL) ^ (getpid() << 16)) & 0x7fffffff;
	s->root = store_new(s->plan, seed);
	if (!s->root)
		fprintf(stderr, "pvnet-bench: %s: not UTF-8\n", s->plan->path);
	return s->root;
}

static bool begin_again(struct session *s)
{
	char *why = NULL, *differs;

	s->root = store_load(s->options->output, &why);
	if (!s->root) {
		fprintf(stderr, "pvnet-bench: %s\n", why);
		free(why);
		return false;
	}
	differs = store_differs(s->root, s->plan);
	if (differs)
		fprintf(stderr, "pvnet-bench: %s is of another plan: %s differs\n",
			s->options->output, differs);
	free(differs);
	return !differs;
}

static void end_session(struct session *s)
{
	json_decref(s->root);
	free(s->step);
	free(s->switch_failed);
}

int run_plan(const struct plan *p, const struct options *o)
{
	bool again = o->resume && !access(o->output, F_OK);
	struct session s = { .plan = p, .options = o };
	char *why;
	int status;

	if (!(again ? begin_again(&s) : begin_new(&s))) {
		end_session(&s);
		return 2;
	}
	s.step = order_make(p, json_integer_value(json_object_get(s.root, "seed")), &s.steps);
	exec_catch_signals();
	count_steps(&s);
	strcpy(s.progress.what, "looking at both ends");
	s.progress.began = exec_now();
	progress_begin(&s.progress);
	record(&s);
	why = store_save(s.root, o->output);
	if (why)
		fprintf(stderr, "pvnet-bench: %s\n", why);
	status = why ? 1 : make_all(&s);
	free(why);
	end_session(&s);
	return status;
}

static void show(const char *what, const struct plan *p, const struct end *end,
		 const struct run_vars *vars, const char *text)
{
	char *unknown, *command, *prefix;

	if (!text || !*text)
		return;
	command = plan_expand(p, vars, text, &unknown);
	prefix = plan_expand(p, vars, end && end->prefix ? end->prefix : "", &unknown);
	printf("\t%s: %s%s%s\n", what, prefix, *prefix ? " " : "", command);
	free(command);
	free(prefix);
}

static void show_step(const struct plan *p, const struct step *s)
{
	const struct cell *c = &p->cell[s->cell];
	const struct variant *v = &p->variant[s->variant];
	struct run_vars vars = { v, c, s->block, s->place };
	char *warmup = cell_command(p, c, true), *run = cell_command(p, c, false);

	printf("block %u place %u: %s, %s\n", s->block, s->place, v->name, c->name);
	if (s->first) {
		show("cold start", p, NULL, &vars, p->cold);
		show("server", p, &p->end[END_SERVER], &vars, v->command[END_SERVER]);
		show("client", p, &p->end[END_CLIENT], &vars, v->command[END_CLIENT]);
		show("server", p, &p->end[END_SERVER], &vars, p->end[END_SERVER].prepare);
		show("client", p, &p->end[END_CLIENT], &vars, p->end[END_CLIENT].prepare);
		show("check", p, NULL, &vars, v->check);
	}
	show("before", p, NULL, &vars, p->before);
	show("warm-up", p, &p->end[c->at], &vars, warmup);
	show("run", p, &p->end[c->at], &vars, run);
	free(warmup);
	free(run);
}

static int dry_run(const struct plan *p, const struct options *o)
{
	size_t i, n;
	struct step *step = order_make(p, o->seed >= 0 ? o->seed : p->seed >= 0 ? p->seed : 1, &n);

	for (i = 0; i < n; i++)
		show_step(p, &step[i]);
	free(step);
	return 0;
}

struct plan *run_load_plan(const char *path, const struct options *o)
{
	char *errors;
	struct plan *p = plan_load(path, o->small, o->sets, o->nr_sets, &errors);

	fputs(errors, stderr);
	free(errors);
	if (p && o->seconds >= 1)
		p->seconds = o->seconds;
	return p;
}

int run_command(const struct options *o)
{
	struct plan *p = run_load_plan(o->args[0], o);
	int status = 2;

	if (p && o->dry_run)
		status = dry_run(p, o);
	else if (p && !o->output)
		fprintf(stderr, "pvnet-bench: run needs -o FILE\n");
	else if (p)
		status = run_plan(p, o);
	plan_free(p);
	return status;
}
