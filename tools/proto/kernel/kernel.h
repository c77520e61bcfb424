/* SPDX-License-Identifier: GPL-2.0 */
/*
 * So much of a kernel as the datapath's files need to run in userspace: pages, skbs, page
 * pools and a grant table with a ledger of all memory. tools/check/unit makes a file for
 * each kernel header that includes this one.
 *
 * Memory is an arena of pages, so that any address has a struct page and a frame
 * number. What is not allocated is poisoned for ASan. The checks of kernel.c end the
 * process: giving a page back twice, or one that is granted, is a bug whatever the test.
 */
#ifndef _FAKE_KERNEL_H
#define _FAKE_KERNEL_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <asm/barrier.h>

#define PAGE_SHIFT		12
#define PAGE_SIZE		4096UL
#define PAGE_MASK		(~(PAGE_SIZE - 1))
#define offset_in_page(p)	((unsigned long)(p) & (PAGE_SIZE - 1))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define ____cacheline_aligned_in_smp
#define likely(x)		(x)
#define unlikely(x)		(x)
#define smp_mb()		__sync_synchronize()
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

/* ------------------------------------------------- names that only have to be there */

typedef int atomic_t;
typedef unsigned int gfp_t, spinlock_t, wait_queue_head_t, irqreturn_t, netdev_tx_t;
typedef u16 domid_t;
typedef u32 grant_ref_t, grant_handle_t, evtchn_port_t;
typedef u64 netdev_features_t;
typedef u64 ktime_t;

#define ETH_HLEN	14
#define ETH_DATA_LEN	1500
#define VLAN_ETH_HLEN	18
#define HZ		250
#define NSEC_PER_USEC	1000
#define CLOCK_MONOTONIC	1
#define GFP_ATOMIC	1u
#define GFP_KERNEL	2u
#define __GFP_NOWARN	4u
#define __GFP_ZERO	8u

struct device { int none; };
struct dentry;
struct work_struct { int none; };
struct delayed_work { struct work_struct work; int scheduled; };
enum hrtimer_restart { HRTIMER_NORESTART };
enum hrtimer_mode { HRTIMER_MODE_REL_SOFT };
struct hrtimer { bool queued; };
struct dim { int none; };
struct rtnl_link_stats64 { int none; };
struct xenbus_watch { int none; };
struct xenbus_driver { int none; };
struct ethtool_ops;
struct napi_struct { bool scheduled; int completed; };
struct xenbus_device { struct device dev; domid_t otherend_id; };

#define napi_schedule(napi)		((napi)->scheduled = true)

static inline bool napi_complete_done(struct napi_struct *napi, int work)
{
	napi->scheduled = false;
	napi->completed++;
	return true;
}

/* ------------------------------------------------------------ network devices */

#define NETDEV_TX_OK		0
#define NETREG_REGISTERED	1

/* Bytes that the driver has been given and not completed: BQL's account. */
struct netdev_queue { bool stopped; unsigned int in_flight, packets; };
struct net_device { void *priv; int reg_state; bool carrier; struct netdev_queue txq; };

extern bool fake_xmit_more;

#define netdev_priv(dev)		((dev)->priv)
#define netdev_get_tx_queue(dev, i)	((void)(i), &(dev)->txq)
#define netdev_xmit_more()		fake_xmit_more
#define in_serving_softirq()		false
#define smp_processor_id()		0
#define __netif_tx_lock(txq, cpu)	((void)(txq))
#define __netif_tx_unlock(txq)		((void)(txq))
#define __netif_tx_lock_bh(txq)		((void)(txq))
#define __netif_tx_unlock_bh(txq)	((void)(txq))
#define netif_xmit_stopped(txq)		((txq)->stopped)
#define netif_tx_queue_stopped(txq)	((txq)->stopped)
#define netif_tx_stop_queue(txq)	((txq)->stopped = true)
#define netif_tx_start_queue(txq)	((txq)->stopped = false)
#define netif_tx_wake_queue(txq)	((txq)->stopped = false)
#define netif_carrier_on(dev)		((dev)->carrier = true)
#define netif_carrier_off(dev)		((dev)->carrier = false)
#define netdev_tx_sent_queue(txq, n)	((txq)->packets++, (txq)->in_flight += (n))
#define netdev_tx_reset_queue(txq)	((txq)->in_flight = (txq)->packets = 0)

static inline bool __netdev_tx_sent_queue(struct netdev_queue *txq, unsigned int bytes, bool more)
{
	netdev_tx_sent_queue(txq, bytes);
	return !more;
}

void netdev_tx_completed_queue(struct netdev_queue *txq, unsigned int packets, unsigned int bytes);

