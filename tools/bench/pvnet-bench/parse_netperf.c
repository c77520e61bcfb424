// SPDX-License-Identifier: GPL-2.0
/*
 * netperf prints a banner, warnings and, depending on how it was built, lines of
 * TCP_INFO around its table. So find rows by what they consist of, never by place
 * or first character, and take what the receiver counted.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"

#define MOST_COLUMNS	12
#define MOST_ROWS	3
#define AGREE		0.005	/* two figures of the same thing, each rounded */

const char *const netperf_tests[NR_NETPERF_TESTS] = {
	[TCP_STREAM] = "TCP_STREAM", [TCP_MAERTS] = "TCP_MAERTS", [UDP_STREAM] = "UDP_STREAM",
	[TCP_RR] = "TCP_RR", [TCP_CRR] = "TCP_CRR", [UDP_RR] = "UDP_RR",
};

static const struct unit_name {
	const char *name;
	double bits;		/* 0: transactions */
} unit_names[] = {
	{ "10^3bits/s", 1e3 }, { "10^6bits/s", 1e6 }, { "10^9bits/s", 1e9 },
	{ "10^3bits/sec", 1e3 }, { "10^6bits/sec", 1e6 }, { "10^9bits/sec", 1e9 },
	{ "Bytes/s", 8 }, { "Bytes/sec", 8 },
	{ "KBytes/s", 8 * 0x1p10 }, { "MBytes/s", 8 * 0x1p20 }, { "GBytes/s", 8 * 0x1p30 },
	{ "KBytes/sec", 8 * 0x1p10 }, { "MBytes/sec", 8 * 0x1p20 }, { "GBytes/sec", 8 * 0x1p30 },
	{ "Trans/s", 0 }, { "per sec", 0 },
};

struct row {
	size_t n;
	double v[MOST_COLUMNS];
};

/* All that is told by the output, whatever its form */
struct found {
	const struct unit_name *unit;
	struct row row[MOST_ROWS];
	size_t rows;
	bool keys, csv, omni;	/* omni: a row that ends in its unit */
	double throughput, local_send, remote_recv, local_recv, remote_send;
	double elapsed, level, interval, iterations;
	char csv_head[400];
	char complaint[160];	/* the line that looks most like the reason of a failure */
};

static bool is_rr(enum netperf_test test)
{
	return test == TCP_RR || test == TCP_CRR || test == UDP_RR;
}

static const struct unit_name *unit_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(unit_names) / sizeof(unit_names[0]); i++)
		if (!strcmp(name, unit_names[i].name))
			return &unit_names[i];
	return NULL;
}

/* Plain decimal only: strtod() would take "inf", "nan" and hex from garbage. */
static bool to_number(const char *word, double *v)
{
	char *end;

	if (!*word || word[strspn(word, "0123456789.+-eE")])
		return false;
	*v = strtod(word, &end);
	return !*end && isfinite(*v);
}

/* A line that is numbers and nothing else; then a unit, if it is omni's. */
static bool read_row(const char *line, struct row *row, const struct unit_name **unit)
{
	char copy[256], *save, *word;

	row->n = 0;
	*unit = NULL;
	if (strlen(line) >= sizeof(copy))
		return false;
	strcpy(copy, line);
	for (word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (*unit)
			return false;
		if (row->n < MOST_COLUMNS && to_number(word, &row->v[row->n])) {
			row->n++;
			continue;
		}
		*unit = row->n ? unit_by_name(word) : NULL;
		if (!*unit)
			return false;
	}
	return row->n > 0;
}

struct key {
	const char *name;
	double *value;
};

