/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plan says what is compared (variants), in what (cells), how often, and how the
 * two ends are reached. plan_keys.c has all keys with their meaning.
 */
#ifndef _BENCH_PLAN_H
#define _BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>

enum { END_CLIENT, END_SERVER, NR_ENDS };
enum { TOOL_IPERF3, TOOL_NETPERF };
enum { TEST_TCP, TEST_UDP, TEST_TCP_RR, TEST_TCP_CRR, TEST_UDP_RR };
enum { TO_SERVER, FROM_SERVER };
enum { ORDER_SHUFFLED, ORDER_ABBA, ORDER_FIXED };

extern const char *const end_names[NR_ENDS + 1];

struct pair {
	char *name, *value;
};

struct end {
	char *prefix, *address, *prepare, *counters, *record;
};

struct variant {
	char *name, *about;
	char *command[NR_ENDS];		/* switches to it */
	char *check;			/* says whether it is in use */
	unsigned int line;
};

struct cell {
	char *name, *about, *options, *global, *size, *socket, *request, *rate, *streams;
	int tool, test, direction, at;
	double seconds, warmup;		/* < 0: those of the plan */
	unsigned int line;
};

struct plan {
	char *path, *name, *title, *cold, *before, *iperf3, *netperf;
	char *text;			/* of the file, as it was read */
	double repeats, group, seed;	/* whole numbers; seed < 0: none given */
	double seconds, warmup, margin, timeout, settle, failures;
	int order;
	double small_repeats, small_seconds, small_warmup;
	double pairs;			/* of aa: so many comparisons are in repeats; else 0 */
	bool small;
	struct end end[NR_ENDS];
	struct variant *variant;
	struct cell *cell;
	struct pair *var;
	size_t variants, cells, vars;
};

/*
 * NULL if anything is wrong; *errors then has lines of "PATH:LINE: what". sets
 * are NAME=VALUE and go over [vars]. Caller frees *errors and the plan.
 */
struct plan *plan_load(const char *path, bool small, char *const *sets, size_t nr_sets,
		       char **errors);
void plan_free(struct plan *p);
void plan_drop_variants(struct plan *p);

/* What is only known in a run */
struct run_vars {
	const struct variant *variant;
	const struct cell *cell;
	unsigned int block, place;
};

/*
 * text with each %{NAME} replaced; to be freed. NULL if there is no such name, which
 * then is in *unknown, to be freed too.
 */
char *plan_expand(const struct plan *p, const struct run_vars *run, const char *text,
		  char **unknown);

/* The command line of a cell: the measured run, or the warm-up run before it, or NULL if none is needed */
char *cell_command(const struct plan *p, const struct cell *c, bool warmup);

double cell_seconds(const struct plan *p, const struct cell *c);
double cell_warmup(const struct plan *p, const struct cell *c);

/* With netperf -i MAX it is up to MAX runs in one. */
double cell_longest(const struct plan *p, const struct cell *c);

/* plan_keys.c */
enum key_type { KEY_TEXT, KEY_COUNT, KEY_NUMBER, KEY_CHOICE };

struct plan_key {
	const char *name;
	enum key_type type;
	size_t offset;			/* in the struct of its section */
	double min, max;
	const char *const *choices;	/* the last is NULL */
	const char *about;
};

struct plan_section {
	const char *name;
	bool named;			/* [NAME OF-IT] */
	const struct plan_key *keys;	/* the last has no name; NULL: any key */
	const char *about;
};

extern const struct plan_section plan_sections[];	/* the last has no name */

#endif
