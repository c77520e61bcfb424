/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many slots a consumer lets gather before it is woken: the policy, pure.
 *
 * A consumer that is faster than its producer sleeps after each slot, and then
 * each slot costs the producer an event. So it asks for an event at the K-th
 * slot instead of the next, and for no longer than a time tau: a timer ends it.
 *
 * K doubles while twice as many would come within three quarters of tau, and
 * halves when a batch takes more than that. When the timer has to end a batch,
 * the sender may be waiting for something else: then K is halved, and so is its
 * limit. The limit is doubled again after 1, 2, 4 ... 1024
 * batches of that size, more of them each time that it fails. So a sender that
 * waits for an answer to each packet is held up in one of 1024 of them.
 *
 * All times are in nanoseconds.
 */
#ifndef _PVNET_BATCH_H
#define _PVNET_BATCH_H

#include <linux/types.h>

/* Leaves room on a ring of 256 for what is on its way, and the largest packet. */
#define PVN_BATCH_MAX	64u

/**
 * struct pvn_batch - what a consumer has learned of its producer
 * @k: slots to wait for next, 1 to @limit
 * @limit: the most that may be tried, a power of two
 * @good: batches of @limit that came true, since it was last changed
 * @backoff: @limit is doubled after 2 to the power of this many
 * @trying: @limit was doubled, and no batch of that size has come true yet
 */
struct pvn_batch {
	u32 k;
	u32 limit;
	u32 good;
	u32 backoff;
	bool trying;
};

void pvn_batch_init(struct pvn_batch *b);
void pvn_batch_filled(struct pvn_batch *b, u32 k, u32 most, u64 took, u64 tau);
void pvn_batch_expired(struct pvn_batch *b, u32 slots);

#endif
