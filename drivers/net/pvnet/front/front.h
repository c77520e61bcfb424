/* SPDX-License-Identifier: GPL-2.0 */
/* pvnet-front: what its files share. */
#ifndef _PVNET_FRONT_H
#define _PVNET_FRONT_H

#include <linux/netdevice.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/page_pool.h>
#include <xen/grant_table.h>
#include <xen/xenbus.h>

#include <pvnet/coalesce.h>
#include <pvnet/core.h>
#include <pvnet/notify.h>
#include <pvnet/ring.h>
#include <pvnet/stats.h>
#include <pvnet/wake.h>

struct pvn_front;

/**
 * struct pvn_tx_buf - what a slot of the guest tx ring carries, by its id
 * @skb: in the first slot of a packet: the packet; freed with its last slot
 * @bounce: page that this slot owns, or NULL when it shows a piece of the skb
 * @gref: grant, allocated once; not used when the bytes are in a staging page
 * @head: id of the packet's first slot
 * @next: id of the packet's next slot, if it has one
 * @nr: in the first slot: how many slots the packet has
 * @left: in the first slot: how many of them have no answer yet
 * @busy: the backend owes an answer
 * @staged: the bytes are in a staging page
 */
struct pvn_tx_buf {
	struct sk_buff *skb;
	struct page *bounce;
	grant_ref_t gref;
	u16 head;
	u16 next;
	u16 nr;
	u16 left;
	bool busy;
	bool staged;
};

#define PVN_RX_OF_POOL	0xFFFF

/**
 * struct pvn_rx_buf - a receive buffer
 * @page: from the queue's pool, or NULL; or a page that is granted for good
 * @gref: grant, allocated once; active while @page is set
 * @persist: number of the page that is granted for good, or PVN_RX_OF_POOL
 * @handed: the stack has a reference to that page
 */
struct pvn_rx_buf {
	struct page *page;
	grant_ref_t gref;
	u16 persist;
	bool handed;
};

/*
 * Staging pages: one for each id, and for packets of up to PVN_STAGE_SMALL
 * bytes each id has a part of one that it shares with its neighbours.
 */
#define PVN_STAGE_SMALL		256u
#define PVN_STAGE_SHARED	(PAGE_SIZE / PVN_STAGE_SMALL)
#define PVN_STAGE_PAGES		(PVN_TX_RING_SLOTS + PVN_TX_RING_SLOTS / (u32)PVN_STAGE_SHARED)
/* Receive pages that the stack may hold, beyond a full ring. */
#define PVN_RX_SPARE		256u
#define PVN_RX_PERSIST		(PVN_RX_RING_SLOTS + PVN_RX_SPARE)

/**
 * struct pvn_granted - a page that is granted for good
 * @page: the page; we hold one reference
 * @gref: its grant
 */
struct pvn_granted {
	struct page *page;
	grant_ref_t gref;
};

/**
 * struct pvn_persist - the pages that a queue has granted for good
 *
 * Set when it is made, constant afterwards:
 * @stage: staging pages: by id, then the shared ones
 * @nr_stage: how many
 * @rx: receive pages
 * @nr_rx: how many, 0 = receives into pages of the pool
 *
 * Written by NAPI, or with NAPI disabled. A receive page is posted, in @free, or in @out:
 * @free: receive pages that can be posted
 * @nr_free: how many
 * @out: receive pages that the stack has, the oldest first; a ring
 * @out_head: the oldest
 * @nr_out: how many
 */
struct pvn_persist {
	struct pvn_granted stage[PVN_STAGE_PAGES];
	u32 nr_stage;
	struct pvn_granted rx[PVN_RX_PERSIST];
	u32 nr_rx;

	u16 free[PVN_RX_PERSIST];
	u32 nr_free;
	u16 out[PVN_RX_PERSIST];
	u32 out_head;
	u32 nr_out;
};

/**
 * struct pvn_front_ctrl - the frontend's end of a control ring
 * @front: the device
 * @page: the shared page
 * @ref: its grant
 * @port: event channel
 * @ring: the ring
 * @chan: event channel
 * @work: looks after events
 * @wait: who waits for an answer
 * @list_page: shared page for the list of a message
 * @list_ref: its grant
 * @next_id: of the next message
 * @dead: no more messages: the connection ends, or the backend failed to answer
 */
