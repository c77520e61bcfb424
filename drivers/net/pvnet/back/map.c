// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of the guest that are mapped once: a table a queue, from grant to page.
 *
 * The frontend says which, by control messages (ctrl.c). The datapath looks up
 * the grant of each slot; one that is not in the table is served by grant copy,
 * so an entry may come and go at any time.
 *
 * The datapath finds an entry and is done with it within one section with
 * bottom halves off, which is an RCU read section too. Whoever takes entries
 * out of the table waits for these to end before they are unmapped.
 */
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <xen/grant_table.h>

#include "back.h"

/* Of all vifs; bounded by max_persistent_grants_total. */
static atomic_t total;

/**
 * struct batch - entries that are not in a table, and memory for their hypercall
 * @nr: how many
 * @entry: the entries
 * @page: pages of the hypercall
 * @map: operations
 * @unmap: operations
 */
struct batch {
	u32 nr;
	struct pvn_mapped *entry[PVN_GREF_LIST_MAX];
	struct page *page[PVN_GREF_LIST_MAX];
	union {
		struct gnttab_map_grant_ref map[PVN_GREF_LIST_MAX];
		struct gnttab_unmap_grant_ref unmap[PVN_GREF_LIST_MAX];
	};
};

/**
 * pvn_map_max() - how many entries the table of a queue may have
 * @vif: the device, with queues
 */
u32 pvn_map_max(const struct pvn_vif *vif)
{
	return min(pvn_max_persistent / vif->nr_queues, PVN_MAP_QUEUE_MAX);
}

static bool reserve(const struct pvn_vq *q, u32 nr)
{
	if (q->map_stats.mapped_pages + nr > pvn_map_max(q->vif))
		return false;
	if (atomic_add_return(nr, &total) <= pvn_max_persistent_total)
		return true;
	atomic_sub(nr, &total);
	return false;
}

/* Unmap what is mapped, and free all. */
static void release(struct batch *b)
{
	u32 n = 0, i;

	for (i = 0; i < b->nr; i++) {
		struct pvn_mapped *m = b->entry[i];

		if (!m->mapped)
			continue;
		gnttab_set_unmap_op(&b->unmap[n], (unsigned long)m->addr,
				    GNTMAP_host_map, m->handle);
		b->page[n++] = m->page;
	}
	if (n && gnttab_unmap_refs(b->unmap, NULL, b->page, n))
		pr_err("pvnet-back: %u pages could not be unmapped\n", n);

	for (i = 0; i < b->nr; i++) {
		b->page[i] = b->entry[i]->page;
		kfree(b->entry[i]);
	}
	gnttab_free_pages(b->nr, b->page);
	atomic_sub(b->nr, &total);
	b->nr = 0;
}

/* An entry for each grant of the list; false without memory, then there is none. */
static bool prepare(struct batch *b, const struct pvn_gref *list, u32 nr)
{
	u32 i;

	if (gnttab_alloc_pages(nr, b->page))
		return false;
	for (i = 0; i < nr; i++) {
		struct pvn_mapped *m = kzalloc(sizeof(*m), GFP_KERNEL);

		if (!m)
			goto undo;
		m->page = b->page[i];
		m->addr = page_address(m->page);
		m->readonly = list[i].flags & PVN_GREF_READONLY;
		b->entry[i] = m;
	}
	b->nr = nr;
	return true;

undo:
	while (i)
		kfree(b->entry[--i]);
	gnttab_free_pages(nr, b->page);
	return false;
}

