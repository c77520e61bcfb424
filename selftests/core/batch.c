// SPDX-License-Identifier: GPL-2.0
/* How many slots to wait for: the policy, against senders of several kinds. */
#include <string.h>

#include <pvnet/batch.h>

#include "ktap.h"

#define TAU	100000ull
#define MOST	0xffffffffffffffffull

static bool power_of_two(u32 n)
{
	return n && !(n & (n - 1));
}

static void sane(const struct pvn_batch *b)
{
	EXPECT(b->k >= 1 && b->k <= b->limit);
	EXPECT(b->limit <= PVN_BATCH_MAX && power_of_two(b->limit));
	EXPECT(b->backoff <= 10);
}

/*
 * A consumer that serves slots in no time, and a sender with one slot each @gap.
 * One sleep; returns whether the timer ended it. With K = 1 there is no timer.
 */
static bool stream(struct pvn_batch *b, u64 gap)
{
	u32 k = b->k;

	if (k > 1 && k * gap > TAU) {
		pvn_batch_expired(b, TAU / gap);
		sane(b);
		return true;
	}
	pvn_batch_filled(b, k, PVN_BATCH_MAX, k * gap, TAU);
	sane(b);
	return false;
}

/* A sender of @n slots at once, which then waits for an answer. */
static bool burst(struct pvn_batch *b, u32 n)
{
	bool late = b->k > n;

	if (late)
		pvn_batch_expired(b, n);
	else
		pvn_batch_filled(b, b->k, PVN_BATCH_MAX, TAU / 10, TAU);
	sane(b);
	return late;
}

static u32 batches_to(struct pvn_batch *b, u32 k, u64 gap, u32 most)
{
	u32 i;

	for (i = 0; i < most && b->k != k; i++)
		stream(b, gap);
	return i;
}

static void start(void)
{
	struct pvn_batch b;

	memset(&b, 0xff, sizeof(b));
	pvn_batch_init(&b);
	EXPECT_EQ(b.k, 1);
	EXPECT_EQ(b.limit, 1);
	EXPECT_EQ(b.good, 0);
	EXPECT(!b.trying);
	sane(&b);
}

/* The start is careful, for 8 batches; then each success makes it bolder. */
static void fast_stream(void)
{
	struct pvn_batch b;
	u32 i;

	pvn_batch_init(&b);
	EXPECT_EQ(batches_to(&b, 2, 10, 100), 8);
	EXPECT_EQ(batches_to(&b, 64, 10, 100), 9);	/* 4 + 2 + 1 + 1 + 1 */
	for (i = 0; i < 10000; i++) {
		EXPECT(!stream(&b, 10));
		EXPECT_EQ(b.k, 64);
	}
}

/* From any rate to any other: a batch takes three eighths to three quarters of tau. */
static void settled(struct pvn_batch *b, u64 gap)
{
	u32 i, k;

	for (i = 0; i < 4096; i++)
		stream(b, gap);
	k = b->k;
	for (i = 0; i < 2048; i++) {
		EXPECT(!stream(b, gap));
		EXPECT_EQ(b->k, k);
	}
	EXPECT(k == 1 || k * gap <= TAU * 3 / 4);
	EXPECT(k == 64 || k * gap >= TAU * 3 / 8);
}

static void any_rate(void)
{
	struct pvn_batch b;
	u64 from, to;

	for (from = 1; from < 64 * TAU; from += from / 2 + 1) {
		for (to = 1; to < 64 * TAU; to += to / 3 + 1) {
			pvn_batch_init(&b);
			test_context("a slot each %llu ns, then each %llu",
				     (unsigned long long)from, (unsigned long long)to);
			settled(&b, from);
			settled(&b, to);
		}
	}
}

/* A stream that was slow for a while is soon taken for what it is. */
static void recovers(void)
{
	struct pvn_batch b;
	u32 i;

	pvn_batch_init(&b);
	for (i = 0; i < 100; i++)
		stream(&b, 10);
	for (i = 0; i < 6; i++) {
		EXPECT_EQ(b.k, 64 >> i);
		EXPECT(stream(&b, TAU));
	}
	EXPECT_EQ(b.k, 1);
	for (i = 0; i < 100000; i++)
		EXPECT(!stream(&b, TAU));
	EXPECT_EQ(batches_to(&b, 64, 10, 1000), 126);	/* 64 + 32 + 16 ... */
}