#define netdev_dbg(dev, ...)		((void)(dev))
#define netdev_info(dev, ...)		((void)(dev))
#define netdev_warn(dev, ...)		((void)(dev))
#define dev_info(dev, ...)		((void)(dev))
#define dev_warn(dev, ...)		((void)(dev))
#define schedule_delayed_work(w, d)	((void)(d), (w)->scheduled++)
#define INIT_DELAYED_WORK(w, fn)	((void)(fn))
#define to_delayed_work(w)		container_of(w, struct delayed_work, work)
#define udelay(n)			((void)(n))
#define atomic_add_return(n, p)		(*(p) += (n))
#define atomic_sub(n, p)		(*(p) -= (n))
#define atomic_inc_return(p)		(++*(p))
#define atomic_dec_and_test(p)		(!--*(p))

/* Time stands still unless a test moves it. */
extern unsigned long jiffies;
#define local_clock()			((u64)jiffies * 4000000)
#define msecs_to_jiffies(ms)		((unsigned long)(ms) / 4)
#define time_after_eq(a, b)		((long)((a) - (b)) >= 0)
#define ns_to_ktime(ns)			(ns)
#define hrtimer_setup(t, fn, c, m)	((void)(fn))
#define hrtimer_is_queued(t)		((t)->queued)
#define hrtimer_start(t, when, m)	((void)(when), (t)->queued = true)

#define BITS_PER_LONG			64
#define DECLARE_BITMAP(name, n)		unsigned long name[(n) / BITS_PER_LONG]
#define __set_bit(i, map)		((map)[(i) / BITS_PER_LONG] |= 1UL << (i) % BITS_PER_LONG)
#define test_bit(i, map)		((map)[(i) / BITS_PER_LONG] >> (i) % BITS_PER_LONG & 1)

static inline unsigned int bitmap_weight(const unsigned long *map, unsigned int n)
{
	unsigned int sum = 0, i;

	for (i = 0; i < n / BITS_PER_LONG; i++)
		sum += __builtin_popcountl(map[i]);
	return sum;
}

/* ------------------------------------------------------------------ memory */

struct page_pool { unsigned int out; };

/**
 * struct page - a page of the arena
 * @refs: 0 = free
 * @grants: grants that let a peer see it
 * @pool: where it belongs, or NULL
 * @nr: the first of so many, which live and die together
 */
struct page {
	int refs;
	int grants;
	struct page_pool *pool;
	unsigned int nr;
};

/* Bytes of pages and skbs that are allocated. */
extern unsigned long fake_live;
/* Allocations until one fails, 0 = none does. */
extern unsigned int fake_fail_at;
/* The peer does not let this grant go. */
extern unsigned int fake_grant_in_use;

void *page_address(const struct page *page);
struct page *virt_to_page(const void *p);
unsigned long xen_page_to_gfn(const struct page *page);
struct page *alloc_page(gfp_t gfp);
struct page *fake_alloc_pages(unsigned int nr);
void put_page(struct page *page);
void *kvzalloc(size_t size, gfp_t gfp);
void kvfree(void *p);

#define get_page(page)		((page)->refs++)
#define page_ref_count(page)	((page)->refs)
#define __free_page(page)	put_page(page)
#define page_is_pfmemalloc(p)	((void)(p), false)
#define clear_page(p)		memset(p, 0, PAGE_SIZE)

struct page *page_pool_alloc_pages(struct page_pool *pool, gfp_t gfp);
#define page_pool_dev_alloc_pages(pool)	page_pool_alloc_pages(pool, 0)
void page_pool_put_full_page(struct page_pool *pool, struct page *page, bool direct);

/* -------------------------------------------------------------------- skbs */

#define MAX_SKB_FRAGS		17
#define SMP_CACHE_BYTES		64u
#define SKB_DATA_ALIGN(n)	(((n) + SMP_CACHE_BYTES - 1) & ~(SMP_CACHE_BYTES - 1))
#define NET_SKB_PAD		64u

typedef struct { struct page *page; u32 offset, size; } skb_frag_t;

struct skb_shared_info {
	u8 nr_frags, gso_type;
	u16 gso_size;
	struct sk_buff *frag_list;
	skb_frag_t frags[MAX_SKB_FRAGS];
};

struct sk_buff {
	struct sk_buff *next;
	u32 len, data_len, truesize;
	u16 protocol;
	bool pp_recycle;
	u8 *head, *data, *tail;
	u32 end;
};

struct sk_buff_head { struct sk_buff *first, *last; };

