// SPDX-License-Identifier: GPL-2.0
/*
 * The control ring: the frontend names the pages that it wants mapped.
 *
 * Requests are carried out in order, in a work item, a few at a time and then
 * not again for a while: whatever the frontend does, it costs no more than that.
 */
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <xen/events.h>
#include <xen/page.h>

#include "back.h"

/* Requests in a round, and the time between rounds. */
#define ROUND_MAX	16
#define ROUND_GAP	msecs_to_jiffies(10)

/**
 * struct pvn_back_ctrl - the backend's end of a control ring
 * @vif: the device; its queues outlive this
 * @page: a page of ours, in whose place the guest's is mapped, or NULL
 * @handle: of the mapping
 * @ring: the ring
 * @chan: its event channel
 * @work: carries requests out
 * @list: private copy of the list of a request, a page
 */
struct pvn_back_ctrl {
	struct pvn_vif *vif;
	struct page *page;
	grant_handle_t handle;
	struct pvn_ring ring;
	struct pvn_chan chan;
	struct delayed_work work;
	struct pvn_gref *list;
};

/* ------------------------------------------------------------------- list */

static bool run_one(struct gnttab_copy *op)
{
	return !pvn_copy_run(op, 1) && op->status == GNTST_okay;
}

static bool read_list(struct pvn_back_ctrl *ctrl, u32 gref, u32 nr)
{
	struct gnttab_copy op;

	pvn_copy_from_guest(&op, ctrl->vif->domid, gref, 0, virt_to_page(ctrl->list), 0,
			    nr * sizeof(*ctrl->list));
	return run_one(&op);
}

static bool write_list(struct pvn_back_ctrl *ctrl, u32 gref, u32 nr)
{
	struct gnttab_copy op;

	pvn_copy_to_guest(&op, ctrl->vif->domid, gref, 0, virt_to_page(ctrl->list), 0,
			  nr * sizeof(*ctrl->list));
	return run_one(&op);
}

/* --------------------------------------------------------------- messages */

static u32 add(struct pvn_back_ctrl *ctrl, struct pvn_vq *q, u32 gref, u32 nr)
{
	if (!read_list(ctrl, gref, nr) || !pvn_gref_list_ok(ctrl->list, nr) ||
	    !pvn_map_add(q, ctrl->list, nr))
		return PVN_CTRL_STATUS_INVALID_PARAMETER;
	return PVN_CTRL_STATUS_SUCCESS;
}

static u32 del(struct pvn_back_ctrl *ctrl, struct pvn_vq *q, u32 gref, u32 nr, u32 *data)
{
	int done;

	if (!read_list(ctrl, gref, nr))
		return PVN_CTRL_STATUS_INVALID_PARAMETER;
	done = pvn_map_del(q, ctrl->list, nr);
	if (done < 0)
		return PVN_CTRL_STATUS_INVALID_PARAMETER;
	*data = done;
	/* They are unmapped, whether the frontend can be told of each or not. */
	if (!write_list(ctrl, gref, nr))
		return PVN_CTRL_STATUS_INVALID_PARAMETER;
	return PVN_CTRL_STATUS_SUCCESS;
}

static u32 carry_out(struct pvn_back_ctrl *ctrl, const struct pvn_ctrl_req *req, u32 *data)
{
	u32 status = pvn_ctrl_check(req, ctrl->vif->nr_queues);
	struct pvn_vq *q;

	if (status != PVN_CTRL_STATUS_SUCCESS)
		return status;
	q = ctrl->vif->queue[req->data[0]];
	switch (req->type) {
	case PVN_CTRL_GET_GREF_MAPPING_SIZE:
		*data = pvn_map_max(ctrl->vif);
		return PVN_CTRL_STATUS_SUCCESS;
	case PVN_CTRL_ADD_GREF_MAPPING:
		return add(ctrl, q, req->data[1], req->data[2]);
	default:
		return del(ctrl, q, req->data[1], req->data[2], data);
	}
}

static void answer_next(struct pvn_back_ctrl *ctrl)
{
	union pvn_ctrl_slot slot, answer = {};
	u32 data = 0;

	pvn_ctrl_slot_read(&ctrl->ring, ctrl->ring.cons++, &slot);
	answer.rsp.id = slot.req.id;
	answer.rsp.type = slot.req.type;
	answer.rsp.status = carry_out(ctrl, &slot.req, &data);
	answer.rsp.data = data;
	pvn_ctrl_slot_write(&ctrl->ring, ctrl->ring.prod++, &answer);
	pvn_publish(&ctrl->ring, &ctrl->chan);
	pvn_chan_worked(&ctrl->chan);
}