/* Tried after 8, 16 ... 1024 answers, then after each 1024; never given up. */
static void request_response(void)
{
	u32 i, last = 0, gap = 0, tries = 0;
	const u32 n = 1 << 20;
	struct pvn_batch b;

	pvn_batch_init(&b);
	for (i = 1; i <= n; i++) {
		u32 k = b.k;

		EXPECT(k <= 2);
		if (!burst(&b, 1))
			continue;
		EXPECT_EQ(b.k, 1);
		EXPECT(i - last >= gap);
		gap = i - last;
		last = i;
		tries++;
	}
	EXPECT_EQ(gap, 1025);
	EXPECT(tries <= 8 + n / 1024);
	EXPECT(tries >= n / 1025);
}

static void bursts(void)
{
	const u32 count = 1 << 17;
	struct pvn_batch b;
	u32 n, i, late;

	for (n = 1; n <= PVN_BATCH_MAX; n++) {
		u32 fits = PVN_BATCH_MAX;

		while (fits > n)
			fits /= 2;
		test_context("bursts of %u", n);
		pvn_batch_init(&b);
		for (i = 0; i < 64; i++)
			burst(&b, n);
		for (i = late = 0; i < count; i++) {
			late += burst(&b, n);
			EXPECT(b.k == fits || b.k == 2 * fits);
		}
		EXPECT(late <= 12 + count / 1024);
		EXPECT((late == 0) == (n == PVN_BATCH_MAX));
	}
}

static struct pvn_batch at(u32 k, u32 limit)
{
	return (struct pvn_batch) { .k = k, .limit = limit, .backoff = 3, .good = 5 };
}

/* Half of what was tried is the new limit, and it takes longer to try again. */
static void expired(void)
{
	struct pvn_batch b;
	u32 limit, slots;

	for (limit = 1; limit <= PVN_BATCH_MAX; limit *= 2) {
		for (slots = 1; slots < 2 * limit; slots++) {
			test_context("limit %u, %u slots", limit, slots);
			b = at(limit, limit);
			b.trying = true;
			pvn_batch_expired(&b, slots);
			EXPECT_EQ(b.limit, limit > 1 ? limit / 2 : 1);
			EXPECT_EQ(b.k, b.limit);
			EXPECT_EQ(b.backoff, 4);
			EXPECT_EQ(b.good, 0);
			EXPECT(!b.trying);
		}
	}
	for (slots = 0; slots < 100; slots++)
		pvn_batch_expired(&b, 1);
	EXPECT_EQ(b.backoff, 10);
}

/* A batch that was smaller than allowed is not followed by a larger one. */
static void expired_below(void)
{
	struct pvn_batch b = at(8, 64);

	pvn_batch_expired(&b, 3);
	EXPECT_EQ(b.k, 4);
	EXPECT_EQ(b.limit, 32);
	b = at(1, 64);
	pvn_batch_expired(&b, 1);
	EXPECT_EQ(b.k, 1);
}

/* The end of a stream says nothing about the next: K is 1, and soon what it was. */
static void expired_empty(void)
{
	struct pvn_batch b = at(64, 64);

	b.trying = true;
	pvn_batch_expired(&b, 0);
	EXPECT_EQ(b.k, 1);
	EXPECT_EQ(b.limit, 64);
	EXPECT_EQ(b.backoff, 3);
	EXPECT_EQ(b.good, 5);
	EXPECT(b.trying);
	EXPECT_EQ(batches_to(&b, 64, 10, 100), 6);
}

static u32 after_most(u32 k, u32 most, u64 took, u64 tau)
{
	struct pvn_batch b = at(k, 64);

	pvn_batch_filled(&b, k, most, took, tau);
	sane(&b);
	return b.k;
}

static u32 after(u32 k, u64 took, u64 tau)
{
	return after_most(k, PVN_BATCH_MAX, took, tau);
}

