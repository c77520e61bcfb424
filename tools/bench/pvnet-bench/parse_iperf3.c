// SPDX-License-Identifier: GPL-2.0
/*
 * The totals of iperf3 cannot be relied on: for UDP, "sum" has the sender's bytes;
 * the "sender" flags of totals are wrong in some versions; warm-up is in some totals
 * and in the loss of others. So take the receiver's intervals, leave out those marked
 * as warm-up, and weigh them by the time they really took. The receiver's total is
 * taken only if there is nothing else and no warm-up.
 */
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "result.h"

#define RATE_TOLERANCE	0.01	/* of an interval: bytes against bits per second */
#define CLOCK_TOLERANCE	0.005	/* seconds */
#define TOTAL_TOLERANCE 0.05 /* the same of a total: some versions divide by the other end's time */

struct run {
	bool udp, reverse;
	double omit, duration, block;
};

/* Of intervals, or of a total */
struct flow {
	double bytes, seconds, lost, packets;
};

static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* Versions differ in whether a flag is a bool or 0 and 1. */
static bool flag(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_true(v) || (json_is_number(v) && json_number_value(v) != 0);
}

static bool off(double a, double b, double tolerance)
{
	return !(fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b)) + 8);
}

static bool flow_read(const json_t *sum, double tolerance, struct flow *f, const char *what,
		      struct result *r)
{
	double rate = number(sum, "bits_per_second");

	f->bytes = number(sum, "bytes");
	f->seconds = number(sum, "seconds");
	f->lost = number(sum, "lost_packets");
	f->packets = number(sum, "packets");
	if (!isfinite(f->bytes) || !isfinite(f->seconds))
		return result_fail(r, "%s: no bytes or seconds", what);
	if (f->bytes < 0 || f->seconds <= 0 || f->packets < 0)
		return result_fail(r, "%s: impossible: %g bytes in %g s", what, f->bytes,
				   f->seconds);
	if (!isnan(rate) && off(rate * f->seconds / 8, f->bytes, tolerance))
		return result_fail(r, "%s: %g bytes in %g s are not %g bits/s", what, f->bytes,
				   f->seconds, rate);
	return true;
}

static void flow_add(struct flow *sum, const struct flow *f)
{
	sum->bytes += f->bytes;
	sum->seconds += f->seconds;
	sum->lost += f->lost;
	sum->packets += f->packets;
}

/* Each begins where the last one ended. Clocks are read twice, so not to the microsecond. */
static bool interval_follows(const json_t *sum, double *end, struct result *r)
{
	double start = number(sum, "start"), seconds = number(sum, "seconds");

	if (!isfinite(start))
		return result_fail(r, "an interval without its start");
	if (start < *end - fmax(0.1 * seconds, CLOCK_TOLERANCE))
		return result_fail(r, "intervals overlap at %g s", start);
	*end = start + seconds;
	return true;
}

/* Adds up the intervals of one end that are not warm-up; sample may be NULL. */
static bool intervals_read(const json_t *list, const struct run *run, struct flow *kept,
			   struct flow *dropped, struct result *r, bool samples)
{
	double end = -INFINITY;
	json_t *interval, *sum;
	struct flow f;
	size_t i;

	json_array_foreach(list, i, interval) {
		sum = json_object_get(interval, "sum");
		if (!json_is_object(sum))
			return result_fail(r, "interval %zu has no sum", i);
		if (!flow_read(sum, RATE_TOLERANCE, &f, "an interval", r))
			return false;
		if (run->omit > 0 && !json_object_get(sum, "omitted"))
			return result_fail(r, "interval %zu does not say if it is warm-up", i);
		if (flag(sum, "omitted")) {
			flow_add(dropped, &f);
			continue;
		}
		if (!interval_follows(sum, &end, r))
			return false;
		flow_add(kept, &f);
		if (samples && r->nr_samples < MOST_SAMPLES)
			r->sample[r->nr_samples++] = 8 * f.bytes / f.seconds;
	}
	if (run->omit > 0 && dropped->seconds == 0)
		return result_fail(r, "warm-up was asked for, but no interval is marked as that");
	if (kept->seconds == 0)
		return result_fail(r, "no intervals after the warm-up");
	return true;
}

