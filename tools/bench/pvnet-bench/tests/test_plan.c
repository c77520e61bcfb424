// SPDX-License-Identifier: GPL-2.0
/* Plans: what is good, each key wrong once, and what they come to */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../order.h"
#include "../plan.h"
#include "../text.h"
#include "ktap.h"

#define ENDS	"[end client]\naddress = C\n[end server]\naddress = S\n"
#define REST	"[variant a]\nclient = true\n[variant b]\n"
#define GOOD	ENDS REST "[cell c]\n"

static char path[300];

static struct plan *load(const char *text, char **errors)
{
	FILE *file;

	snprintf(path, sizeof(path), "%s/test.plan", scratch);
	file = fopen(path, "w");
	if (!file)
		return NULL;
	fputs(text, file);
	fclose(file);
	return plan_load(path, false, NULL, 0, errors);
}

/* Refused, at that line, for that reason */
static void expect_bad(const char *text, unsigned int line, const char *why)
{
	char *errors = NULL, *place;
	struct plan *p = load(text, &errors);

	place = line ? text_format("%s:%u: ", path, line) : text_format("%s: ", path);
	EXPECT(!p);
	EXPECT_HAS(errors, place);
	EXPECT_HAS(errors, why);
	free(place);
	free(errors);
	plan_free(p);
}

static struct plan *expect_good(const char *text)
{
	char *errors = NULL;
	struct plan *p = load(text, &errors);

	EXPECT_STR(errors, "");
	free(errors);
	return p;
}

static void defaults(void)
{
	struct plan *p = expect_good("# comment\n\n" GOOD);

	if (!p)
		return;
	EXPECT_STR(p->name, "test");
	EXPECT_STR(p->iperf3, "iperf3");
	EXPECT(p->repeats == 10 && p->group == 1 && p->margin == 2 && p->seed < 0);
	EXPECT(p->variants == 2 && p->cells == 1);
	EXPECT_STR(p->variant[0].command[END_CLIENT], "true");
	EXPECT(cell_seconds(p, p->cell) == 10 && cell_warmup(p, p->cell) == 0);
	plan_free(p);
}

/* In a section of its own, after enough for the rest to be good */
static void key_wrong(const struct plan_section *s, const struct plan_key *k)
{
	bool end = !strcmp(s->name, "end");
	const char *of = !s->named ? "" : end ? " client" : " x";
	const char *rest = end ? "[end server]\naddress = S\n" REST "[cell c]\n" : GOOD;
	char *text, *value;
	unsigned int line;

	at("[%s] %s", s->name, k->name);
	value = k->type == KEY_TEXT ? "%{nosuch}" : "nonsense";
	text = text_format("[%s%s]\n%s = %s\n%s", s->name, of, k->name, value, rest);
	/* %{} of variants and cells is told by the line of their section. */
	line = k->type == KEY_TEXT && !strcmp(of, " x") ? 1 : 2;
	expect_bad(text, line, k->name);
	free(text);
	if (k->type != KEY_COUNT && k->type != KEY_NUMBER)
		return;
	text = text_format("[%s%s]\n%s = %g\n%s", s->name, of, k->name, 2 * k->max + 1, GOOD);
	expect_bad(text, 2, "must be");
	free(text);
}

static void each_key_wrong(void)
{
	const struct plan_section *s;
	const struct plan_key *k;
	unsigned int n = 0;

	for (s = plan_sections; s->name; s++)
		for (k = s->keys; k && k->name; k++, n++)
			key_wrong(s, k);
	EXPECT(n > 40);
}