static void borders(void)
{
	EXPECT_EQ(after(8, 37, 100), 16);
	EXPECT_EQ(after(8, 38, 100), 8);
	EXPECT_EQ(after(8, 75, 100), 8);
	EXPECT_EQ(after(8, 76, 100), 4);
	EXPECT_EQ(after(7, 76, 100), 3);
	EXPECT_EQ(after(1, 76, 100), 1);
	EXPECT_EQ(after(33, 24, 100), 64);
	EXPECT_EQ(after(64, 24, 100), 64);
	EXPECT_EQ(after(0, 50, 100), 1);	/* not asked for; but never 0 */
	EXPECT_EQ(after(0, 76, 100), 1);
	EXPECT_EQ(after(0, 24, 100), 2);
}

/* Asked for more than the limit, by the user: not what the policy goes on with. */
static void bounds(void)
{
	struct pvn_batch b = at(1, 4);

	pvn_batch_filled(&b, 48, PVN_BATCH_MAX, TAU / 2, TAU);
	EXPECT_EQ(b.k, 4);
	EXPECT_EQ(after_most(8, 12, 24, 100), 12);
	EXPECT_EQ(after_most(8, 5, 50, 100), 5);
	EXPECT_EQ(after_most(8, 3, 76, 100), 3);
	EXPECT_EQ(after_most(8, 0, 50, 100), 1);
}

static void extremes(void)
{
	EXPECT_EQ(after(8, 0, 0), 16);
	EXPECT_EQ(after(8, 1, 0), 4);
	EXPECT_EQ(after(8, MOST, 0), 4);
	EXPECT_EQ(after(8, 0, MOST), 16);
	EXPECT_EQ(after(8, MOST / 2, MOST), 8);
	EXPECT_EQ(after(8, MOST / 8 * 3, MOST), 16);
	EXPECT_EQ(after(8, MOST, MOST), 4);
	EXPECT_EQ(after(8, 0, 1), 16);
	EXPECT_EQ(after(8, 2, 1), 4);
}

/* Fewer than the policy wants may be asked for, when the producer has no room for more. */
static void fewer(void)
{
	struct pvn_batch b;
	u32 i;

	pvn_batch_init(&b);
	for (i = 0; i < 100; i++)
		stream(&b, 10);
	for (i = 0; i < 10000; i++)
		pvn_batch_filled(&b, 4, PVN_BATCH_MAX, 10, TAU);
	EXPECT_EQ(b.k, 8);
	EXPECT_EQ(b.limit, 64);
	EXPECT_EQ(batches_to(&b, 64, 10, 100), 3);

	b = at(16, 16);
	for (i = 0; i < 10000; i++)
		pvn_batch_filled(&b, 4, PVN_BATCH_MAX, 10, TAU);
	EXPECT_EQ(b.k, 8);
	EXPECT_EQ(b.limit, 16);
	EXPECT_EQ(b.good, 5);
}

static u64 any_time(void)
{
	u64 t = (u64)test_rand() << 32 | test_rand();

	return t >> rand_below(64);
}

static void random_calls(void)
{
	struct pvn_batch b;
	u32 i, k;

	pvn_batch_init(&b);
	for (i = 0; i < 3000000; i++) {
		k = rand_below(8) ? b.k : rand_below(b.k + 1);
		if (rand_below(16))
			pvn_batch_filled(&b, k, rand_below(4) ? PVN_BATCH_MAX : rand_below(100),
					 rand_below(4) ? any_time() : 0, any_time());
		else if (rand_below(4))
			pvn_batch_expired(&b, rand_below(4) ? rand_below(k + 1) : 0);
		else
			pvn_batch_expired(&b, test_rand());
		test_context("call %u", i);
		sane(&b);
	}
}

SUITE(batch,
	{ "start", start },
	{ "a fast stream", fast_stream },
	{ "what a batch takes, from any rate to any other", any_rate },
	{ "a stream that was slow", recovers },
	{ "request and response", request_response },
	{ "bursts", bursts },
	{ "the time is over first", expired },
	{ "the time is over, below the limit", expired_below },
	{ "the time is over and nothing came", expired_empty },
	{ "borders", borders },
	{ "not above the limit, nor above what is wanted", bounds },
	{ "extreme times", extremes },
	{ "fewer than wanted", fewer },
	{ "random calls", random_calls });
