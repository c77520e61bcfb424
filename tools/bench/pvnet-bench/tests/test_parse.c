// SPDX-License-Identifier: GPL-2.0
/* The parsers, on every line of fixtures/expected. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "../result.h"
#include "../text.h"
#include "ktap.h"

#define COLUMNS	8

enum column { FILE_NAME, TEST, GOODPUT, SENT, LOSS, SECONDS, WARMUP, CONFIDENCE };

static void parse_as(const char *test, const char *text, size_t len, struct result *r)
{
	char name[32] = "", unit[32] = "";
	int i;

	sscanf(test, "%31s %31[^\n]", name, unit);
	if (!strcmp(name, "iperf3")) {
		parse_iperf3(text, len, r);
		return;
	}
	for (i = 0; i < NR_NETPERF_TESTS; i++)
		if (!strcmp(name, netperf_tests[i]))
			break;
	if (i == NR_NETPERF_TESTS)
		complain(__FILE__, __LINE__, "no test %s", name);
	else
		parse_netperf(i, *unit ? unit : NULL, text, len, NULL, r);
}

static double value(const char *column)
{
	return column && strcmp(column, "-") ? atof(column) : NAN;
}

static void expect_failed(const struct result *r, const char *why)
{
	EXPECT_HAS(r->failed, why);
	EXPECT(*r->failed);
	EXPECT(isnan(r->goodput) && isnan(r->sent) && isnan(r->loss) && !r->nr_samples);
}

static void expect_figures(const struct result *r, char **column)
{
	double p50, p99;
	char missed[80] = "";

	EXPECT_STR(r->failed, "");
	EXPECT_NEAR(r->goodput, value(column[GOODPUT]));
	EXPECT_NEAR(r->sent, value(column[SENT]));
	EXPECT_NEAR(r->loss, value(column[LOSS]));
	EXPECT_NEAR(r->seconds, value(column[SECONDS]));
	if (column[WARMUP] && strcmp(column[WARMUP], "-"))
		EXPECT_NEAR(r->warmup, value(column[WARMUP]));
	if (r->confidence_missed)
		snprintf(missed, sizeof(missed), "missed %g %g %g", r->width[WIDTH_THROUGHPUT],
			 r->width[WIDTH_LOCAL_CPU], r->width[WIDTH_REMOTE_CPU]);
	if (column[CONFIDENCE] && sscanf(column[CONFIDENCE], "latency %lf %lf", &p50, &p99) == 2) {
		EXPECT_NEAR(r->p50, p50);
		EXPECT_NEAR(r->p99, p99);
	} else if (column[CONFIDENCE]) {
		double w[NR_WIDTHS];

		sscanf(column[CONFIDENCE], "missed %lf %lf %lf", &w[0], &w[1], &w[2]);
		EXPECT_HAS(missed, "missed");
		EXPECT_NEAR(r->width[WIDTH_THROUGHPUT], w[0]);
		EXPECT_NEAR(r->width[WIDTH_LOCAL_CPU], w[1]);
		EXPECT_NEAR(r->width[WIDTH_REMOTE_CPU], w[2]);
	} else {
		EXPECT_STR(missed, "");
	}
}

static void expect_line(char *line)
{
	char *column[COLUMNS] = { }, path[300], *text, *part;
	struct result r;
	size_t len;
	int n = 0;

	while (n < COLUMNS && (part = strsep(&line, "|")))
		column[n++] = text_trim(part);
	at("%s", column[FILE_NAME]);
	snprintf(path, sizeof(path), "%s/%s", fixtures, column[FILE_NAME]);
	text = text_read(path, &len);
	if (!text) {
		complain(__FILE__, __LINE__, "cannot read %s", path);
		return;
	}
	parse_as(column[TEST], text, len, &r);
	if (!strncmp(column[GOODPUT], "failed: ", 8))
		expect_failed(&r, column[GOODPUT] + 8);
	else
		expect_figures(&r, column);
	free(text);
}

/* How many lines are of files with this prefix; tries them all. */
static int each_line(const char *prefix)
{
	char path[300], *text, *rest, *line;
	size_t len;
	int n = 0;

	snprintf(path, sizeof(path), "%s/expected", fixtures);
	rest = text = text_read(path, &len);
	while (text && (line = strsep(&rest, "\n")))
		if (!strncmp(line, prefix, strlen(prefix))) {
			expect_line(line);
			n++;
		}
	free(text);
	at("%d lines of %s", n, prefix);
	return n;
}