static void wrong_lines(void)
{
	expect_bad("x = 1\n" GOOD, 1, "before any [section]");
	expect_bad("[plan\n" GOOD, 1, "without its ]");
	expect_bad("[plan] x\n" GOOD, 1, "more after it");
	expect_bad("[plan x]\n" GOOD, 1, "takes no name");
	expect_bad("[plna]\n" GOOD, 1, "no such section");
	expect_bad("[plan]\nnosuch = 1\n" GOOD, 2, "no such key in [plan]");
	expect_bad("[plan]\njunk\n" GOOD, 2, "neither");
	expect_bad("[plan]\nseconds = 1\n  more\n" GOOD, 3, "to go on with");
	expect_bad("[plan]\nseconds = 1\nseconds = 2\n" GOOD, 3, "set twice");
	expect_bad("[vars]\nx = 1\nx = 2\n" GOOD, 3, "set twice");
	expect_bad("[plan]\nrepeats = 2.5\n" GOOD, 2, "whole number");
	expect_bad("[plan]\nrepeats = 5\ngroup = 2\n" GOOD, 0, "not a multiple");
	expect_bad(GOOD "[cell c]\n", 9, "a second cell c, see line 8");
	expect_bad(GOOD "[variant a]\n", 9, "a second variant a");
	expect_bad(GOOD "[variant x y]\n", 9, "letters, digits");
	expect_bad(GOOD "[end west]\n", 9, "client or server");
	expect_bad(ENDS REST, 0, "no [cell NAME]");
	expect_bad(ENDS "[cell c]\n", 0, "no [variant NAME]");
	expect_bad(REST "[cell c]\n", 4, "[end server] needs an address");
	expect_bad(GOOD "test = tcp-rr\n", 8, "iperf3 has no such test");
	expect_bad(GOOD "tool = netperf\ntest = udp\ndirection = from-server\n", 8, "at = server");
	expect_bad(GOOD "tool = netperf\ntest = tcp-rr\nsize = 5\n", 8, "request, not size");
	expect_bad(GOOD "global = -c\n", 8, "global is for netperf");
	expect_bad(GOOD "tool = netperf\nrate = 5\n", 8, "for iperf3");
}

static void expect_command(const char *keys, bool warmup, const char *want)
{
	char *text = text_format("%s%s", GOOD, keys), *command, *expanded, *unknown;
	struct plan *p = expect_good(text);

	at("%s", want);
	free(text);
	if (!p)
		return;
	command = cell_command(p, p->cell, warmup);
	expanded = command ? plan_expand(p, NULL, command, &unknown) : NULL;
	EXPECT_HAS(expanded ?: "none", want);
	free(command);
	free(expanded);
	plan_free(p);
}

static void commands_of_cells(void)
{
	expect_command("", false, "iperf3 -J --get-server-output -c S -t 10");
	expect_command("direction = from-server\nwarmup = 2\nsize = 8K\n", false,
		       "-c S -t 10 -O 2 -R -l 8K");
	expect_command("at = server\ntest = udp\nsocket = 1M\n", false, "-c C -t 10 -u -b 0 -w 1M");
	expect_command("streams = 4\nrate = 1G\noptions = -Z\n", false, "-b 1G -P 4 -Z");
	expect_command("warmup = 2\n", true, "none");
	expect_command("tool = netperf\nsocket = 131072\n", false,
		       "netperf -H S -t TCP_STREAM -l 10 -- -k THROUGHPUT,");
	expect_command("tool = netperf\nsocket = 131072\nsize = 1432\n", false,
		       " -m 1432 -s 131072 -S 131072");
	expect_command("tool = netperf\ndirection = from-server\nsize = 9\n", false,
		       "-t TCP_MAERTS");
	expect_command("tool = netperf\ndirection = from-server\nsize = 9\n", false, " -M 9");
	expect_command("tool = netperf\ntest = udp\n", false, "-t UDP_STREAM");
	expect_command("tool = netperf\ntest = udp-rr\n", false, " -R 1");
	expect_command("tool = netperf\ntest = tcp-crr\nrequest = 120,240\n", false, " -r 120,240");
	expect_command("tool = netperf\nwarmup = 3\n", true, "-l 3 --");
	expect_command("tool = netperf\n", true, "none");
	expect_command("tool = netperf\nglobal = -I 95,5 -i 9,3\n", false,
		       "-l 10 -I 95,5 -i 9,3 -- -k");
}

static void longest(void)
{
	struct plan *p = expect_good(GOOD "[cell d]\ntool = netperf\nglobal = -i9,3\nwarmup = 1\n"
				     "[cell e]\ntool = netperf\nglobal = -I 99 -i 1\n");

	if (!p)
		return;
	EXPECT(cell_longest(p, &p->cell[0]) == 10);
	EXPECT(cell_longest(p, &p->cell[1]) == 91);
	EXPECT(cell_longest(p, &p->cell[2]) == 30);
	plan_free(p);
}