struct pvn_front_ctrl {
	struct pvn_front *front;
	void *page;
	grant_ref_t ref;
	evtchn_port_t port;
	struct pvn_ring ring;
	struct pvn_chan chan;
	struct delayed_work work;
	wait_queue_head_t wait;
	void *list_page;
	grant_ref_t list_ref;
	u16 next_id;
	bool dead;
};

/**
 * struct pvn_queue - a pair of rings
 *
 * Set at connect, constant afterwards:
 * @front: the device
 * @index: number of the queue
 * @chan: event channels; only the first when one serves both rings
 * @port: their ports
 * @tx_chan: channel of the guest tx ring
 * @rx_chan: channel of the guest rx ring
 * @ring_page: the shared pages: tx, rx
 * @ring_ref: their grants
 * @pool: where receive pages come from
 *
 * Written by the scheme's work:
 * @persist: pages that are granted for good, or NULL; stays once it is there
 * @stage_live: the backend has mapped the staging pages: xmit uses them
 * @rx_live: the same of the receive pages: NAPI posts them
 * @scheme_stats: the same for people
 *
 * Written by ndo_start_xmit, under the netdev queue's lock:
 * @tx: guest tx ring; its cons belongs to NAPI
 * @id_head: next free id to take from @free_id
 * @tx_stats: counters
 *
 * Written by NAPI:
 * @napi: polls both rings
 * @id_tail: next place in @free_id to give an id back to
 * @rx: guest rx ring, both indices
 * @rx_wake: when it is looked at
 * @nr_spare: buffers in @spare
 * @rx_stats: counters
 * @refill: polls again when there was no page to post
 *
 * Arrays, written by whoever owns the entry:
 * @free_id: ids without a slot, a ring from xmit to NAPI and back
 * @tx_buf: by id
 * @rx_buf: posted buffers, by ring slot
 * @spare: buffers that are not posted
 * @rx_snap: private copy of responses
 */
struct pvn_queue {
	struct pvn_front *front;
	unsigned int index;
	struct pvn_chan chan[2];
	evtchn_port_t port[2];
	struct pvn_chan *tx_chan;
	struct pvn_chan *rx_chan;
	void *ring_page[2];
	grant_ref_t ring_ref[2];
	struct page_pool *pool;

	struct pvn_persist *persist;
	bool stage_live;
	bool rx_live;
	struct pvn_front_scheme_stats scheme_stats;

	struct pvn_ring tx ____cacheline_aligned_in_smp;
	u32 id_head;
	struct pvn_front_tx_stats tx_stats;

	struct napi_struct napi ____cacheline_aligned_in_smp;
	u32 id_tail;
	struct pvn_ring rx;
	struct pvn_wake rx_wake;
	u32 nr_spare;
	struct pvn_front_rx_stats rx_stats;
	struct delayed_work refill;

	u16 free_id[PVN_TX_RING_SLOTS];
	struct pvn_tx_buf tx_buf[PVN_TX_RING_SLOTS];
	struct pvn_rx_buf rx_buf[PVN_RX_RING_SLOTS];
	struct pvn_rx_buf spare[PVN_RX_RING_SLOTS];
	union pvn_rx_slot rx_snap[PVN_RX_RING_SLOTS];
};

/**
 * struct pvn_front - a network interface of the guest
 * @netdev: its netdev
 * @xdev: its xenbus device
 * @queue: connected queues, NULL when there are none; under RTNL
 * @nr_queues: how many
 * @max_queues: how many the netdev was made for
 * @wanted_queues: how many the user wants, 1 to @max_queues
 * @reconnect: closes and connects anew
 * @multi_queue: the backend offers more than the one queue of old
 * @features: PVN_F_* of the backend, usable ones
 * @trusted: the backend may see whole pages
 * @handover: it may write pages that the stack reads
 * @ctrl: control ring, or NULL; under RTNL, and while @scheme_work runs
 * @want_persistent: the scheme that the user wants
 * @scheme_work: brings the queues to the scheme that is wanted
 * @running: NAPI is enabled on all queues; under RTNL
 * @broken: the backend broke the protocol: no traffic until the next connect
 * @rx_copybreak: packets up to this size are copied to a right-sized buffer
 * @debug: file in debugfs
 * @stats_lock: holds @queue still while its counters are read
 * @past: counters of queues that are gone
 * @coalesce: settings of each queue, also of those that are not connected
 */