static void iperf3(void)
{
	EXPECT(each_line("iperf3-") >= 35);
}

static void netperf(void)
{
	EXPECT(each_line("netperf-") >= 60);
}

static void damaged(void)
{
	EXPECT(each_line("bad-") >= 50);
}

static void warning_on_stderr(void)
{
	static const char text[] = "THROUGHPUT=5.0\nTHROUGHPUT_UNITS=10^6bits/s\nELAPSED_TIME=1\n";
	static const char err[] = "!!! WARNING\n!!! Desired confidence was not achieved within\n"
				  "!!! Confidence intervals: Throughput      : 16.7%\n";
	struct result r;

	parse_netperf(TCP_STREAM, NULL, text, strlen(text), err, &r);
	EXPECT_STR(r.failed, "");
	EXPECT(r.confidence_missed);
	EXPECT_NEAR(r.width[WIDTH_THROUGHPUT], 16.7);
	at("nothing but stderr");
	parse_netperf(TCP_STREAM, NULL, "", 0, "netperf: cannot resolve\nmore", &r);
	EXPECT_STR(r.failed, "netperf: cannot resolve");
}

/* Where intervals end does not change the mean: the same bytes, cut elsewhere. */
static void interval_boundaries(void)
{
	static const double cuts[][4] = {
		{ 0.25, 0.5, 0.75, 1 }, { 0.001, 0.5, 0.501, 1 }, { 0.4, 0.7, 0.999, 1 },
	};
	char text[4000];
	struct result r;
	size_t i, k;
	int n;

	for (i = 0; i < 3; i++) {
		double from = 0;

		n = sprintf(text, "{\"start\":{\"test_start\":{\"protocol\":\"TCP\",\"reverse\":1,"
			    "\"omit\":0,\"duration\":1}},\"end\":{},\"intervals\":[");
		for (k = 0; k < 4; from = cuts[i][k++])
			n += sprintf(text + n,
				     "%s{\"sum\":{\"start\":%g,\"seconds\":%.17g,\"bytes\":%.17g,"
				     "\"omitted\":false}}",
				     k ? "," : "", from, cuts[i][k] - from,
				     1e6 * (cuts[i][k] - from) + (k == 0) * 500);
		strcpy(text + n, "]}");
		parse_iperf3(text, strlen(text), &r);
		EXPECT_STR(r.failed, "");
		EXPECT_NEAR(r.goodput, 8 * 1000500);
		EXPECT(r.nr_samples == 4);
	}
}

/* Cut a healthy output anywhere: never a number, or the same one (only spaces lost). */
static void every_prefix(void)
{
	char path[300], *text;
	struct result r;
	size_t len, n;

	snprintf(path, sizeof(path), "%s/iperf3-3.16-tcp-reverse.json", fixtures);
	text = text_read(path, &len);
	EXPECT(text);
	for (n = 0; text && n < len; n++) {
		parse_iperf3(text, n, &r);
		if (*r.failed ? !isnan(r.goodput) : n < len - 1)
			complain(__FILE__, __LINE__, "%zu of %zu bytes: %s %g", n, len, r.failed,
				 r.goodput);
	}
	free(text);
}

SUITE(parse,
	{ "iperf3 3.1 to 3.18", iperf3 },
	{ "netperf 2.6 and 2.7", netperf },
	{ "damaged outputs give a reason, and no number", damaged },
	{ "netperf's stderr", warning_on_stderr },
	{ "the mean does not depend on where intervals end", interval_boundaries },
	{ "an output that ends anywhere", every_prefix });