/* THROUGHPUT=5582.62 and its like */
static bool read_key(char *line, struct found *f, struct result *r)
{
	const struct key keys[] = {
		{ "THROUGHPUT", &f->throughput }, { "ELAPSED_TIME", &f->elapsed },
		{ "LOCAL_SEND_THROUGHPUT", &f->local_send },
		{ "REMOTE_RECV_THROUGHPUT", &f->remote_recv },
		{ "LOCAL_RECV_THROUGHPUT", &f->local_recv },
		{ "REMOTE_SEND_THROUGHPUT", &f->remote_send },
		{ "P50_LATENCY", &r->p50 }, { "P99_LATENCY", &r->p99 },
		{ "CONFIDENCE_LEVEL", &f->level }, { "CONFIDENCE_INTERVAL", &f->interval },
		{ "CONFIDENCE_ITERATION", &f->iterations },
		{ "THROUGHPUT_CONFID", &r->width[WIDTH_THROUGHPUT] },
		{ "LOCAL_CPU_CONFID", &r->width[WIDTH_LOCAL_CPU] },
		{ "REMOTE_CPU_CONFID", &r->width[WIDTH_REMOTE_CPU] },
	};
	char *value = strchr(line, '=');
	size_t i;

	if (!value || value[strcspn(value, " ")] ||
	    strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != (size_t)(value - line))
		return false;
	f->keys = true;
	*value++ = '\0';
	if (!strcmp(line, "THROUGHPUT_UNITS")) {
		f->unit = unit_by_name(value);
		if (!f->unit)
			result_fail(r, "unknown unit %s", value);
		return true;
	}
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(line, keys[i].name))
			continue;
		if (!isnan(*keys[i].value))
			result_fail(r, "%s is there twice", line);
		else if (!to_number(value, keys[i].value))
			result_fail(r, "%s=%s is not a number", line, value);
	}
	return true;
}

/* "!!! Confidence intervals: Throughput      : 16.7%" */
static bool read_warning(const char *line, struct result *r)
{
	static const char *const names[NR_WIDTHS] = {
		"Throughput", "Local CPU util", "Remote CPU util"
	};
	const char *colon, *name;
	int i;

	if (strncmp(line, "!!!", 3))
		return false;
	if (strstr(line, "confidence was not achieved"))
		r->confidence_missed = true;
	for (i = 0; i < NR_WIDTHS; i++) {
		name = strstr(line, names[i]);
		colon = name ? strchr(name, ':') : NULL;
		if (colon && sscanf(colon + 1, " %lf%%", &r->width[i]) != 1)
			r->width[i] = NAN;
	}
	return true;
}

/* The unit is a word of the header, or "per sec" in the columns of a transaction rate. */
static bool read_header(const char *line, struct found *f)
{
	const struct unit_name *unit;
	char copy[256], *save, *word;

	if (strlen(line) >= sizeof(copy))
		return false;
	if (strstr(line, "secs.") && strstr(line, "per sec")) {
		f->unit = unit_by_name("per sec");
		return true;
	}
	strcpy(copy, line);
	for (word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		unit = unit_by_name(word);
		if (unit) {
			f->unit = unit;
			return true;
		}
	}
	return false;
}

static void read_complaint(const char *line, struct found *f)
{
	static const char *const signs[] = {
		"error", "errno", "could not", "are you sure", "refused", "No route", "timed out",
		"not found", "unable", "Cannot",
	};
	size_t i;

	for (i = 0; !*f->complaint && i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strstr(line, signs[i]))
			snprintf(f->complaint, sizeof(f->complaint), "%s", line);
}

/* The header line and the line after it, of the same number of commas */
static bool read_csv(const char *line, struct found *f, struct result *r)
{
	char head[sizeof(f->csv_head)], data[256], *h = head, *d = data, *name, *value;

	if (!f->csv) {
		if (strncmp(line, "Local ", 6) || !strstr(line, ",Throughput,Throughput Units") ||
		    strlen(line) >= sizeof(f->csv_head))
			return false;
		strcpy(f->csv_head, line);
		return f->csv = true;
	}
	if (!*f->csv_head || !strchr(line, ',') || strlen(line) >= sizeof(data))
		return false;
	strcpy(head, f->csv_head);
	strcpy(data, line);
	*f->csv_head = '\0';
	while ((name = strsep(&h, ",")) && (value = strsep(&d, ","))) {
		if (!strcmp(name, "Throughput Units"))
			f->unit = unit_by_name(value);
		else if ((!strcmp(name, "Throughput") && !to_number(value, &f->throughput)) ||
			 (!strcmp(name, "Elapsed Time (sec)") && !to_number(value, &f->elapsed)))
			result_fail(r, "%s is not a number in the CSV", value);
	}
	if (h || d)
		result_fail(r, "CSV header and values differ in number");
	return true;
}

