// SPDX-License-Identifier: GPL-2.0
/* How many slots to wait for. See batch.h; runs in userspace too. */
#include <linux/export.h>
#include <linux/minmax.h>

#include <pvnet/batch.h>

#define BACKOFF_START	3u
#define BACKOFF_MAX	10u

/**
 * pvn_batch_init() - nothing is known of the producer
 * @b: the state
 */
void pvn_batch_init(struct pvn_batch *b)
{
	*b = (struct pvn_batch) { .k = 1, .limit = 1, .backoff = BACKOFF_START };
}
EXPORT_SYMBOL_GPL(pvn_batch_init);

/* As many as are allowed came: sooner or later, allow more. */
static void limit_came_true(struct pvn_batch *b)
{
	if (b->trying && b->backoff)
		b->backoff--;
	b->trying = false;
	if (++b->good >> b->backoff == 0)
		return;
	b->good = 0;
	if (b->limit == PVN_BATCH_MAX)
		return;
	b->limit *= 2;
	b->trying = true;
}

/**
 * pvn_batch_filled() - the slots came before the time was over
 * @b: the state
 * @k: how many had been asked for
 * @most: more are not wanted, whatever comes
 * @took: from asking to waking
 * @tau: the time that they had
 */
void pvn_batch_filled(struct pvn_batch *b, u32 k, u32 most, u64 took, u64 tau)
{
	u64 enough = tau - tau / 4;

	b->k = max(k, 1u);
	if (took > enough) {
		b->k = max(k / 2, 1u);
	} else if (took <= enough / 2) {
		if (k >= b->limit)
			limit_came_true(b);
		b->k = 2 * b->k;
	}
	b->k = max(min(min(b->k, b->limit), most), 1u);
}
EXPORT_SYMBOL_GPL(pvn_batch_filled);

/**
 * pvn_batch_expired() - the time was over first
 * @b: the state
 * @slots: how many were there; none is the end of a stream, and no failure
 */
void pvn_batch_expired(struct pvn_batch *b, u32 slots)
{
	u32 half = max(b->k / 2, 1u);

	b->k = 1;
	if (!slots)
		return;
	b->limit = max(b->limit / 2, 1u);
	b->k = min(half, b->limit);
	b->good = 0;
	b->trying = false;
	b->backoff = min(b->backoff + 1, BACKOFF_MAX);
}
EXPORT_SYMBOL_GPL(pvn_batch_expired);