static bool map(struct batch *b, const struct pvn_gref *list, domid_t domid)
{
	u32 done = 0, i;
	int err;

	for (i = 0; i < b->nr; i++) {
		const struct pvn_mapped *m = b->entry[i];

		gnttab_set_map_op(&b->map[i], (unsigned long)m->addr,
				  GNTMAP_host_map | (m->readonly ? GNTMAP_readonly : 0),
				  list[i].ref, domid);
		b->map[i].status = GNTST_general_error;
	}
	/* What was mapped is by operation, also when not all went well. */
	err = gnttab_map_refs(b->map, NULL, b->page, b->nr);
	for (i = 0; i < b->nr; i++) {
		b->entry[i]->handle = b->map[i].handle;
		b->entry[i]->mapped = b->map[i].status == GNTST_okay;
		done += b->entry[i]->mapped;
	}
	return !err && done == b->nr;
}

static bool enter(struct pvn_vq *q, const struct batch *b, const struct pvn_gref *list)
{
	u32 i;

	for (i = 0; i < b->nr; i++)
		if (xa_insert(&q->mapped, list[i].ref, b->entry[i], GFP_KERNEL))
			break;
	if (i == b->nr)
		return true;
	while (i)
		xa_erase(&q->mapped, list[--i].ref);
	synchronize_net();
	return false;
}

/**
 * pvn_map_add() - map the pages of a list: all or none
 * @q: the queue
 * @list: private copy of the list
 * @nr: entries, 1 to PVN_GREF_LIST_MAX
 *
 * A grant that the table has already, one that cannot be mapped, or one too
 * many fails the list.
 * Context: process; one caller at a time for each vif.
 */
bool pvn_map_add(struct pvn_vq *q, const struct pvn_gref *list, u32 nr)
{
	struct batch *b;
	bool ok;

	if (!reserve(q, nr))
		return false;
	b = kvzalloc(sizeof(*b), GFP_KERNEL);
	if (!b || !prepare(b, list, nr)) {
		atomic_sub(nr, &total);
		kvfree(b);
		return false;
	}
	ok = map(b, list, q->vif->domid) && enter(q, b, list);
	if (ok)
		WRITE_ONCE(q->map_stats.mapped_pages, q->map_stats.mapped_pages + nr);
	else
		release(b);
	kvfree(b);
	return ok;
}

static void take_out(struct pvn_vq *q, struct batch *b, u32 ref)
{
	struct pvn_mapped *m = xa_erase(&q->mapped, ref);

	if (!m)
		return;
	b->entry[b->nr++] = m;
	WRITE_ONCE(q->map_stats.mapped_pages, q->map_stats.mapped_pages - 1);
}

/**
 * pvn_map_del() - unmap the pages of a list
 * @q: the queue
 * @list: private copy of the list; gets a status in each entry
 * @nr: entries, 1 to PVN_GREF_LIST_MAX
 *
 * Slots that still name one of the grants are served by grant copy.
 * Context: process; one caller at a time for each vif.
 * Return: how many were unmapped; -ENOMEM when nothing was done.
 */
int pvn_map_del(struct pvn_vq *q, struct pvn_gref *list, u32 nr)
{
	struct batch *b = kvzalloc(sizeof(*b), GFP_KERNEL);
	u32 i, before;
	int done;

	if (!b)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		before = b->nr;
		take_out(q, b, list[i].ref);
		list[i].status = b->nr > before ? PVN_CTRL_STATUS_SUCCESS :
						  PVN_CTRL_STATUS_INVALID_PARAMETER;
	}
	done = b->nr;
	if (done) {
		synchronize_net();
		release(b);
	}
	kvfree(b);
	return done;
}

/**
 * pvn_map_clear() - unmap all
 * @q: the queue; nothing uses its table any more
 *
 * Context: process.
 */
void pvn_map_clear(struct pvn_vq *q)
{
	struct pvn_mapped *m;
	struct batch *b;
	unsigned long ref;

	if (xa_empty(&q->mapped))
		return;
	b = kvzalloc(sizeof(*b), GFP_KERNEL | __GFP_NOFAIL);
	xa_for_each(&q->mapped, ref, m) {
		take_out(q, b, ref);
		if (b->nr == PVN_GREF_LIST_MAX)
			release(b);
	}
	release(b);
	kvfree(b);
	xa_destroy(&q->mapped);
}