#define skb_shinfo(skb)		((struct skb_shared_info *)((skb)->head + (skb)->end))
#define skb_frag_page(f)	((f)->page)
#define skb_frag_off(f)		((f)->offset)
#define skb_frag_size(f)	((f)->size)
#define skb_headlen(skb)	((skb)->len - (skb)->data_len)
#define skb_has_frag_list(skb)	(skb_shinfo(skb)->frag_list != NULL)
#define skb_walk_frags(skb, p)	for ((p) = skb_shinfo(skb)->frag_list; (p); (p) = (p)->next)
#define skb_get_queue_mapping(skb)	((void)(skb), 0)
#define skb_tx_timestamp(skb)	((void)(skb))
#define dev_kfree_skb_any(skb)	kfree_skb(skb)
#define dev_consume_skb_any(skb)	kfree_skb(skb)
#define napi_consume_skb(skb, budget)	((void)(budget), kfree_skb(skb))
#define skb_mark_for_recycle(skb)	((skb)->pp_recycle = true)
#define skb_record_rx_queue(skb, n)	((void)(n))
#define eth_type_trans(skb, dev)	((void)(dev), 0)

struct sk_buff *napi_alloc_skb(struct napi_struct *napi, unsigned int len);
void kfree_skb(struct sk_buff *skb);
void *__skb_put(struct sk_buff *skb, unsigned int len);
void *skb_put_data(struct sk_buff *skb, const void *data, unsigned int len);
void skb_add_rx_frag(struct sk_buff *skb, int i, struct page *page, int off, int size,
		     unsigned int truesize);
int skb_copy_bits(const struct sk_buff *skb, int offset, void *to, int len);

struct skb_seq_state { const struct sk_buff *skb; u8 bytes[512]; };
void skb_prepare_seq_read(struct sk_buff *skb, u32 from, u32 to, struct skb_seq_state *st);
u32 skb_seq_read(u32 consumed, const u8 **data, struct skb_seq_state *st);
#define skb_abort_seq_read(st)	((void)(st))

#define __skb_queue_head_init(h)	((h)->first = NULL)
void __skb_queue_tail(struct sk_buff_head *h, struct sk_buff *skb);
struct sk_buff *__skb_dequeue(struct sk_buff_head *h);
void __skb_queue_purge(struct sk_buff_head *h);

int skb_store_bits(struct sk_buff *skb, int offset, const void *from, int len);
void fake_skb_read(const struct sk_buff *skb, void *to);

/* What the stack got last, for the test to look at and to free. */
void napi_gro_receive(struct napi_struct *napi, struct sk_buff *skb);
struct sk_buff *fake_received(void);

/* ------------------------------------------------------------------ grants */

#define GNTST_okay		0
#define GNTST_general_error	(-1)
#define GNTST_bad_gntref	(-3)
#define GNTST_bad_copy_arg	(-10)
#define GNTST_eagain		(-12)
#define GNTTABOP_copy		5
#define GNTCOPY_source_gref	1
#define GNTCOPY_dest_gref	2
#define DOMID_SELF		0x7FF0

struct fake_copy_end {
	union { grant_ref_t ref; unsigned long gmfn; } u;
	domid_t domid;
	u16 offset;
};

struct gnttab_copy {
	struct fake_copy_end source, dest;
	u16 len, flags;
	s16 status;
};

struct xen_page_foreign { domid_t domid; grant_ref_t gref; };
#define xen_page_foreign(page)	((void)(page), (struct xen_page_foreign *)NULL)

struct grant_entry_v1 { u64 none; };
#define gnttab_max_grant_frames()	64u

int gnttab_alloc_grant_references(u16 nr, grant_ref_t *head);
grant_ref_t gnttab_claim_grant_reference(grant_ref_t *head);
void gnttab_free_grant_references(grant_ref_t head);
void gnttab_free_grant_reference(grant_ref_t ref);
void gnttab_page_grant_foreign_access_ref_one(grant_ref_t ref, domid_t domid,
					      struct page *page, int readonly);
int gnttab_end_foreign_access_ref(grant_ref_t ref);
void gnttab_end_foreign_access(grant_ref_t ref, struct page *page);
int gnttab_try_end_foreign_access(grant_ref_t ref);
int HYPERVISOR_grant_table_op(unsigned int cmd, struct gnttab_copy *op, unsigned int nr);

/* What the peer has of a grant: its memory, or NULL; and how many grants are taken. */
void *fake_granted(grant_ref_t ref, bool write);
unsigned int fake_grants(void);

/* Pages that are mapped for good: a plain array does. */
struct xarray { void *entry[4096]; };
#define xa_load(xa, i)	((i) < 4096 ? (xa)->entry[i] : NULL)

#endif
