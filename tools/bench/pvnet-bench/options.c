// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "plans.h"

enum type { FLAG, STRING, NUMBER, LIST };

static const struct option_desc {
	const char *name;
	char letter;
	const char *arg;
	unsigned int commands;
	enum type type;
	size_t offset;
	const char *about;
} table[] = {
	{ "output", 'o', "FILE", FOR_RUN | FOR_AA, STRING, offsetof(struct options, output),
	  "the file of results; raw outputs go to FILE.raw/" },
	{ "resume", 'r', NULL, FOR_RUN | FOR_AA, FLAG, offsetof(struct options, resume),
	  "go on with FILE: the same plan, the same order" },
	{ "retry", 0, NULL, FOR_RUN | FOR_AA, FLAG, offsetof(struct options, retry),
	  "with --resume: make failed runs again" },
	{ "small", 's', NULL, FOR_RUN | FOR_AA, FLAG, offsetof(struct options, small),
	  "the plan's small form, for a testbed" },
	{ "set", 'D', "NAME=VALUE", FOR_RUN | FOR_AA, LIST, offsetof(struct options, sets),
	  "a value of the plan's [vars]; may be repeated" },
	{ "seed", 0, "N", FOR_RUN | FOR_AA, NUMBER, offsetof(struct options, seed),
	  "of the order of runs" },
	{ "seconds", 0, "N", FOR_RUN | FOR_AA, NUMBER, offsetof(struct options, seconds),
	  "measured seconds of a run, instead of the plan's" },
	{ "dry-run", 'n', NULL, FOR_RUN, FLAG, offsetof(struct options, dry_run),
	  "show the commands in their order, and run nothing" },
	{ "quiet", 'q', NULL, FOR_RUN | FOR_AA, FLAG, offsetof(struct options, quiet),
	  "no line for each run" },
	{ "variant", 0, "NAME", FOR_AA, STRING, offsetof(struct options, variant),
	  "which one is run against itself; default: the plan's first" },
	{ "pairs", 0, "N", FOR_AA, NUMBER, offsetof(struct options, pairs),
	  "how many comparisons for each cell; default: 20" },
	{ "margin", 0, "PERCENT", FOR_COMPARE | FOR_AA, NUMBER, offsetof(struct options, margin),
	  "a difference inside it is of no interest; default: the plan's" },
	{ "cost", 0, NULL, FOR_REPORT, FLAG, offsetof(struct options, cost),
	  "what the drivers' counters say of each packet" },
	{ "markdown", 0, NULL, FOR_REPORT | FOR_COMPARE | FOR_AA, FLAG,
	  offsetof(struct options, markdown), "tables in Markdown" },
	{ "csv", 0, NULL, FOR_REPORT | FOR_COMPARE | FOR_AA, FLAG, offsetof(struct options, csv),
	  "tables as CSV, in full precision; notes go to stderr" },
	{ "keys", 0, NULL, FOR_PLANS, FLAG, offsetof(struct options, keys),
	  "all that may be in a plan" },
	{ "help", 'h', NULL, ~0u, FLAG, offsetof(struct options, help), "this list" },
};

#define NR_OPTIONS	(sizeof(table) / sizeof(table[0]))
#define LONG_ONLY	256	/* values of getopt for options without a letter */

static void build_getopt(struct option *longs, char *shorts)
{
	size_t i;

	/* Options and arguments may be mixed, as people type them. */
	for (i = 0; i < NR_OPTIONS; i++) {
		longs[i] =
			(struct option){ table[i].name, table[i].arg ? 1 : 0, NULL, LONG_ONLY + i };
		if (table[i].letter) {
			*shorts++ = table[i].letter;
			if (table[i].arg)
				*shorts++ = ':';
		}
	}
	*shorts = '\0';
}

static const struct option_desc *find(int value)
{
	size_t i;

	if (value >= LONG_ONLY)
		return &table[value - LONG_ONLY];
	for (i = 0; i < NR_OPTIONS; i++)
		if (value && table[i].letter == value)
			return &table[i];
	return NULL;
}

static bool set(struct options *o, const struct option_desc *d, char *value)
{
	void *field = (char *)o + d->offset;
	char *end;

	switch (d->type) {
	case FLAG:
		*(bool *)field = true;
		return true;
	case STRING:
		*(char **)field = value;
		return true;
	case LIST:
		if (o->nr_sets == MOST_SETS)
			break;
		o->sets[o->nr_sets++] = value;
		return true;
	case NUMBER:
		*(double *)field = strtod(value, &end);
		if (*value && !*end && isfinite(*(double *)field) && *(double *)field >= 0)
			return true;
		break;
	}
	fprintf(stderr, "pvnet-bench: --%s %s: not a %s\n", d->name, value, d->arg);
	return false;
}

static const struct command *command_named(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static const struct command *wrong(int *status)
{
	*status = 2;
	fprintf(stderr, "pvnet-bench --help lists commands and options\n");
	return NULL;
}

static bool read_options(int argc, char **argv, struct options *o, const struct command *c)
{
	struct option longs[NR_OPTIONS + 1] = { };
	char shorts[2 * NR_OPTIONS + 1];
	const struct option_desc *d;
	int value;

	build_getopt(longs, shorts);
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		d = find(value);
		if (!d)
			return false;
		if (c && !(d->commands & c->bit)) {
			fprintf(stderr, "pvnet-bench: --%s is not for %s\n", d->name, c->name);
			return false;
		}
		if (!set(o, d, optarg))
			return false;
	}
	o->args = argv + optind;
	o->nr_args = argc - optind;
	return true;
}

