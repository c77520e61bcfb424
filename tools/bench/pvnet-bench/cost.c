// SPDX-License-Identifier: GPL-2.0
/*
 * What a packet costs, by the counters that the drivers of both ends have. Those
 * of pvnet are known by name; what another driver does not count is "-".
 */
#include <math.h>
#include <string.h>

#include "plan.h"
#include "report.h"

struct sum {
	const char *name;
	const char *const *endings;	/* of counters that add up to it; the last is NULL */
	bool largest;			/* both ends count the same thing: take the larger */
};

#define ENDINGS(...) ((const char *const[]) { __VA_ARGS__, NULL })

enum { PACKETS, EVENTS, WAKES, SLOTS, COPIES, CALLS, BYTES, MAPPED, NR_SUMS };

/* Backend: from_guest_, to_guest_. Frontend: tx_, rx_. */
static const struct sum sums[NR_SUMS] = {
	[PACKETS] = { "packets", ENDINGS("tx_packets", "rx_packets", "_guest_packets"), true },
	[EVENTS] = { "events", ENDINGS("_event_raised") },
	[WAKES] = { "wakes", ENDINGS("_event_events") },
	[SLOTS] = { "slots", ENDINGS("tx_slots", "rx_slots", "_guest_slots"), true },
	[COPIES] = { "grant copies", ENDINGS("_copy_ops") },
	[CALLS] = { "copy calls", ENDINGS("_copy_calls") },
	[BYTES] = { "bytes copied", ENDINGS("_copy_bytes") },
	[MAPPED] = { "mapped copies", ENDINGS("_mapped_copies") },
};

static bool ends_in(const char *name, const char *const *endings)
{
	size_t len = strlen(name), n;

	for (; *endings; endings++) {
		n = strlen(*endings);
		if (len >= n && !strcmp(name + len - n, *endings))
			return true;
	}
	return false;
}

/* NAN if that end has no such counter */
static double at_end(const json_t *added, const struct sum *sum)
{
	double total = NAN;
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)added, name, v)
		if (ends_in(name, sum->endings))
			total = (isnan(total) ? 0 : total) + json_number_value(v);
	return total;
}

/* Of what either end counts; fmax() takes the one that is a number. */
static double both_ends(const struct sum *sum, double a, double b)
{
	if (isnan(a) || isnan(b) || sum->largest)
		return fmax(a, b);
	return a + b;
}

/* Adds a run to the totals; says whether any end was counted. */
static bool add_run(const json_t *run, double *total)
{
	const json_t *added = json_object_get(run, "added"), *client, *server;
	int i;

	client = json_object_get(added, end_names[END_CLIENT]);
	server = json_object_get(added, end_names[END_SERVER]);
	if (!json_object_size(client) && !json_object_size(server))
		return false;
	for (i = 0; i < NR_SUMS; i++)
		total[i] += both_ends(&sums[i], at_end(client, &sums[i]), at_end(server, &sums[i]));
	return true;
}

static size_t add_runs(const json_t *root, const char *variant, const char *cell, double *total)
{
	const json_t *runs = json_object_get(root, "runs"), *run;
	size_t i, n = 0;

	json_array_foreach(runs, i, run) {
		const char *v = json_string_value(json_object_get(run, "variant"));
		const char *c = json_string_value(json_object_get(run, "cell"));

		if (v && c && !strcmp(v, variant) && !strcmp(c, cell) &&
		    !json_object_get(run, "failed"))
			n += add_run(run, total);
	}
	return n;
}

static void add_row(struct table *t, enum form form, const json_t *root, const char *cell,
		    const char *variant)
{
	double total[NR_SUMS] = { };
	size_t n = add_runs(root, variant, cell, total);
	int i;

	table_add(t, "%s", cell);
	table_add(t, "%s", variant);
	table_add(t, "%zu", n);
	table_number(t, form, n ? total[PACKETS] / n : NAN);
	for (i = EVENTS; i < NR_SUMS; i++)
		if (i != WAKES)
			table_number(t, form, total[PACKETS] > 0 ? total[i] / total[PACKETS] : NAN);
	table_number(t, form, total[WAKES] > 0 ? total[SLOTS] / total[WAKES] : NAN);
}

void cost_table(const json_t *root, enum form form)
{
	const char *cell, *variant;
	struct table t;
	size_t i, k;

	table_init(&t, NR_SUMS + 3);
	table_add(&t, "cell");
	table_add(&t, "variant");
	table_add(&t, "runs");
	table_add(&t, "packets a run");
	for (i = EVENTS; i < NR_SUMS; i++)
		if (i != WAKES)
			table_add(&t, "%s", sums[i].name);
	table_add(&t, "slots a wake");
	for (i = 0; (cell = report_cell(root, i)); i++)
		for (k = 0; (variant = report_variant(root, k)); k++)
			add_row(&t, form, root, cell, variant);
	table_print(&t, form, stdout);
	table_free(&t);
	fprintf(report_notes(form), "\nEach packet, both ends together, if not said otherwise.\n");
}
