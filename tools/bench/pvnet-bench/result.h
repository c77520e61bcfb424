/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one run of iperf3 or netperf measured, or why it measured nothing. The
 * parsers are pure: text in, struct out. Whatever the text, a number comes out
 * only if the text holds together; NAN is "not known".
 */
#ifndef _BENCH_RESULT_H
#define _BENCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#define MOST_SAMPLES	1024
#define FASTEST		1e13	/* bits/s; more than that is not believed */

enum unit { UNIT_BITS, UNIT_TRANSACTIONS };

enum width { WIDTH_THROUGHPUT, WIDTH_LOCAL_CPU, WIDTH_REMOTE_CPU, NR_WIDTHS };

struct result {
	char failed[200];	/* if not empty, there are no figures */
	char tool[32];		/* and its version, if it says so */
	char note[120];
	enum unit unit;
	double goodput;		/* what the receiver got, per second */
	double sent;		/* what the sender gave, per second */
	double loss;		/* 0 to 1 */
	double seconds;		/* that goodput is of */
	double warmup;		/* seconds that were left out */
	double p50, p99;	/* latency of requests, microseconds */
	double width[NR_WIDTHS];	/* netperf -I: achieved, percent */
	bool confidence_missed;
	size_t nr_samples;	/* goodput of each interval that counts */
	double sample[MOST_SAMPLES];
};

void result_init(struct result *r);

/* Takes all figures away; the first reason stays. Always false. */
__attribute__((__format__(__printf__, 2, 3)))
bool result_fail(struct result *r, const char *fmt, ...);

/* The last check of each parser */
bool result_plausible(struct result *r);

/* Output of iperf3 -J. With a warm-up, a receiver at the other end must be iperf3 -s -J. */
void parse_iperf3(const char *text, size_t len, struct result *r);

enum netperf_test {
	TCP_STREAM, TCP_MAERTS, UDP_STREAM, TCP_RR, TCP_CRR, UDP_RR, NR_NETPERF_TESTS
};

extern const char *const netperf_tests[NR_NETPERF_TESTS];

/*
 * Any form of output of that test: classic with or without headers, the keys of
 * -k, CSV. unit is for tables without headers (-P 0), else NULL. err is what came on stderr.
 */
void parse_netperf(enum netperf_test test, const char *unit, const char *text, size_t len,
		   const char *err, struct result *r);

#endif