static void read_line(char *line, struct found *f, struct result *r)
{
	const struct unit_name *unit;
	struct row row;

	line[strcspn(line, "\r")] = '\0';
	if (!*line || read_warning(line, r) || read_csv(line, f, r) || read_key(line, f, r))
		return;
	if (read_row(line, &row, &unit)) {
		if (f->rows < MOST_ROWS)
			f->row[f->rows] = row;
		f->rows++;
		f->omni |= !!unit;
		f->unit = unit ?: f->unit;
	} else if (!read_header(line, f)) {
		read_complaint(line, f);
	}
}

static bool read_lines(const char *text, size_t len, struct found *f, struct result *r)
{
	char *copy, *rest, *line;

	if (memchr(text, '\0', len))
		return result_fail(r, "the output is not text");
	copy = rest = strndup(text, len);
	if (!copy)
		return result_fail(r, "out of memory");
	while ((line = strsep(&rest, "\n")))
		read_line(line, f, r);
	free(copy);
	return !*r->failed;
}

/* Rows that do not hold together are not the table that they look like. */
static bool set(struct result *r, const struct found *f, double value, double seconds)
{
	bool trans = f->unit && !f->unit->bits;

	if (!f->unit)
		return result_fail(r, "no unit of the throughput");
	if (trans != (r->unit == UNIT_TRANSACTIONS))
		return result_fail(r, "%s is not the unit of this test", f->unit->name);
	r->goodput = trans ? value : value * f->unit->bits;
	r->seconds = seconds;
	r->warmup = 0;
	return true;
}

static bool read_stream(const struct found *f, struct result *r)
{
	const struct row *row = &f->row[0];

	if (f->rows != 1 || (row->n != 5 && row->n != 9))
		return result_fail(r, "%zu rows of %zu columns: not the table of a stream", f->rows,
				   f->rows ? row->n : 0);
	return set(r, f, row->v[4], row->v[3]);
}

static bool read_rr(const struct found *f, struct result *r)
{
	const struct row *row = &f->row[0];

	if (f->rows != 2 || (row->n != 6 && row->n != 10) || f->row[1].n != 2)
		return result_fail(r, "%zu rows of %zu columns: not the table of requests",
				   f->rows, f->rows ? row->n : 0);
	return set(r, f, row->v[5], row->v[4]);
}

/* Are so many messages in that time this throughput? */
static bool udp_row_agrees(double messages, double size, double seconds, double bits)
{
	double want = 8 * messages * size / seconds;

	return fabs(want - bits) <= (0.01 + 0.01 / seconds) * fmax(want, bits) + 1e4;
}

static bool read_udp(const struct found *f, struct result *r)
{
	const struct row *sent = &f->row[0], *recv = &f->row[1];
	double size = sent->v[1], seconds = sent->v[2];
	bool cpu = sent->n == 8;

	if (f->rows == 1)
		return result_fail(r, "the receiver's row is missing");
	if (f->rows != 2 || (sent->n != 6 && !cpu) || recv->n != (cpu ? 6 : 4))
		return result_fail(r, "%zu rows of figures: not the table of UDP_STREAM", f->rows);
	if (recv->v[1] != seconds || !(seconds > 0))
		return result_fail(r, "the rows are of %g and %g s", seconds, recv->v[1]);
	if (!set(r, f, recv->v[3], seconds))
		return false;
	r->sent = sent->v[5] * f->unit->bits;
	if (!udp_row_agrees(sent->v[3], size, seconds, r->sent) ||
	    !udp_row_agrees(recv->v[2], size, seconds, r->goodput))
		return result_fail(r, "messages and throughput do not agree");
	if (!(sent->v[3] > 0))
		return result_fail(r, "nothing was sent");
	r->loss = 1 - recv->v[2] / sent->v[3];
	return true;
}

/*
 * Of several iterations THROUGHPUT is the mean, and the rest are of the last one.
 * Of one, it must be what the receiver says.
 */
