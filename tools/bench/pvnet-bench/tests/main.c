// SPDX-License-Identifier: GPL-2.0
/* Unit tests of pvnet-bench. usage: tests FIXTURES SCRATCH [SUITE...] */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "ktap.h"

#define SUITES(X) X(stats) X(simulation) X(parse) X(plan) X(verdict)

#define DECLARE(topic) extern const struct test topic##_tests[];
SUITES(DECLARE)

#define ENTRY(topic) { #topic, topic##_tests },
static const struct suite {
	const char *name;
	const struct test *tests;
} suites[] = { SUITES(ENTRY) };

#define NR_SUITES	(sizeof(suites) / sizeof(suites[0]))
#define MOST_SHOWN	8

const char *fixtures, *scratch;

static unsigned int complaints, passed, failed;
static char where[200];

void at(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(where, sizeof(where), fmt, ap);
	va_end(ap);
}

void complain(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (++complaints > MOST_SHOWN)
		return;
	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("%s%s\n", *where ? "; at " : "", where);
}

static void run(const struct suite *s, const struct test *t)
{
	complaints = 0;
	at("%s", "");
	t->run();
	if (complaints > MOST_SHOWN)
		printf("# %u complaints more\n", complaints - MOST_SHOWN);
	*(complaints ? &failed : &passed) += 1;
	printf("%s %u - %s: %s\n", complaints ? "not ok" : "ok", passed + failed, s->name, t->name);
	fflush(stdout);
}

static bool chosen(const struct suite *s, int argc, char **argv)
{
	int i;

	for (i = 3; i < argc; i++)
		if (!strcmp(argv[i], s->name))
			return true;
	return argc <= 3;
}

int main(int argc, char **argv)
{
	const struct test *t;
	size_t i;

	if (argc < 3) {
		fprintf(stderr, "usage: tests FIXTURES SCRATCH [SUITE...]\n");
		return 2;
	}
	fixtures = argv[1];
	scratch = argv[2];
	printf("KTAP version 1\n");
	for (i = 0; i < NR_SUITES; i++)
		if (chosen(&suites[i], argc, argv))
			for (t = suites[i].tests; t->name; t++)
				run(&suites[i], t);
	printf("1..%u\n# %u passed, %u failed\n", passed + failed, passed, failed);
	return failed || !passed;
}
