// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests in userspace. Arguments: names of suites, default all. SEED in the
 * environment: another start for the random tests.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"

#define FAILURES_SHOWN	10

static unsigned int failures, passed, failed;
static char context[256];
static u32 rand_state;

void test_context(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (failures++ >= FAILURES_SHOWN)
		return;
	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("%s%s%s\n", *context ? " (" : "", context, *context ? ")" : "");
}

u32 test_rand(void)
{
	rand_state ^= rand_state << 13;
	rand_state ^= rand_state >> 17;
	rand_state ^= rand_state << 5;
	return rand_state;
}

static void run_test(const struct suite *suite, const struct test *test)
{
	const char *seed = getenv("SEED");

	rand_state = seed ? strtoul(seed, NULL, 0) | 1 : 0x5eed;
	*context = '\0';
	failures = 0;
	test->run();
	if (failures > FAILURES_SHOWN)
		printf("# and %u more\n", failures - FAILURES_SHOWN);
	if (failures)
		failed++;
	else
		passed++;
	printf("%sok %u - %s: %s\n", failures ? "not " : "", passed + failed,
	       suite->name, test->name);
	fflush(stdout);
}

static bool wanted(const struct suite *suite, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], suite->name))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	const struct test *t;
	unsigned int plan = 0;
	size_t i;

	for (i = 0; test_suites[i]; i++)
		if (wanted(test_suites[i], argc, argv))
			for (t = test_suites[i]->tests; t->name; t++)
				plan++;
	printf("KTAP version 1\n1..%u\n", plan);

	for (i = 0; test_suites[i]; i++)
		if (wanted(test_suites[i], argc, argv))
			for (t = test_suites[i]->tests; t->name; t++)
				run_test(test_suites[i], t);

	printf("# %u passed, %u failed\n", passed, failed);
	return failed || (!plan && argc < 2);
}