static bool read_keys(enum netperf_test test, const struct found *f, struct result *r)
{
	double got = test == TCP_MAERTS ? f->local_recv : f->remote_recv;
	double sent = test == TCP_MAERTS ? f->remote_send : f->local_send;

	/* Of a stream they are those of send(). */
	if (!is_rr(test) || !(r->p50 >= 0) || !(r->p99 >= 0))
		r->p50 = r->p99 = NAN;
	if (isnan(f->throughput))
		return result_fail(r, "no THROUGHPUT");
	if (!set(r, f, f->throughput, f->elapsed))
		return false;
	if (r->unit == UNIT_TRANSACTIONS)
		return true;
	if (isnan(got) && test == UDP_STREAM)
		return result_fail(r, "REMOTE_RECV_THROUGHPUT, the receiver's figure, is missing");
	if (f->iterations > 1)
		return true;
	if (fabs(got - f->throughput) > AGREE * fmax(got, f->throughput) + 0.01)
		return result_fail(r, "THROUGHPUT %g is not the receiver's %g", f->throughput, got);
	r->sent = sent * f->unit->bits;
	if (test != UDP_STREAM)
		return true;
	if (got > sent + AGREE * sent + 0.01)
		return result_fail(r, "received %g, sent %g", got, sent);
	r->loss = sent > 0 ? fmax(0, 1 - got / sent) : NAN;
	return true;
}

static void read_confidence(const struct found *f, struct result *r)
{
	int i;

	for (i = 0; i < NR_WIDTHS; i++)
		if (!(r->width[i] >= 0))
			r->width[i] = NAN;
	if (f->level > 0 && r->width[WIDTH_THROUGHPUT] > f->interval)
		r->confidence_missed = true;
}

/* Its last columns are time and throughput; it does not say whose. */
static bool read_omni(enum netperf_test test, const struct found *f, struct result *r)
{
	const struct row *row = &f->row[0];

	if (test == UDP_STREAM)
		return result_fail(r, "omni's table does not have the receiver's figure: use -k");
	if (f->rows != 1 || row->n < 3)
		return result_fail(r, "%zu rows of figures: not omni's table", f->rows);
	return set(r, f, row->v[row->n - 1], row->v[row->n - 2]);
}

static bool read_form(enum netperf_test test, const struct found *f, struct result *r)
{
	if (f->keys || f->csv) {
		if (f->keys && f->csv)
			return result_fail(r, "keys and CSV in one output");
		return read_keys(test, f, r);
	}
	if (f->omni)
		return read_omni(test, f, r);
	if (test == UDP_STREAM)
		return read_udp(f, r);
	return is_rr(test) ? read_rr(f, r) : read_stream(f, r);
}

static void first_line(const char *text, char *line, size_t size)
{
	text += strspn(text, " \t\r\n");
	snprintf(line, size, "%.*s", (int)strcspn(text, "\r\n"), text);
}

void parse_netperf(enum netperf_test test, const char *unit, const char *text, size_t len,
		   const char *err, struct result *r)
{
	struct found f = {
		.throughput = NAN,
		.local_send = NAN,
		.remote_recv = NAN,
		.local_recv = NAN,
		.remote_send = NAN,
		.elapsed = NAN,
		.level = NAN,
		.interval = NAN,
		.iterations = NAN,
	};
	char why[160];
	const char *at;

	result_init(r);
	strcpy(r->tool, "netperf");
	r->unit = is_rr(test) ? UNIT_TRANSACTIONS : UNIT_BITS;
	if (!read_lines(text, len, &f, r))
		return;
	if (!f.unit && unit)
		f.unit = unit_by_name(unit);
	for (at = err; at && (at = strstr(at, "!!!")); at += strcspn(at, "\n"))
		read_warning(at, r);
	if (*f.complaint) {
		result_fail(r, "%s", f.complaint);
		return;
	}
	if (!f.rows && !f.keys && !f.csv) {
		first_line(err && *err ? err : "", why, sizeof(why));
		result_fail(r, "%s", *why ? why : len ? "no figures in the output" : "no output");
		return;
	}
	read_confidence(&f, r);
	if (read_form(test, &f, r))
		result_plausible(r);
}
