/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A consumer of slots: how it sleeps, and what wakes it (kernel only).
 *
 * Its NAPI poll begins with pvn_wake_begin() and ends, when the ring is empty,
 * with pvn_wake_arm(). Between the two it is awake, and looks at the ring by
 * itself; pvn_wake_served() says what it found.
 */
#ifndef _PVNET_WAKE_H
#define _PVNET_WAKE_H

#include <linux/dim.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <pvnet/batch.h>
#include <pvnet/ring.h>
#include <pvnet/stats.h>

struct napi_struct;
struct pvn_chan;
struct pvn_coalesce;
struct seq_file;

/* Sizes of batches, and of K, by powers of two: 0, 1, 2 to 3 ... 128 and more. */
#define PVN_WAKE_HIST	9

/**
 * struct pvn_wake - what wakes a consumer
 * @ring: what it consumes
 * @napi: what polls it
 * @set: the user's settings
 * @chan: where its events come from
 *
 * Written by NAPI:
 * @k: slots that it has asked for, 0 while it is awake
 * @armed_at: when it did
 * @idle: the last wake-up was the timer's, and found nothing
 * @batch: the policy's state
 * @gap: time between slots in the last batch that came true, in ns
 * @dim: finds out how many slots may wait
 * @stats: counters; those of the timer are written by it
 * @slots_hist: wakes by slots that were there
 * @k_hist: wakes by slots that were asked for
 *
 * The timer runs beside NAPI:
 * @lock: for what follows
 * @timer: wakes the consumer when the slots do not come in time
 * @deadline: when that is, 0 = it need not
 * @queued: the timer is queued, and will look at @deadline
 * @expired: the timer has woken the consumer
 */
struct pvn_wake {
	struct pvn_ring *ring;
	struct napi_struct *napi;
	const struct pvn_coalesce *set;
	const struct pvn_chan *chan;

	u32 k;
	u64 armed_at;
	bool idle;
	struct pvn_batch batch;
	u64 gap;
	struct dim dim;
	struct pvn_wake_stats stats;
	u64 slots_hist[PVN_WAKE_HIST];
	u64 k_hist[PVN_WAKE_HIST];

	spinlock_t lock;
	struct hrtimer timer;
	u64 deadline;
	bool queued;
	bool expired;
};

void pvn_wake_init(struct pvn_wake *w, struct pvn_ring *ring, const struct pvn_chan *chan,
		   struct napi_struct *napi, const struct pvn_coalesce *set);
void pvn_wake_begin(struct pvn_wake *w);
void pvn_wake_served(struct pvn_wake *w, u32 slots);
bool __must_check pvn_wake_arm(struct pvn_wake *w, u32 most, u64 packets, u64 bytes);
void pvn_wake_stop(struct pvn_wake *w);
void pvn_wake_show(struct seq_file *s, const struct pvn_wake *w);

#endif
