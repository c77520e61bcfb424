/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pvnet-back: what its files share.
 *
 * "from_guest" and "to_guest" name directions; tx and rx only ever mean the
 * guest's rings.
 */
#ifndef _PVNET_BACK_H
#define _PVNET_BACK_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/page_pool.h>
#include <xen/grant_table.h>
#include <xen/xenbus.h>

#include <pvnet/coalesce.h>
#include <pvnet/core.h>
#include <pvnet/notify.h>
#include <pvnet/ring.h>
#include <pvnet/stats.h>
#include <pvnet/wake.h>

struct pvn_vif;
struct pvn_back_ctrl;

/* A burst to the guest is copied in one hypercall of up to this many. */
#define PVN_TO_OPS	64
/* All that a full ring can hold, and the largest packet on top. */
#define PVN_FROM_OPS	(PVN_TX_RING_SLOTS + PVN_PLACE_SEGS)
#define PVN_FROM_BATCH	64

/* A queue of ours asks for 784. */
#define PVN_MAP_QUEUE_MAX	2048u

/**
 * struct pvn_mapped - a page of the guest that stays mapped
 * @addr: where
 * @page: its page struct
 * @handle: Xen's
 * @mapped: @handle is valid; only false while it is being set up
 * @readonly: for us
 */
struct pvn_mapped {
	void *addr;
	struct page *page;
	grant_handle_t handle;
	bool mapped;
	bool readonly;
};

/**
 * struct pvn_from_pkt - a packet from the guest between its slots and the stack
 * @skb: NULL when it is refused or there was no memory
 * @snap: where its slots are in the queue's snapshot
 * @nr_slots: how many
 * @nr_extra: extra info slots among them
 * @op: its first copy
 * @nr_ops: how many
 * @csum: its checksum
 * @gso: its segmentation
 */
struct pvn_from_pkt {
	struct sk_buff *skb;
	u32 snap;
	u32 nr_slots;
	u32 nr_extra;
	u32 op;
	u32 nr_ops;
	enum pvn_csum csum;
	struct pvn_gso gso;
};

/**
 * struct pvn_vq - a pair of rings, seen from the backend
 *
 * Set at connect, constant afterwards:
 * @vif: the device
 * @index: number of the queue
 * @chan: event channels; only the first when one serves both rings
 * @from_chan: channel of the guest tx ring
 * @to_chan: channel of the guest rx ring
 * @ring_page: the guest's pages, mapped: tx, rx
 * @pool: where the payload of large packets from the guest goes
 * @mapped: pages of the guest that are mapped, by grant; see map.c
 * @map_stats: how many
 *
 * Written by the from-guest NAPI:
 * @from_napi: polls the guest tx ring
 * @tx: guest tx ring
 * @from_wake: when it is looked at
 * @from_stats: counters
 * @from_snap: private copy of requests
 * @from_pkt: packets of a batch
 * @from_op: their copies
 *
 * Written under the netdev tx queue's lock:
 * @to_napi: flushes what xmit has collected, and looks for room
 * @rx: guest rx ring; cons is ahead of prod by what waits for its copy
 * @seen: producer index of the guest, as last seen
 * @nr_to_ops: copies that wait
 * @held: packets whose copies wait
 * @held_bytes: their bytes, for BQL
 * @stopped_at: when the queue was stopped for lack of room, in jiffies
 * @stopped: it is
 * @to_mapped: the page that was filled last is mapped: likely the next is too
 * @draining: the guest has not read for the drain time: drop
 * @stalled: nor for the stall time: no carrier
 * @last_local: when a local process sent its last packet, in ns
 * @local_gap: average time between them, in ns
 * @to_stats: counters
 * @to_answer: answers by ring slot, not on the ring yet
 * @to_op: copies that wait
 * @to_op_slot: for each the ring slot that it fills
 * @hold: ends the time for which packets are held
 * @watch: looks after a stopped queue
 */
struct pvn_vq {
	struct pvn_vif *vif;
	unsigned int index;
	struct pvn_chan chan[2];
	struct pvn_chan *from_chan;
	struct pvn_chan *to_chan;
	void *ring_page[2];
	struct page_pool *pool;
	struct xarray mapped;
	struct pvn_back_map_stats map_stats;

	struct napi_struct from_napi ____cacheline_aligned_in_smp;
	struct pvn_ring tx;
	struct pvn_wake from_wake;
	struct pvn_back_from_stats from_stats;
	union pvn_tx_slot from_snap[PVN_TX_RING_SLOTS];
	struct pvn_from_pkt from_pkt[PVN_FROM_BATCH];
	struct gnttab_copy from_op[PVN_FROM_OPS];

	struct napi_struct to_napi ____cacheline_aligned_in_smp;
	struct pvn_ring rx;
	u32 seen;
	u32 nr_to_ops;
	struct sk_buff_head held;
	u32 held_bytes;
	unsigned long stopped_at;
	bool to_mapped;
	bool stopped;
	bool draining;
	bool stalled;
	u64 last_local;
	u64 local_gap;
	struct pvn_back_to_stats to_stats;
	union pvn_rx_slot to_answer[PVN_RX_RING_SLOTS];
	struct gnttab_copy to_op[PVN_TO_OPS];
	u16 to_op_slot[PVN_TO_OPS];
	struct hrtimer hold;
	struct delayed_work watch;
};

