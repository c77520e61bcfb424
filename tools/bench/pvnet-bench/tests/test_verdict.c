// SPDX-License-Identifier: GPL-2.0
/* From stored runs to words: series, comparisons, counters, tables, options */
#include <stdio.h>
#include <stdlib.h>

#include "../compare.h"
#include "../counters.h"
#include "../options.h"
#include "../table.h"
#include "../text.h"
#include "../unit.h"
#include "ktap.h"

#define MARGIN	0.02

/* Runs in blocks 0, 1, ...; a value of 0 is a failed run */
static void series_of(struct series *s, const double *v, size_t n)
{
	size_t i;

	memset(s, 0, sizeof(*s));
	s->value = calloc(n + 1, sizeof(*s->value));
	s->block = calloc(n + 1, sizeof(*s->block));
	s->place = calloc(n + 1, sizeof(*s->place));
	for (i = 0; i < n; i++) {
		if (!v[i]) {
			s->failed++;
			strcpy(s->why, "guest gone");
			continue;
		}
		s->value[s->n] = v[i];
		s->block[s->n++] = i;
	}
}

static void expect_words(const double *a, size_t na, const double *b, size_t nb, bool paired,
			 const char *want)
{
	struct comparison c;
	struct series sa, sb;
	char words[240];

	at("%s", want);
	series_of(&sa, a, na);
	series_of(&sb, b, nb);
	compare(&sa, &sb, paired, MARGIN, &c);
	compare_all(&c, 1);
	compare_words(&c, MARGIN, words, sizeof(words));
	EXPECT_HAS(words, want);
	series_free(&sa);
	series_free(&sb);
}

static const double low[] = { 100, 101, 99, 100.5, 99.5, 100.2 };
static const double high[] = { 110, 111, 109, 110.5, 109.5, 110.2 };
static const double bit_more[] = { 100.51, 101.49, 99.52, 101, 100.01, 100.7 };
static const double noisy[] = { 80, 120, 95, 130, 70, 105 };
static const double flat[] = { 100, 100, 100, 100, 100, 100 };

static void words(void)
{
	static const double holes[] = { 110, 0, 109, 110.5, 0, 110.2 };

	expect_words(low, 6, high, 6, true, "faster by 10 %");
	expect_words(low, 6, high, 6, false, "faster by 10 %");
	expect_words(high, 6, low, 5, false, "slower by 9.1 %");
	expect_words(low, 6, bit_more, 6, true, "faster by 0.50 %, less than the margin");
	expect_words(low, 6, low, 6, true, "same within 2 %");
	expect_words(low, 6, noisy, 6, true, "cannot tell; sees ");
	expect_words(flat, 6, flat, 6, true, "same within 2 %");
	expect_words(low, 3, high, 3, true, "refused: 3 pairs, at least 5 are needed");
	expect_words(low, 4, high, 6, false, "refused: 4 runs, at least 5 are needed");
	expect_words(low, 1, high, 1, false, "refused: 1 runs");
	expect_words(low, 0, high, 0, true, "refused: 0 pairs");
	expect_words(low, 6, holes, 6, true,
		     "refused: 4 pairs, at least 5 are needed; 2 failed: guest gone");
}

/* By hand: pairs of equal ratio, but for rounding, have no spread, though the samples have. */
static void pairs(void)
{
	double twice[6];
	struct comparison c;
	struct series a, b;
	size_t i;

	for (i = 0; i < 6; i++)
		twice[i] = 2 * noisy[i];
	series_of(&a, noisy, 6);
	series_of(&b, twice, 6);
	compare(&a, &b, true, MARGIN, &c);
	EXPECT_NEAR(c.ratio, 2);
	EXPECT(c.pairs == 6 && c.p < 1e-9 && c.p_welch > 1e-4);
	/* Only what both have is a pair. */
	b.block[0] = 77;
	compare(&a, &b, true, MARGIN, &c);
	EXPECT(c.pairs == 5);
	b.unit = UNIT_TRANSACTIONS;
	compare(&a, &b, true, MARGIN, &c);
	EXPECT_HAS(c.refused, "do not compare");
	series_free(&a);
	series_free(&b);
}

/* Three cells with p of 0.03: none is left by Holm, which a single one would be. */
static void over_a_table(void)
{
	struct comparison c[3] = { };
	size_t i;

	for (i = 0; i < 3; i++)
		c[i] = (struct comparison) { .ratio = 1.1, .p = 0.03, .p_same = 0.9, .sees = 0.2 };
	compare_all(c, 1);
	EXPECT(c[0].verdict == FASTER);
	compare_all(c, 3);
	for (i = 0; i < 3; i++) {
		EXPECT_NEAR(c[i].p_holm, 0.09);
		EXPECT(c[i].verdict == CANNOT_TELL);
	}
}

static json_t *stored(void)
{
	static const char text[] =
		"{'runs': ["
		"{'block': 0, 'place': 0, 'variant': 'a', 'cell': 'c', 'unit': 'bits/s', 'goodput': 90,"
		" 'sent': 100, 'loss': 0.1, 'samples': [1, 1, 1, 2, 2, 2]},"
		"{'block': 0, 'place': 1, 'variant': 'a', 'cell': 'c', 'unit': 'bits/s', 'goodput': 110,"
		" 'sent': null, 'loss': 0.3, 'samples': [1, 1, 1, 1, 1, 1], 'confidence_missed': true},"
		"{'block': 1, 'place': 0, 'variant': 'a', 'cell': 'c', 'failed': 'no route'},"
		"{'block': 1, 'place': 1, 'variant': 'a', 'cell': 'c', 'goodput': 100, 'p50_us': 4, 'p99_us': 9},"
		"{'block': 1, 'place': 1, 'variant': 'b', 'cell': 'c', 'goodput': 5},"
		"{'variant': 7}, 7]}";
	char *json = text_format("%s", text), *s;
	json_t *root;

	for (s = json; *s; s++)
		if (*s == '\'')
			*s = '"';
	root = json_loads(json, 0, NULL);
	free(json);
	return root;
}