struct pvn_front {
	struct net_device *netdev;
	struct xenbus_device *xdev;
	struct pvn_queue **queue;
	unsigned int nr_queues;
	unsigned int max_queues;
	unsigned int wanted_queues;
	struct work_struct reconnect;
	bool multi_queue;
	u32 features;
	bool trusted;
	bool handover;
	struct pvn_front_ctrl *ctrl;
	bool want_persistent;
	struct work_struct scheme_work;
	bool running;
	bool broken;
	u32 rx_copybreak;
	struct dentry *debug;
	spinlock_t stats_lock;
	struct rtnl_link_stats64 past;
	struct pvn_coalesce coalesce[];
};

/* main.c: module parameters */
extern unsigned int pvn_front_max_queues;
extern bool pvn_front_trusted;
extern int pvn_front_handover;
extern unsigned int pvn_front_max_persistent;
bool pvn_front_wants_persistent(void);
void pvn_front_broken(struct pvn_front *front, const char *why);

/* xenbus.c */
extern struct xenbus_driver pvn_front_driver;
void pvn_front_reconnect_init(struct pvn_front *front);

/* netdev.c; under RTNL unless said otherwise */
struct net_device *pvn_front_alloc(struct xenbus_device *xdev);
int pvn_front_attach(struct pvn_front *front);
void pvn_front_detach(struct pvn_front *front);
void pvn_front_destroy(struct pvn_front *front);

/* queue.c; under RTNL */
int pvn_queues_create(struct pvn_front *front, unsigned int nr, bool split);
void pvn_queues_free(struct pvn_queue **queue, unsigned int nr);
void pvn_queues_start(struct pvn_front *front);
void pvn_queues_stop(struct pvn_front *front);

/* ctrl.c; under RTNL, calls from the scheme's work */
void pvn_front_ctrl_create(struct pvn_front *front);
void pvn_front_ctrl_stop(struct pvn_front *front);
void pvn_front_ctrl_destroy(struct pvn_front *front);
int pvn_ctrl_call(struct pvn_front_ctrl *ctrl, u16 type, u32 queue, u32 entries, u32 *data);

/* scheme.c */
void pvn_scheme_init(struct pvn_front *front);
void pvn_scheme_update(struct pvn_front *front);
void pvn_scheme_stop(struct pvn_front *front);

/* persist.c */
bool pvn_persist_create(struct pvn_queue *q, u32 max);
void pvn_persist_destroy(struct pvn_queue *q);
bool pvn_persist_can_hand(struct pvn_queue *q, u32 nr);
void pvn_persist_handed(struct pvn_queue *q, u16 i);
u32 pvn_persist_count_out(const struct pvn_queue *q);

/* tx.c */
netdev_tx_t pvn_front_xmit(struct sk_buff *skb, struct net_device *netdev);
void pvn_tx_init(struct pvn_queue *q);
bool pvn_tx_reap(struct pvn_queue *q, int budget);
void pvn_tx_drain(struct pvn_queue *q);

/* rx.c; NAPI, or with NAPI disabled */
void pvn_rx_init(struct pvn_queue *q);
int pvn_rx_poll(struct pvn_queue *q, int budget);
void pvn_rx_refill(struct pvn_queue *q);
void pvn_rx_drain(struct pvn_queue *q);

/* rx_acct.c: the only place where memory is charged to an skb */
struct sk_buff *pvn_rx_alloc_skb(struct pvn_queue *q, u32 linear);
void pvn_rx_add_page(struct sk_buff *skb, struct page *page, u32 offset, u32 len);
void pvn_rx_add_held_page(struct sk_buff *skb, struct page *page, u32 offset, u32 len);

/* debug.c */
void pvn_front_debug_init(void);
void pvn_front_debug_exit(void);
void pvn_front_debug_add(struct pvn_front *front);
void pvn_front_debug_remove(struct pvn_front *front);

/* ethtool.c */
extern const struct ethtool_ops pvn_front_ethtool_ops;

#endif
