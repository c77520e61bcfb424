/* SPDX-License-Identifier: GPL-2.0 */
/* One table of commands and one of options: the parser, --help and the man page read them. */
#ifndef _BENCH_OPTIONS_H
#define _BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define MOST_SETS	32

struct options {
	char *output, *variant, *against;
	bool resume, retry, small, dry_run, quiet, markdown, csv, cost, keys, help;
	double seed, pairs, margin, seconds;	/* < 0: not given */
	char *sets[MOST_SETS];
	size_t nr_sets;
	char **args;			/* what is not an option */
	size_t nr_args;
};

enum {
	FOR_RUN = 1, FOR_REPORT = 2, FOR_COMPARE = 4, FOR_AA = 8, FOR_PLANS = 16, FOR_MAN = 32
};

struct command {
	const char *name, *args, *about;
	unsigned int bit;
	size_t least, most;		/* arguments */
	int (*run)(const struct options *o);
	const char *more;		/* paragraphs for the man page */
};

extern const struct command commands[];		/* the last has no name */

/* The command to run, or NULL: then *status is what to exit with. */
const struct command *options_parse(int argc, char **argv, struct options *o, int *status);

void options_help(FILE *out);
int options_man(const struct options *o);

#endif