static void series(void)
{
	json_t *root = stored();
	struct series s;

	EXPECT(root);
	series_read(root, "a", "c", &s);
	EXPECT(s.n == 3 && s.failed == 1 && s.missed == 1 && s.unsteady == 1);
	EXPECT_STR(s.why, "no route");
	EXPECT_NEAR(s.sent, 100);
	EXPECT_NEAR(s.loss, 0.2);
	EXPECT_NEAR(s.p50, 4);
	EXPECT_NEAR(s.p99, 9);
	EXPECT_NEAR(series_first_place(&s), 90 / sqrt(110 * 100) - 1);
	series_by_group(&s);
	EXPECT(s.n == 2 && s.block[1] == 1);
	EXPECT_NEAR(s.value[0], sqrt(90 * 110));
	EXPECT_NEAR(s.value[1], 100);
	EXPECT(isnan(series_first_place(&s)));
	series_free(&s);
	series_read(root, "none", "c", &s);
	EXPECT(!s.n && !s.failed && isnan(s.sent));
	series_by_group(&s);
	series_free(&s);
	json_decref(root);
}

static void outliers(void)
{
	static const double v[] = { 100, 101, 99, 100.5, 99.5, 50, 100.2 };
	unsigned int block = 0;
	struct series s;

	series_of(&s, v, 7);
	EXPECT(series_outlier(&s, &block));
	EXPECT(block == 5);
	series_free(&s);
	series_of(&s, flat, 6);
	EXPECT(!series_outlier(&s, &block));
	s.n = 2;
	EXPECT(!series_outlier(&s, &block));
	series_free(&s);
}

static json_int_t value_of(json_t *o, const char *name)
{
	return json_is_integer(json_object_get(o, name))
		       ? json_integer_value(json_object_get(o, name))
		       : -1;
}

static void counters(void)
{
	json_t *before =
		counters_read("NIC statistics:\n     q0_tx_packets: 5\n q11_tx_packets: 7\n"
			      "rx: 3\nqueue: 1\nqx_y: 2\nodd: text\nno number\nback: 9\n");
	json_t *after =
		counters_read("q0_tx_packets: 6\r\nq1_tx_packets: 10\nrx: 3\nnew: 2\nback: 1\n");
	json_t *added = counters_added(before, after);

	EXPECT(value_of(before, "tx_packets") == 12);
	EXPECT(value_of(before, "queue") == 1 && value_of(before, "qx_y") == 2);
	EXPECT(json_object_size(before) == 5);
	EXPECT(value_of(added, "tx_packets") == 4 && value_of(added, "new") == 2);
	EXPECT(value_of(added, "rx") == 0);
	/* Not what began anew */
	EXPECT(json_object_size(added) == 3);
	json_decref(before);
	json_decref(after);
	json_decref(added);
}

static void expect_table(enum form form, const char *want)
{
	struct table t;
	size_t len;
	char *got;
	FILE *out = open_memstream(&got, &len);

	table_init(&t, 2);
	table_add(&t, "name");
	table_add(&t, "x");
	table_add(&t, "a, \"b\"");
	table_number(&t, form, 1234.5678);
	table_add(&t, "c");
	table_number(&t, form, NAN);
	table_add(&t, "p");
	table_p(&t, form, 0.0004);
	table_print(&t, form, out);
	table_free(&t);
	fclose(out);
	EXPECT_STR(got, want);
	free(got);
}

static void tables(void)
{
	expect_table(FORM_TERMINAL,
		     "name         x\na, \"b\"    1235\nc            -\np       <0.001\n");
	expect_table(FORM_MARKDOWN, "| name   |      x |\n|---|---:|\n| a, \"b\" |   1235 |\n"
		     "| c      |      - |\n| p      | <0.001 |\n");
	expect_table(FORM_CSV, "name,x\n\"a, \"\"b\"\"\",1234.5678\nc,\np,0.0004\n");
}

static void units(void)
{
	char text[40];

	unit_print(UNIT_BITS, 14.28e9, text, sizeof(text));
	EXPECT_STR(text, "14.28 Gb/s");
	unit_print(UNIT_BITS, 5640.6e6, text, sizeof(text));
	EXPECT_STR(text, "5641 Mb/s");
	unit_print(UNIT_BITS, 500, text, sizeof(text));
	EXPECT_STR(text, "0.500 kb/s");
	unit_print(UNIT_TRANSACTIONS, 45145.2, text, sizeof(text));
	EXPECT_STR(text, "45145 /s");
}

SUITE(verdict,
	{ "verdicts in words, and refusals", words },
	{ "pairs are of the same block", pairs },
	{ "p is adjusted over the table", over_a_table },
	{ "series of stored runs, and groups", series },
	{ "outliers are found, not dropped", outliers },
	{ "counters of all queues, and what was added", counters },
	{ "tables in three forms", tables },
	{ "units", units });
