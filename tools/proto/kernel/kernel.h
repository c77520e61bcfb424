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
#define offset_in_page(p)	((unsigned long)(p) & (PAGE_SIZE - 1))
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

#define ETH_DATA_LEN	1500
#define VLAN_ETH_HLEN	18
#define HZ		250
#define GFP_ATOMIC	1u
#define GFP_KERNEL	2u
#define __GFP_NOWARN	4u
#define __GFP_ZERO	8u

struct device { int none; };
struct dentry;
struct work_struct { int none; };
struct delayed_work { int scheduled; };
struct hrtimer { int none; };
struct dim { int none; };
struct rtnl_link_stats64 { int none; };
struct xenbus_watch { int none; };
struct xenbus_driver { int none; };
struct ethtool_ops;
struct napi_struct { int completed; };
struct net_device { int none; };
struct xenbus_device { struct device dev; domid_t otherend_id; };

static inline bool napi_complete_done(struct napi_struct *napi, int work)
{
	napi->completed++;
	return true;
}

#define netdev_dbg(dev, ...)		((void)(dev))
#define dev_info(dev, ...)		((void)(dev))
#define schedule_delayed_work(w, d)	((w)->scheduled++)
#define udelay(n)			((void)(n))
#define atomic_add_return(n, p)		(*(p) += (n))
#define atomic_sub(n, p)		(*(p) -= (n))

/* ------------------------------------------------------------------ memory */

struct page_pool { unsigned int out; };

/**
 * struct page - a page of the arena
 * @refs: 0 = free
 * @grants: grants that let a peer see it
 * @pool: where it belongs, or NULL
 */
struct page {
	int refs;
	int grants;
	struct page_pool *pool;
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
	u8 nr_frags;
	skb_frag_t frags[MAX_SKB_FRAGS];
};

struct sk_buff {
	u32 len, data_len, truesize;
	u16 protocol;
	bool pp_recycle;
	u8 *head, *data, *tail;
	u32 end;
};

struct sk_buff_head { int none; };

#define skb_shinfo(skb)		((struct skb_shared_info *)((skb)->head + (skb)->end))
#define skb_frag_page(f)	((f)->page)
#define skb_mark_for_recycle(skb)	((skb)->pp_recycle = true)
#define skb_record_rx_queue(skb, n)	((void)(n))
#define eth_type_trans(skb, dev)	((void)(dev), 0)

struct sk_buff *napi_alloc_skb(struct napi_struct *napi, unsigned int len);
void kfree_skb(struct sk_buff *skb);
void *__skb_put(struct sk_buff *skb, unsigned int len);
void *skb_put_data(struct sk_buff *skb, const void *data, unsigned int len);
void skb_add_rx_frag(struct sk_buff *skb, int i, struct page *page, int off, int size,
		     unsigned int truesize);
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
int HYPERVISOR_grant_table_op(unsigned int cmd, struct gnttab_copy *op, unsigned int nr);

/* What the peer has of a grant: its memory, or NULL; and how many grants are taken. */
void *fake_granted(grant_ref_t ref, bool write);
unsigned int fake_grants(void);

/* Pages that are mapped for good: a plain array does. */
struct xarray { void *entry[4096]; };
#define xa_load(xa, i)	((i) < 4096 ? (xa)->entry[i] : NULL)

#endif