static bool has_intervals(const json_t *end)
{
	return json_array_size(json_object_get(end, "intervals")) > 0;
}

/* Loss, and what it says about the bytes: a sender's figure in the receiver's place */
static bool read_loss(const struct run *run, const struct flow *f, struct result *r)
{
	if (!run->udp)
		return true;
	if (isnan(f->lost) || isnan(f->packets) || f->packets <= 0)
		return result_fail(r, "the receiver's packets are missing");
	if (f->lost < 0 || f->lost > f->packets)
		return result_fail(r, "impossible: %g of %g packets lost", f->lost, f->packets);
	if (run->block > 0 && off((f->packets - f->lost) * run->block, f->bytes, TOTAL_TOLERANCE))
		return result_fail(
			r, "%g bytes are not those of %g packets less %g: the sender's figure?",
			f->bytes, f->packets, f->lost);
	r->loss = f->lost / f->packets;
	return true;
}

/* The whole, if the intervals are the receiver's: must agree with its own total. */
static bool total_agrees(const json_t *root, const struct flow *kept, const struct flow *dropped,
			 struct result *r)
{
	const json_t *total = json_object_get(json_object_get(root, "end"), "sum_received");
	double bytes = number(total, "bytes");

	if (isnan(bytes) || dropped->seconds > 0 || !off(bytes, kept->bytes, TOTAL_TOLERANCE))
		return true;
	return result_fail(r, "intervals have %g bytes, the total %g", kept->bytes, bytes);
}

static bool from_intervals(const json_t *root, const json_t *receiver, const struct run *run,
			   struct flow *kept, struct result *r)
{
	struct flow dropped = {};

	if (!intervals_read(json_object_get(receiver, "intervals"), run, kept, &dropped, r, true) ||
	    !total_agrees(root, kept, &dropped, r))
		return false;
	r->warmup = dropped.seconds;
	return true;
}

static bool from_total(const json_t *root, const struct run *run, struct flow *total,
		       struct result *r)
{
	const json_t *sum = json_object_get(json_object_get(root, "end"), "sum_received");

	if (run->omit > 0)
		return result_fail(r,
				   "warm-up cannot be left out without the receiver's intervals: "
				   "start the server with iperf3 -s -J");
	if (!json_is_object(sum))
		return result_fail(r, "the receiver's figure is missing");
	r->warmup = 0;
	return flow_read(sum, TOTAL_TOLERANCE, total, "the receiver's total", r);
}

/* Beside the result, so a sender that says nothing is no failure. */
static void read_sent(const json_t *root, const json_t *sender, const struct run *run,
		      struct result *r)
{
	struct flow f = {}, dropped = {};
	struct result ignored;

	result_init(&ignored);
	if (sender && has_intervals(sender)) {
		if (!intervals_read(json_object_get(sender, "intervals"), run, &f, &dropped,
				    &ignored, false))
			return;
	} else if (run->omit > 0 ||
		   !flow_read(json_object_get(json_object_get(root, "end"), "sum_sent"),
			      TOTAL_TOLERANCE, &f, "sent", &ignored)) {
		return;
	}
	r->sent = 8 * f.bytes / f.seconds;
}

static bool long_enough(const struct run *run, struct result *r)
{
	if (run->duration > 0 && r->seconds < run->duration / 2)
		return result_fail(r, "ended after %.3g of %g s", r->seconds, run->duration);
	/* Socket buffers hide much from a TCP sender, but a UDP one is never behind. */
	if (run->udp && !isnan(r->sent) && r->goodput > 1.1 * r->sent)
		return result_fail(r, "received %g of %g bits/s sent", r->goodput, r->sent);
	return true;
}