const struct command *options_parse(int argc, char **argv, struct options *o, int *status)
{
	const struct command *c = argc > 1 ? command_named(argv[1]) : NULL;

	*o = (struct options) { .seed = -1, .pairs = -1, .margin = -1, .seconds = -1 };
	if (!read_options(c ? argc - 1 : argc, c ? argv + 1 : argv, o, c))
		return wrong(status);
	if (o->help) {
		options_help(stdout);
		*status = 0;
		return NULL;
	}
	if (!c) {
		fprintf(stderr,
			argc > 1 ? "pvnet-bench: %s: no such command\n"
				 : "pvnet-bench: which command?\n",
			argv[argc > 1]);
		return wrong(status);
	}
	if (o->nr_args < c->least || o->nr_args > c->most) {
		fprintf(stderr, "usage: pvnet-bench %s %s\n", c->name, c->args);
		return wrong(status);
	}
	return c;
}

static void option_usage(FILE *out, const struct option_desc *d, const char *bold,
			 const char *italic, const char *roman)
{
	if (d->letter)
		fprintf(out, "%s-%c%s, ", bold, d->letter, roman);
	fprintf(out, "%s--%s%s", bold, d->name, roman);
	if (d->arg)
		fprintf(out, " %s%s%s", italic, d->arg, roman);
}

void options_help(FILE *out)
{
	const struct command *c;
	char usage[60];
	FILE *line;
	size_t i;

	fprintf(out, "usage: pvnet-bench COMMAND [OPTION...] [ARGUMENT...]\n\n");
	for (c = commands; c->name; c++)
		fprintf(out, "  %-8s %-33s %s\n", c->name, c->args, c->about);
	fprintf(out, "\nOptions, and for which commands:\n");
	for (i = 0; i < NR_OPTIONS; i++) {
		line = fmemopen(usage, sizeof(usage), "w");
		option_usage(line, &table[i], "", "", "");
		fclose(line);
		fprintf(out, "  %s%-*s %s", table[i].letter ? "" : "    ",
			table[i].letter ? 25 : 21, usage, table[i].about);
		fprintf(out, " (");
		for (c = commands; c->name && table[i].commands != ~0u; c++)
			if (table[i].commands & c->bit)
				fprintf(out, "%s%s", table[i].commands & (c->bit - 1) ? ", " : "",
					c->name);
		fprintf(out, "%s)\n", table[i].commands == ~0u ? "all" : "");
	}
}

/* roff takes a leading dot or quote, and backslashes and hyphens, for its own. */
static void roff(const char *text)
{
	const char *at;

	for (at = text; *at; at++) {
		if ((at == text || at[-1] == '\n') && (*at == '.' || *at == '\''))
			fputs("\\&", stdout);
		if (*at == '\\')
			fputs("\\e", stdout);
		else if (*at == '-')
			fputs("\\-", stdout);
		else
			putchar(*at);
	}
}

static void man_commands(void)
{
	const struct command *c;
	size_t i;

	for (c = commands; c->name; c++) {
		printf(".SS ");
		roff(c->name);
		fputs(*c->args ? " " : "", stdout);
		roff(c->args);
		printf("\n");
		roff(c->about);
		printf(".\n");
		if (c->more)
			roff(c->more);
		for (i = 0; i < NR_OPTIONS; i++) {
			if (!(table[i].commands & c->bit) || table[i].commands == ~0u)
				continue;
			printf(".TP\n");
			option_usage(stdout, &table[i], "\\fB", "\\fI", "\\fR");
			printf("\n");
			roff(table[i].about);
			printf("\n");
		}
	}
}

static const char *const head =
	".\\\" SPDX-License-Identifier: GPL-2.0\n"
	".\\\" Made by pvnet-bench man; edit the tables in the source instead.\n"
	".TH PVNET-BENCH 1 \"\" pvnet\n"
	".SH NAME\n"
	"pvnet-bench \\- measure network drivers with iperf3 and netperf, and say what the figures prove\n"
	".SH SYNOPSIS\n"
	".B pvnet-bench\n"
	".I COMMAND\n"
	"[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
	".SH DESCRIPTION\n"
	"A plan names variants, cells and how often. Runs are interleaved in randomised blocks, so that\n"
	"what drifts hits all variants alike. Only what the receiver got is a result; a run that failed or whose\n"
	"output does not hold together is \"failed: reason\", never a number.\n";

static const char *const tail =
	".SH VERDICTS\n"
	"Logarithms of rates are compared: by pairs of the same block and place if both are variants of one file,\n"
	"else by Welch's test. p values are adjusted by Holm's method over the table. With fewer than\n"
	"5 runs on a side there is no comparison.\n"
	".TP\n\\fBfaster\\fR, \\fBslower\\fR\nadjusted p below 0.05; \"by less than the margin\" if the ratio is surely inside it\n"
	".TP\n\\fBsame within\\fR \\fIX\\fR %\nboth one\\-sided tests say that the ratio is inside the margin\n"
	".TP\n\\fBcannot tell\\fR\nneither; \"sees\" says how large a difference would have been found in 80 % of cases\n"
	".SH EXIT STATUS\n"
	"0: done. 1: a run failed, or it was interrupted; compare refused a comparison; aa found too many\n"
	"differences. 2: wrong usage, plan or file.\n"
	".SH NOTES\n"
	"With a warm\\-up, or for the mean of the receiver's intervals, the iperf3 server must run with \\-J.\n"
	"Commands run without a terminal: let ssh not ask (\\-o BatchMode=yes).\n";

int options_man(const struct options *o)
{
	(void)o;
	fputs(head, stdout);
	printf(".SH COMMANDS\n");
	man_commands();
	printf(".SH PLANS\n");
	plans_man(roff);
	fputs(tail, stdout);
	return 0;
}
