/* SPDX-License-Identifier: GPL-2.0 */
/* A minimal KTAP harness: one test, one topic; a test may expect many things. */
#ifndef _SELFTESTS_KTAP_H
#define _SELFTESTS_KTAP_H

#include <linux/kernel.h>
#include <linux/types.h>

struct test {
	const char *name;
	void (*run)(void);
};

struct suite {
	const char *name;
	const struct test *tests;	/* the last has no name */
};

/* What a program runs; the last is NULL. */
extern const struct suite *const test_suites[];

#define SUITE(topic, ...) \
	const struct suite topic##_suite = { \
		#topic, (const struct test[]) { __VA_ARGS__, { NULL, NULL } } }

__attribute__((__format__(__printf__, 3, 4)))
void test_fail(const char *file, int line, const char *fmt, ...);

/* What the test is doing right now, for its failure messages. */
__attribute__((__format__(__printf__, 1, 2)))
void test_context(const char *fmt, ...);

#define EXPECT(cond) do { \
		if (!(cond)) \
			test_fail(__FILE__, __LINE__, "%s", #cond); \
	} while (0)

#define EXPECT_EQ(got, want) do { \
		long long g__ = (got), w__ = (want); \
		if (g__ != w__) \
			test_fail(__FILE__, __LINE__, "%s is %lld, not %lld", \
				  #got, g__, w__); \
	} while (0)

#define EXPECT_STR(got, want) do { \
		const char *s__ = (got), *t__ = (want); \
		if (s__ != t__ && (!s__ || !t__ || strcmp(s__, t__))) \
			test_fail(__FILE__, __LINE__, "%s is \"%s\", not \"%s\"", \
				  #got, s__ ?: "(none)", t__ ?: "(none)"); \
	} while (0)

/* Reproducible: seeded before each test. */
u32 test_rand(void);

static inline u32 rand_below(u32 n)
{
	return test_rand() % n;
}

static inline u32 rand_pick(const u32 *from, size_t n)
{
	return from[rand_below(n)];
}

#endif
