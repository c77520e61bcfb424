/* SPDX-License-Identifier: GPL-2.0 */
/* What a test says: KTAP, one line a test, with its complaints above it. */
#ifndef _BENCH_TESTS_KTAP_H
#define _BENCH_TESTS_KTAP_H

#include <math.h>
#include <string.h>

struct test {
	const char *name;
	void (*run)(void);
};

/* A file of tests ends with SUITE(topic, { "what it shows", function }, ...). */
#define SUITE(topic, ...) \
	const struct test topic##_tests[] = { __VA_ARGS__, { NULL, NULL } }

__attribute__((__format__(__printf__, 3, 4)))
void complain(const char *file, int line, const char *fmt, ...);

/* Shown with complaints: what the test is at */
__attribute__((__format__(__printf__, 1, 2)))
void at(const char *fmt, ...);

#define EXPECT(cond) do { \
		if (!(cond)) \
			complain(__FILE__, __LINE__, "%s", #cond); \
	} while (0)

/* Within 1e-6 of the larger of the two, or both NAN */
#define EXPECT_NEAR(got, want) EXPECT_WITHIN(got, want, 1e-6)

#define EXPECT_WITHIN(got, want, tolerance) do { \
		double g__ = (got), w__ = (want); \
		if (!(g__ == w__ || (isnan(g__) && isnan(w__)) || \
		      fabs(g__ - w__) <= (tolerance) * fmax(fabs(g__), fabs(w__)))) \
			complain(__FILE__, __LINE__, "%s is %.12g, not %.12g", #got, g__, w__); \
	} while (0)

#define EXPECT_STR(got, want) do { \
		const char *g__ = (got), *w__ = (want); \
		if (!g__ || strcmp(g__, w__)) \
			complain(__FILE__, __LINE__, "%s is \"%s\", not \"%s\"", \
				 #got, g__ ?: "(none)", w__); \
	} while (0)

#define EXPECT_HAS(text, part) do { \
		const char *t__ = (text); \
		if (!t__ || !strstr(t__, part)) \
			complain(__FILE__, __LINE__, "%s is \"%s\", without \"%s\"", \
				 #text, t__ ?: "(none)", part); \
	} while (0)

/* Directories that the tests may read and write */
extern const char *fixtures, *scratch;

#endif
