// SPDX-License-Identifier: GPL-2.0
/*
 * Persistent grants: the pages that a queue grants for as long as it lives, and
 * what they take of the grant table.
 *
 * Staging pages hold packets on their way to the backend, receive pages those
 * from it. They hold packet bytes and zeroes, nothing else: they are zeroed
 * when they are granted, and the backend has seen whatever was put there since.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <xen/grant_table.h>

#include "front.h"

/* What is left for the rest of the guest: half of the table, and this much more. */
#define OTHERS_GRANTS	512u
#define GRANTS_PER_FRAME	(PAGE_SIZE / sizeof(struct grant_entry_v1))

/* Of all interfaces. */
static atomic_t granted;

static unsigned int budget(void)
{
	unsigned int half = gnttab_max_grant_frames() * GRANTS_PER_FRAME / 2;

	return min(half - min(half, OTHERS_GRANTS), pvn_front_max_persistent);
}

static bool reserve(unsigned int nr)
{
	if (atomic_add_return(nr, &granted) <= budget())
		return true;
	atomic_sub(nr, &granted);
	return false;
}

/* ------------------------------------------------------------------ pages */

static struct page *alloc_zeroed(void)
{
	struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);

	/* A receiver may only be given memory of its own kind. */
	if (page && page_is_pfmemalloc(page)) {
		__free_page(page);
		page = NULL;
	}
	return page;
}

static u32 grant_pages(struct pvn_queue *q, struct pvn_granted *g, u32 nr, bool readonly)
{
	domid_t backend = q->front->xdev->otherend_id;
	grant_ref_t head;
	u32 i;

	if (gnttab_alloc_grant_references(nr, &head))
		return 0;
	for (i = 0; i < nr; i++) {
		g[i].page = alloc_zeroed();
		if (!g[i].page)
			break;
		g[i].gref = gnttab_claim_grant_reference(&head);
		gnttab_page_grant_foreign_access_ref_one(g[i].gref, backend, g[i].page, readonly);
	}
	gnttab_free_grant_references(head);
	return i;
}

/* A page that is still mapped, or that a receiver still holds, goes when it is not. */
static void end_pages(struct pvn_granted *g, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		gnttab_end_foreign_access(g[i].gref, g[i].page);
}

/* -------------------------------------------------------------- a queue's */

static struct pvn_persist *create(struct pvn_queue *q, u32 nr_rx)
{
	struct pvn_persist *p = kvzalloc(sizeof(*p), GFP_KERNEL);
	u32 i;

	if (!p)
		return NULL;
	p->nr_stage = grant_pages(q, p->stage, PVN_STAGE_PAGES, true);
	if (p->nr_stage == PVN_STAGE_PAGES)
		p->nr_rx = grant_pages(q, p->rx, nr_rx, false);
	if (p->nr_stage < PVN_STAGE_PAGES || p->nr_rx < nr_rx) {
		end_pages(p->stage, p->nr_stage);
		end_pages(p->rx, p->nr_rx);
		kvfree(p);
		return NULL;
	}
	for (i = 0; i < nr_rx; i++)
		p->free[i] = i;
	p->nr_free = nr_rx;
	return p;
}

/**
 * pvn_persist_create() - grant the pages of a queue
 * @q: the queue, without any
 * @max: how many the backend maps for it
 *
 * When grants or memory are short: fewer spare pages, then none to receive.
 * Context: process.
 * Return: true when @q->persist is set.
 */
bool pvn_persist_create(struct pvn_queue *q, u32 max)
{
	static const u32 nr_rx[] = {
		PVN_RX_RING_SLOTS + PVN_RX_SPARE, PVN_RX_RING_SLOTS + PVN_RX_SPARE / 4, 0,
	};
	struct device *dev = &q->front->xdev->dev;
	struct pvn_persist *p;
	u32 i, nr;

	for (i = 0; i < ARRAY_SIZE(nr_rx); i++) {
		nr = PVN_STAGE_PAGES + nr_rx[i];
		if (nr > max || !reserve(nr))
			continue;
		p = create(q, nr_rx[i]);
		if (p) {
			if (i)
				dev_info(dev, "queue %u: only %u of %u pages are granted for good\n",
					 q->index, nr, PVN_STAGE_PAGES + nr_rx[0]);
			smp_store_release(&q->persist, p);	/* K: with count_out() */
			return true;
		}
		atomic_sub(nr, &granted);
	}
	dev_info(dev, "queue %u: no grants or memory to spare, using copy\n", q->index);
	return false;
}

/**
 * pvn_persist_destroy() - give all pages back
 * @q: the queue, drained; the backend has been asked to close
 *
 * Context: process.
 */
void pvn_persist_destroy(struct pvn_queue *q)
{
	struct pvn_persist *p = q->persist;

	if (!p)
		return;
	q->persist = NULL;
	end_pages(p->stage, p->nr_stage);
	end_pages(p->rx, p->nr_rx);
	atomic_sub(p->nr_stage + p->nr_rx, &granted);
	kvfree(p);
}

/* ---------------------------------------------------------------- receive */

/* At most so many pages are looked at for one packet. */
#define RECLAIM_MAX	64u

/*
 * Pages that the stack has let go: only our own reference is left. Those that
 * it still holds are passed over, so one that is held for long is in nobody's way.
 */
static void reclaim(struct pvn_queue *q, u32 max_out)
{
	struct pvn_persist *p = q->persist;
	u32 n = min(p->nr_out, RECLAIM_MAX);

	for (; n && p->nr_out > max_out; n--) {
		u16 i = p->out[p->out_head];

		p->out_head = (p->out_head + 1) % ARRAY_SIZE(p->out);
		if (page_ref_count(p->rx[i].page) > 1) {
			p->out[(p->out_head + p->nr_out - 1) % ARRAY_SIZE(p->out)] = i;
			continue;
		}
		smp_mb();	/* H: the stack's last reads come before the backend's writes */
		p->nr_out--;
		if (!q->front->trusted)
			clear_page(page_address(p->rx[i].page));
		p->free[p->nr_free++] = i;
	}
}

/**
 * pvn_persist_can_hand() - may pages go to the stack?
 * @q: the queue, with receive pages
 * @nr: how many, fewer than there are to spare
 *
 * Only so many that the ring can always be filled with the others.
 * Context: NAPI.
 */
bool pvn_persist_can_hand(struct pvn_queue *q, u32 nr)
{
	struct pvn_persist *p = q->persist;
	u32 max_out = p->nr_rx - PVN_RX_RING_SLOTS - nr;

	if (!q->front->handover)
		return false;
	if (p->nr_out > max_out)
		reclaim(q, max_out);
	return p->nr_out <= max_out;
}

/**
 * pvn_persist_handed() - note that the stack has a reference to a page
 * @q: the queue
 * @i: which one; it is not posted
 *
 * Context: NAPI.
 */
void pvn_persist_handed(struct pvn_queue *q, u16 i)
{
	struct pvn_persist *p = q->persist;

	p->out[(p->out_head + p->nr_out++) % ARRAY_SIZE(p->out)] = i;
}

/**
 * pvn_persist_count_out() - receive pages that the stack holds just now
 * @q: the queue
 *
 * Context: any, while the queue exists.
 */
u32 pvn_persist_count_out(const struct pvn_queue *q)
{
	const struct pvn_persist *p = smp_load_acquire(&q->persist);	/* pairs with K */
	u32 n = 0, i;

	for (i = 0; p && i < p->nr_rx; i++)
		n += page_ref_count(p->rx[i].page) > 1;
	return n;
}