/**
 * struct pvn_vif - the host's end of a guest's network interface
 * @netdev: vifD.N
 * @xdev: its xenbus device
 * @domid: the guest
 * @queue: connected queues, NULL when there are none; under RTNL
 * @nr_queues: how many
 * @ctrl: control ring, or NULL; belongs to the xenwatch thread
 * @features: PVN_F_* of the frontend, usable ones
 * @running: NAPI is enabled on all queues; under RTNL
 * @broken: the frontend broke the protocol: no traffic until the next connect
 * @stalled_queues: the carrier is off while there are any
 * @debug: file in debugfs
 * @stats_lock: holds @queue still while its counters are read
 * @past: counters of queues that are gone
 * @hotplug_watch: on hotplug-status
 * @hotplug_done: the script has succeeded once; that is enough
 * @coalesce: settings of each queue, also of those that are not connected
 */
struct pvn_vif {
	struct net_device *netdev;
	struct xenbus_device *xdev;
	domid_t domid;
	struct pvn_vq **queue;
	unsigned int nr_queues;
	struct pvn_back_ctrl *ctrl;
	u32 features;
	bool running;
	bool broken;
	atomic_t stalled_queues;
	struct dentry *debug;
	spinlock_t stats_lock;
	struct rtnl_link_stats64 past;
	struct xenbus_watch hotplug_watch;
	bool hotplug_done;
	struct pvn_coalesce coalesce[];
};

/* main.c: module parameters */
extern unsigned int pvn_back_max_queues;
extern unsigned int pvn_fatal_slots;
extern unsigned int pvn_drain_msecs;
extern unsigned int pvn_stall_msecs;
extern unsigned int pvn_hold_usecs;
extern bool pvn_split_events;
extern unsigned int pvn_max_persistent;
extern unsigned int pvn_max_persistent_total;
bool pvn_serves_persistent(void);
void pvn_vif_broken(struct pvn_vif *vif, const char *why);

/* xenbus.c */
extern struct xenbus_driver pvn_back_driver;

/**
 * struct pvn_vq_keys - what the frontend says of a queue
 * @ring_ref: grants of the shared pages: tx, rx
 * @port: event channels: tx, rx; the same twice when there is only one
 */
struct pvn_vq_keys {
	grant_ref_t ring_ref[2];
	evtchn_port_t port[2];
};

/* netdev.c */
struct pvn_vif *pvn_vif_create(struct xenbus_device *xdev, domid_t domid,
			       unsigned int handle);
void pvn_vif_free(struct pvn_vif *vif);
int pvn_vif_attach(struct pvn_vif *vif);
void pvn_vif_detach(struct pvn_vif *vif);
void pvn_vq_add_stats(const struct pvn_vq *q, struct rtnl_link_stats64 *s);

/* queue.c; process context, RTNL */
int pvn_vqs_create(struct pvn_vif *vif, const struct pvn_vq_keys *keys, unsigned int nr);
void pvn_vqs_destroy(struct pvn_vif *vif);
void pvn_vqs_start(struct pvn_vif *vif);
void pvn_vqs_stop(struct pvn_vif *vif);

/* from_guest.c */
int pvn_from_poll(struct napi_struct *napi, int budget);

/* to_guest.c */
netdev_tx_t pvn_to_xmit(struct sk_buff *skb, struct net_device *netdev);
int pvn_to_poll(struct napi_struct *napi, int budget);
void pvn_to_init(struct pvn_vq *q);
void pvn_to_start(struct pvn_vq *q);
void pvn_to_drop_held(struct pvn_vq *q);

/* copy.c */
int __must_check pvn_copy_run(struct gnttab_copy *op, u32 nr);
void pvn_copy_from_guest(struct gnttab_copy *op, domid_t domid, grant_ref_t gref,
			 u32 src, struct page *page, u32 dst, u32 len);
void pvn_copy_to_guest(struct gnttab_copy *op, domid_t domid, grant_ref_t gref,
		       u32 dst, struct page *page, u32 src, u32 len);

/* map.c */
u32 pvn_map_max(const struct pvn_vif *vif);
bool __must_check pvn_map_add(struct pvn_vq *q, const struct pvn_gref *list, u32 nr);
int pvn_map_del(struct pvn_vq *q, struct pvn_gref *list, u32 nr);
void pvn_map_clear(struct pvn_vq *q);

/**
 * pvn_map_find() - the mapped page of a grant
 * @q: the queue
 * @gref: the grant
 *
 * Context: bottom halves off, and until they are on again it stays mapped.
 * Return: NULL when it is not in the table.
 */
static inline struct pvn_mapped *pvn_map_find(const struct pvn_vq *q, grant_ref_t gref)
{
	if (!READ_ONCE(q->map_stats.mapped_pages))
		return NULL;
	return xa_load((struct xarray *)&q->mapped, gref);
}

/* ctrl.c; process context */
int pvn_back_ctrl_create(struct pvn_vif *vif, grant_ref_t ref, evtchn_port_t port);
void pvn_back_ctrl_destroy(struct pvn_vif *vif);

/* acct.c: the only place where memory is charged to an skb */
struct sk_buff *pvn_from_alloc_skb(struct pvn_vq *q, u32 linear);
bool pvn_from_add_page(struct pvn_vq *q, struct sk_buff *skb, u32 len);

/* debug.c */
void pvn_back_debug_init(void);
void pvn_back_debug_exit(void);
void pvn_back_debug_add(struct pvn_vif *vif);
void pvn_back_debug_remove(struct pvn_vif *vif);

/* ethtool.c */
extern const struct ethtool_ops pvn_back_ethtool_ops;

#endif