/* 3.12 does not say so where it says the rest. */
static bool both_directions(const json_t *root, const json_t *test)
{
	const json_t *first = json_array_get(json_object_get(root, "intervals"), 0);

	return flag(test, "bidir") || json_object_get(first, "sum_bidir_reverse") ||
	       json_object_get(json_object_get(root, "end"), "sum_sent_bidir_reverse");
}

static bool read_run(const json_t *root, struct run *run, struct result *r)
{
	const json_t *start = json_object_get(root, "start");
	const json_t *test = json_object_get(start, "test_start");
	const char *protocol = json_string_value(json_object_get(test, "protocol"));
	const char *version = json_string_value(json_object_get(start, "version"));

	if (version)
		strncpy(r->tool, version, sizeof(r->tool) - 1);
	if (!protocol)
		return result_fail(r, "the test never started");
	if (both_directions(root, test))
		return result_fail(r,
				   "both directions at once are two results: run each by itself");
	run->udp = !strcmp(protocol, "UDP");
	if (!run->udp && strcmp(protocol, "TCP"))
		return result_fail(r, "protocol %s is not supported", protocol);
	run->reverse = flag(test, "reverse");
	run->omit = number(test, "omit");
	run->duration = number(test, "duration");
	run->block = number(test, "blksize");
	return true;
}

/* What the server adds with --get-server-output must be of the same test. */
static const json_t *server_of(const json_t *root)
{
	const json_t *server = json_object_get(root, "server_output_json");
	const char *a =
		json_string_value(json_object_get(json_object_get(root, "start"), "cookie"));
	const char *b =
		json_string_value(json_object_get(json_object_get(server, "start"), "cookie"));

	return json_is_object(server) && !(a && b && strcmp(a, b)) ? server : NULL;
}

static bool read_root(const json_t *root, struct result *r)
{
	const char *error = json_string_value(json_object_get(root, "error"));
	const json_t *server = server_of(root), *receiver;
	struct flow f = {};
	struct run run = {};

	if (json_object_get(root, "event"))
		return result_fail(r, "--json-stream is not supported: use -J");
	if (error)
		return result_fail(r, "%s", *error ? error : "error without a text");
	if (!read_run(root, &run, r))
		return false;
	receiver = run.reverse ? root : server;
	if (receiver && has_intervals(receiver)) {
		if (!from_intervals(root, receiver, &run, &f, r))
			return false;
	} else if (!from_total(root, &run, &f, r)) {
		return false;
	}
	r->unit = UNIT_BITS;
	r->goodput = 8 * f.bytes / f.seconds;
	r->seconds = f.seconds;
	if (!read_loss(&run, &f, r))
		return false;
	read_sent(root, run.reverse ? server : root, &run, r);
	return long_enough(&run, r) && result_plausible(r);
}

/* Consoles and ssh put lines before the object; after it there is nothing to look for. */
static const char *object_start(const char *text, size_t len)
{
	const char *at;

	for (at = text; at < text + len; at++) {
		if (*at == '{')
			return at;
		at = memchr(at, '\n', text + len - at);
		if (!at)
			break;
	}
	return NULL;
}

void parse_iperf3(const char *text, size_t len, struct result *r)
{
	const char *start = object_start(text, len);
	json_error_t error;
	json_t *root;

	result_init(r);
	if (!start) {
		result_fail(r, len ? "no JSON in the output" : "no output");
		return;
	}
	root = json_loadb(start, text + len - start, JSON_DISABLE_EOF_CHECK, &error);
	if (!root)
		result_fail(r, "broken JSON, line %d: %s", error.line, error.text);
	else if (memchr(start + error.position, '{', text + len - start - error.position))
		result_fail(r, "more than one JSON object");
	else
		read_root(root, r);
	json_decref(root);
}
