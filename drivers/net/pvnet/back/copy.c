// SPDX-License-Identifier: GPL-2.0
/* Grant copies. */
#include <linux/delay.h>
#include <xen/grant_table.h>
#include <xen/page.h>

#include <asm/xen/hypercall.h>

#include "back.h"

/* A page of the guest that is paged out comes back, but not while we wait long. */
#define EAGAIN_TRIES	16
#define EAGAIN_USECS	20

/**
 * pvn_copy_from_guest() - describe a copy
 * @op: filled in
 * @domid: the guest
 * @gref: its page
 * @src: offset in it
 * @page: ours
 * @dst: offset in it
 * @len: bytes; crosses no page border on either side
 */
void pvn_copy_from_guest(struct gnttab_copy *op, domid_t domid, grant_ref_t gref,
			 u32 src, struct page *page, u32 dst, u32 len)
{
	*op = (struct gnttab_copy) {
		.source = { .u.ref = gref, .domid = domid, .offset = src },
		.dest = { .u.gmfn = xen_page_to_gfn(page), .domid = DOMID_SELF, .offset = dst },
		.len = len,
		.flags = GNTCOPY_source_gref,
	};
}

/**
 * pvn_copy_to_guest() - describe a copy
 * @op: filled in
 * @domid: the guest
 * @gref: its page
 * @dst: offset in it
 * @page: ours, or one that is mapped here from a third domain
 * @src: offset in it
 * @len: bytes; crosses no page border on either side
 *
 * A mapped page is not ours to name by frame: Xen takes the other domain's
 * grant instead.
 */
void pvn_copy_to_guest(struct gnttab_copy *op, domid_t domid, grant_ref_t gref,
		       u32 dst, struct page *page, u32 src, u32 len)
{
	struct xen_page_foreign *foreign = xen_page_foreign(page);

	*op = (struct gnttab_copy) {
		.source = { .domid = DOMID_SELF, .offset = src },
		.dest = { .u.ref = gref, .domid = domid, .offset = dst },
		.len = len,
		.flags = GNTCOPY_dest_gref,
	};
	if (foreign) {
		op->source.u.ref = foreign->gref;
		op->source.domid = foreign->domid;
		op->flags |= GNTCOPY_source_gref;
	} else {
		op->source.u.gmfn = xen_page_to_gfn(page);
	}
}

static void retry(struct gnttab_copy *op)
{
	unsigned int i;

	for (i = 0; op->status == GNTST_eagain && i < EAGAIN_TRIES; i++) {
		udelay(EAGAIN_USECS);
		if (HYPERVISOR_grant_table_op(GNTTABOP_copy, op, 1))
			op->status = GNTST_general_error;
	}
}

/**
 * pvn_copy_run() - copy
 * @op: the copies
 * @nr: how many, at least 1
 *
 * gnttab_batch_copy() would not do: it BUGs when the hypercall fails and
 * sleeps when a page is not there.
 *
 * Context: any.
 * Return: 0 with a status in each @op, or -EIO when nothing can be said of any.
 */
int pvn_copy_run(struct gnttab_copy *op, u32 nr)
{
	u32 i;

	if (HYPERVISOR_grant_table_op(GNTTABOP_copy, op, nr))
		return -EIO;
	for (i = 0; i < nr; i++)
		if (unlikely(op[i].status == GNTST_eagain))
			retry(&op[i]);
	return 0;
}