static void work(struct work_struct *work)
{
	struct pvn_back_ctrl *ctrl = container_of(to_delayed_work(work), struct pvn_back_ctrl,
						  work);
	u32 n = pvn_ring_pending(&ctrl->ring), i;

	if (READ_ONCE(ctrl->vif->broken))
		return;
	if (!READ_ONCE(ctrl->chan.irq)) {
		schedule_delayed_work(&ctrl->work, 1);	/* being bound */
		return;
	}
	if (n > PVN_CTRL_RING_SLOTS) {
		pvn_vif_broken(ctrl->vif, "more control requests than the ring holds");
		return;
	}
	for (i = 0; i < min(n, ROUND_MAX); i++)
		answer_next(ctrl);
	if (pvn_arm(&ctrl->ring, 1))
		schedule_delayed_work(&ctrl->work, ROUND_GAP);
	else
		pvn_chan_done(&ctrl->chan, PVN_USER_CTRL);
}

/* ---------------------------------------------------------------- connect */

/*
 * By hand, since xenbus_map_ring_valloc() closes the device when it cannot map:
 * the key may be one that an earlier frontend has left.
 */
static int map(struct pvn_back_ctrl *ctrl, grant_ref_t ref)
{
	struct gnttab_map_grant_ref op;
	struct page *page;
	int err;

	err = gnttab_alloc_pages(1, &page);
	if (err)
		return err;
	gnttab_set_map_op(&op, (unsigned long)page_address(page), GNTMAP_host_map, ref,
			  ctrl->vif->domid);
	err = gnttab_map_refs(&op, NULL, &page, 1);
	if (err || op.status != GNTST_okay) {
		gnttab_free_pages(1, &page);
		return -EINVAL;
	}
	ctrl->page = page;
	ctrl->handle = op.handle;
	return 0;
}

static void unmap(struct pvn_back_ctrl *ctrl)
{
	struct gnttab_unmap_grant_ref op;

	if (!ctrl->page)
		return;
	gnttab_set_unmap_op(&op, (unsigned long)page_address(ctrl->page), GNTMAP_host_map,
			    ctrl->handle);
	if (gnttab_unmap_refs(&op, NULL, &ctrl->page, 1))
		pr_err("pvnet-back: the control ring's page could not be unmapped\n");
	gnttab_free_pages(1, &ctrl->page);
	ctrl->page = NULL;
}

/**
 * pvn_back_ctrl_destroy() - no more control messages
 * @vif: the device, in any state
 *
 * Context: process. The queues are still there.
 */
void pvn_back_ctrl_destroy(struct pvn_vif *vif)
{
	struct pvn_back_ctrl *ctrl = vif->ctrl;

	if (!ctrl)
		return;
	vif->ctrl = NULL;
	/* The work raises and EOIs: it ends before the interrupt's number may be another's. */
	if (ctrl->chan.irq)
		disable_irq(ctrl->chan.irq);
	cancel_delayed_work_sync(&ctrl->work);
	if (ctrl->chan.irq)
		unbind_from_irqhandler(ctrl->chan.irq, &ctrl->chan);
	unmap(ctrl);
	free_page((unsigned long)ctrl->list);
	kfree(ctrl);
}

static int bind(struct pvn_back_ctrl *ctrl, evtchn_port_t port)
{
	char name[IFNAMSIZ + 16];
	int irq;

	snprintf(name, sizeof(name), "%s-control", ctrl->vif->netdev->name);
	pvn_chan_init_ctrl(&ctrl->chan, &ctrl->work);
	irq = bind_interdomain_evtchn_to_irqhandler_lateeoi(ctrl->vif->xdev, port, pvn_chan_event,
							    0, name, &ctrl->chan);
	if (irq < 0)
		return irq;
	WRITE_ONCE(ctrl->chan.irq, irq);
	return 0;
}

/**
 * pvn_back_ctrl_create() - serve a control ring
 * @vif: the device, with queues and without control ring
 * @ref: grant of the ring's page
 * @port: the frontend's event channel
 *
 * Context: process.
 */
int pvn_back_ctrl_create(struct pvn_vif *vif, grant_ref_t ref, evtchn_port_t port)
{
	struct pvn_back_ctrl *ctrl = kzalloc(sizeof(*ctrl), GFP_KERNEL);
	int err;

	if (!ctrl)
		return -ENOMEM;
	ctrl->vif = vif;
	vif->ctrl = ctrl;
	INIT_DELAYED_WORK(&ctrl->work, work);
	ctrl->list = (struct pvn_gref *)get_zeroed_page(GFP_KERNEL);
	err = ctrl->list ? 0 : -ENOMEM;
	err = err ?: map(ctrl, ref);
	if (!err) {
		pvn_ctrl_ring_attach_back(&ctrl->ring, page_address(ctrl->page));
		err = bind(ctrl, port);
	}
	if (err)
		pvn_back_ctrl_destroy(vif);
	return err;
}