static void names(void)
{
	struct plan *p = expect_good(
		"[vars]\na = 1%{b}\nb = 2\n[plan]\nbefore = x %{a} ${HOME} {a} %{cell}\n\ty\n" GOOD);
	struct run_vars run = { p ? p->variant : NULL, p ? p->cell : NULL, 3, 1 };
	char *text, *unknown;

	if (!p)
		return;
	text = plan_expand(p, &run, p->before, &unknown);
	EXPECT_STR(text, "x 12 ${HOME} {a} c\ny");
	free(text);
	text = plan_expand(p, &run, "%{variant} %{block} %{place} %{seconds} %{client}%{server}",
			   &unknown);
	EXPECT_STR(text, "a 3 1 10 CS");
	free(text);
	EXPECT(!plan_expand(p, &run, "%{open", &unknown));
	EXPECT_STR(unknown, "open");
	free(unknown);
	plan_free(p);
	expect_bad("[vars]\na = %{a}\n[plan]\nbefore = %{a}\n" GOOD, 4,
		   "before: %{a}: no such name");
	expect_bad(GOOD "[end client]\naddress = D\n", 10, "set twice, see line 2");
}

static void small(void)
{
	char *sets[] = { "v=2" }, *errors;
	struct plan *p;

	plan_free(expect_good(
		"[vars]\nv = 1\n[plan]\nseconds = 100\nwarmup = 10\nrepeats = 20\n[small]\n"
		"seconds = 0.02\nwarmup = 0.1\nrepeats = 0.1\n" GOOD "seconds = 10\n"));
	p = plan_load(path, true, sets, 1, &errors);
	EXPECT_STR(errors, "");
	free(errors);
	if (!p)
		return;
	EXPECT(p->small && p->seconds == 2 && p->warmup == 1 && p->repeats == 5);
	EXPECT(p->cell[0].seconds == 1);
	EXPECT_STR(p->var[0].value, "2");
	plan_free(p);
	sets[0] = "w=2";
	EXPECT(!plan_load(path, true, sets, 1, &errors));
	EXPECT_HAS(errors, "--set w=2");
	free(errors);
}

/* Each variant once a block, its group together, each cell once a place; and by seed the same */
static void orders(void)
{
	struct plan *p =
		expect_good("[plan]\nrepeats = 20\ngroup = 2\n" GOOD "[cell d]\n[cell e]\n");
	struct step *s, *again, *other;
	size_t n, i, differ = 0, from_first = 0;

	if (!p)
		return;
	s = order_make(p, 7, &n);
	again = order_make(p, 7, &n);
	other = order_make(p, 8, &n);
	EXPECT(n == 20 * 2 * 3);
	EXPECT(!memcmp(s, again, n * sizeof(*s)));
	for (i = 0; i < n; i++) {
		EXPECT(s[i].block == i / 12 && s[i].place == i / 3 % 2);
		EXPECT(s[i].variant == s[i / 6 * 6].variant && s[i].first == !(i % 6));
		differ += s[i].variant != other[i].variant;
		from_first += i % 12 == 0 && s[i].variant == 0;
		if (i % 12 == 0)
			EXPECT(s[i].variant != s[i + 6].variant);
		if (i % 3 == 0)
			EXPECT(s[i].cell != s[i + 1].cell && s[i + 1].cell != s[i + 2].cell &&
			       s[i].cell != s[i + 2].cell);
	}
	EXPECT(differ > 0);
	EXPECT(from_first > 0 && from_first < 10);
	free(s);
	free(again);
	free(other);
	plan_free(p);
}

static void abba(void)
{
	struct plan *p = expect_good("[plan]\nrepeats = 4\norder = abba\n" GOOD);
	static const unsigned int want[] = { 0, 1, 1, 0, 0, 1, 1, 0 };
	struct step *s;
	size_t n, i;

	if (!p)
		return;
	s = order_make(p, 1, &n);
	EXPECT(n == 8);
	for (i = 0; i < n; i++)
		EXPECT(s[i].variant == want[i]);
	free(s);
	plan_free(p);
}

SUITE(plan,
	{ "defaults", defaults },
	{ "each key wrong once: file, line and key are told", each_key_wrong },
	{ "wrong lines, sections and combinations", wrong_lines },
	{ "command lines of cells", commands_of_cells },
	{ "how long a run may take", longest },
	{ "names in texts", names },
	{ "--small and --set", small },
	{ "order: blocks, groups, seeds", orders },
	{ "order: abba", abba });
