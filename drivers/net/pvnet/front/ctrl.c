// SPDX-License-Identifier: GPL-2.0
/*
 * The control ring: one message at a time, each answered before the next.
 *
 * A backend that does not answer in time is not asked again: what it will make
 * of the message is not known, so what the message names stays as it is until
 * the connection ends.
 */
#include <linux/slab.h>
#include <xen/events.h>

#include "front.h"

#define ANSWER_TIMEOUT	(3 * HZ)

/* Looks after events only; pvn_ctrl_call() takes the answer off the ring. */
static void on_event(struct work_struct *work)
{
	struct pvn_front_ctrl *ctrl = container_of(to_delayed_work(work), struct pvn_front_ctrl,
						   work);

	if (!READ_ONCE(ctrl->chan.irq)) {
		schedule_delayed_work(&ctrl->work, 1);	/* being bound */
		return;
	}
	if (pvn_ring_pending(&ctrl->ring))
		pvn_chan_worked(&ctrl->chan);
	wake_up(&ctrl->wait);
	pvn_chan_done(&ctrl->chan, PVN_USER_CTRL);
}

static bool answered(const struct pvn_front_ctrl *ctrl)
{
	return READ_ONCE(ctrl->dead) || pvn_ring_pending(&ctrl->ring);
}

static int take_answer(struct pvn_front_ctrl *ctrl, const struct pvn_ctrl_req *req, u32 *data)
{
	union pvn_ctrl_slot slot;

	if (pvn_ring_pending(&ctrl->ring) != 1)
		return -EPROTO;
	pvn_ctrl_slot_read(&ctrl->ring, ctrl->ring.cons++, &slot);
	if (slot.rsp.id != req->id || slot.rsp.type != req->type)
		return -EPROTO;
	*data = slot.rsp.data;
	switch (slot.rsp.status) {
	case PVN_CTRL_STATUS_SUCCESS:
		return 0;
	case PVN_CTRL_STATUS_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

/* Publish the request that was written, and wait. */
static int ask(struct pvn_front_ctrl *ctrl, const struct pvn_ctrl_req *req, u32 *data)
{
	if (pvn_arm(&ctrl->ring, 1))
		return -EPROTO;		/* an answer before the question */
	pvn_publish(&ctrl->ring, &ctrl->chan);
	if (!wait_event_timeout(ctrl->wait, answered(ctrl), ANSWER_TIMEOUT))
		return -ETIMEDOUT;
	if (READ_ONCE(ctrl->dead))
		return -ESHUTDOWN;
	return take_answer(ctrl, req, data);
}

/**
 * pvn_ctrl_call() - send a message and wait for the answer
 * @ctrl: the control ring
 * @type: PVN_CTRL_*
 * @queue: number of the queue that it is about
 * @entries: of the list in @ctrl->list_page
 * @data: what the backend answered
 *
 * Context: process; one caller at a time.
 * Return: 0; -EOPNOTSUPP or -EINVAL from the backend; -ETIMEDOUT without
 * answer, -EPROTO with a wrong one, and -ESHUTDOWN for all calls from then on.
 */
int pvn_ctrl_call(struct pvn_front_ctrl *ctrl, u16 type, u32 queue, u32 entries, u32 *data)
{
	union pvn_ctrl_slot slot = {
		.req = { .id = ctrl->next_id++, .type = type, .data[0] = queue },
	};
	int err;

	if (READ_ONCE(ctrl->dead))
		return -ESHUTDOWN;
	if (entries) {
		slot.req.data[1] = ctrl->list_ref;
		slot.req.data[2] = entries;
	}
	pvn_ctrl_slot_write(&ctrl->ring, ctrl->ring.prod++, &slot);
	err = ask(ctrl, &slot.req, data);
	if (err == -EPROTO || err == -ETIMEDOUT) {
		WRITE_ONCE(ctrl->dead, true);
		dev_warn(&ctrl->front->xdev->dev, "control message %u: %s\n", type,
			 err == -EPROTO ? "wrong answer" : "no answer");
	}
	return err;
}

static int bind(struct pvn_front_ctrl *ctrl)
{
	struct xenbus_device *xdev = ctrl->front->xdev;
	char name[IFNAMSIZ + 16];
	int err;

	err = xenbus_alloc_evtchn(xdev, &ctrl->port);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%s-control", dev_name(&xdev->dev));
	pvn_chan_init_ctrl(&ctrl->chan, &ctrl->work);
	err = bind_evtchn_to_irqhandler_lateeoi(ctrl->port, pvn_chan_event, 0, name, &ctrl->chan);
	if (err < 0) {
		xenbus_free_evtchn(xdev, ctrl->port);
		return err;
	}
	WRITE_ONCE(ctrl->chan.irq, err);
	return 0;
}

/**
 * pvn_front_ctrl_create() - make a control ring for a connection
 * @front: the device, without one
 *
 * Without memory there is none.
 * Context: process, RTNL.
 */
void pvn_front_ctrl_create(struct pvn_front *front)
{
	struct pvn_front_ctrl *ctrl = kzalloc(sizeof(*ctrl), GFP_KERNEL);
	int err;

	if (!ctrl)
		return;
	ctrl->front = front;
	front->ctrl = ctrl;
	init_waitqueue_head(&ctrl->wait);
	INIT_DELAYED_WORK(&ctrl->work, on_event);

	err = xenbus_setup_ring(front->xdev, GFP_KERNEL, &ctrl->page, 1, &ctrl->ref);
	if (!err) {
		pvn_sring_init(ctrl->page);
		pvn_ctrl_ring_attach_front(&ctrl->ring, ctrl->page);
		err = xenbus_setup_ring(front->xdev, GFP_KERNEL, &ctrl->list_page, 1,
					&ctrl->list_ref);
	}
	err = err ?: bind(ctrl);
	if (err) {
		dev_warn(&front->xdev->dev, "no control ring, error %d\n", err);
		pvn_front_ctrl_destroy(front);
	}
}

/**
 * pvn_front_ctrl_stop() - make a waiting pvn_ctrl_call() return, and any other fail
 * @front: the device, with or without a control ring
 *
 * Context: process.
 */
void pvn_front_ctrl_stop(struct pvn_front *front)
{
	struct pvn_front_ctrl *ctrl = front->ctrl;

	if (!ctrl)
		return;
	WRITE_ONCE(ctrl->dead, true);
	wake_up(&ctrl->wait);
}

/**
 * pvn_front_ctrl_destroy() - free the control ring
 * @front: the device; nobody is in pvn_ctrl_call()
 *
 * Context: process, RTNL.
 */
void pvn_front_ctrl_destroy(struct pvn_front *front)
{
	struct pvn_front_ctrl *ctrl = front->ctrl;

	if (!ctrl)
		return;
	front->ctrl = NULL;
	/* The work EOIs, so it ends before the interrupt's number may be another's. */
	if (ctrl->chan.irq)
		disable_irq(ctrl->chan.irq);
	cancel_delayed_work_sync(&ctrl->work);
	if (ctrl->chan.irq)
		unbind_from_irqhandler(ctrl->chan.irq, &ctrl->chan);
	if (ctrl->list_page)
		xenbus_teardown_ring(&ctrl->list_page, 1, &ctrl->list_ref);
	if (ctrl->page)
		xenbus_teardown_ring(&ctrl->page, 1, &ctrl->ref);
	kfree(ctrl);
}
