// SPDX-License-Identifier: GPL-2.0
/* The memory, skbs and grants of kernel.h, with checks that end the process. */
#include <sanitizer/asan_interface.h>
#include <stdint.h>
#include <string.h>

#include <kernel.h>

#define NR_PAGES	4096u
#define NR_GRANTS	4096u	/* the last is never given out */
#define FIRST_GRANT	8u

#define MUST(cond) do { \
		if (!(cond)) { \
			fprintf(stderr, "fake kernel: %s:%d: %s\n", __func__, __LINE__, #cond); \
			abort(); \
		} \
	} while (0)

static u8 arena[NR_PAGES * PAGE_SIZE] __attribute__((aligned(4096)));
static struct page pages[NR_PAGES];

unsigned long fake_live;
unsigned int fake_fail_at;
unsigned int fake_grant_in_use;
unsigned long jiffies = 1000;
bool fake_xmit_more;

static bool fails(void)
{
	return fake_fail_at && !--fake_fail_at;
}

/* ------------------------------------------------------------------- pages */

void *page_address(const struct page *page)
{
	return arena + (page - pages) * PAGE_SIZE;
}

struct page *virt_to_page(const void *p)
{
	MUST((const u8 *)p >= arena && (const u8 *)p < arena + sizeof(arena));
	return &pages[((const u8 *)p - arena) / PAGE_SIZE];
}

unsigned long xen_page_to_gfn(const struct page *page)
{
	return page - pages;
}

/* The least recently freed first, so that a stale pointer finds poison for long. */
static struct page *find_pages(unsigned int nr)
{
	static unsigned int at;
	unsigned int tried, run = 0;

	for (tried = 0; tried < 2 * NR_PAGES; tried++, at++) {
		if (at % NR_PAGES == 0)
			run = 0;
		run = pages[at % NR_PAGES].refs ? 0 : run + 1;
		if (run == nr)
			return &pages[at++ % NR_PAGES - (nr - 1)];
	}
	MUST(!"memory for the arena");
	return NULL;
}

static struct page *alloc_filled(unsigned int nr, int with)
{
	struct page *first = find_pages(nr);
	unsigned int i;

	for (i = 0; i < nr; i++)
		first[i] = (struct page) { .refs = 1 };
	first->nr = nr;
	ASAN_UNPOISON_MEMORY_REGION(page_address(first), nr * PAGE_SIZE);
	memset(page_address(first), with, nr * PAGE_SIZE);
	fake_live += nr * PAGE_SIZE;
	return first;
}

struct page *fake_alloc_pages(unsigned int nr)
{
	return alloc_filled(nr, 0xa5);
}

struct page *alloc_page(gfp_t gfp)
{
	return fails() ? NULL : alloc_filled(1, gfp & __GFP_ZERO ? 0 : 0xa5);
}

static void free_pages_now(struct page *page)
{
	unsigned int i;

	MUST(page->nr);
	for (i = 0; i < page->nr; i++) {
		MUST(page[i].refs == 1 && !page[i].grants);
		page[i].refs = 0;
	}
	fake_live -= page->nr * PAGE_SIZE;
	ASAN_POISON_MEMORY_REGION(page_address(page), page->nr * PAGE_SIZE);
}

void put_page(struct page *page)
{
	MUST(page->refs > 0);
	if (page->refs > 1)
		page->refs--;
	else if (page->pool)
		page_pool_put_full_page(page->pool, page, false);
	else
		free_pages_now(page);
}

void *kvzalloc(size_t size, gfp_t gfp)
{
	return fails() ? NULL : calloc(1, size);
}

void kvfree(void *p)
{
	free(p);
}

struct page *page_pool_alloc_pages(struct page_pool *pool, gfp_t gfp)
{
	struct page *page = alloc_page(gfp);

	if (page) {
		page->pool = pool;
		pool->out++;
	}
	return page;
}

void page_pool_put_full_page(struct page_pool *pool, struct page *page, bool direct)
{
	MUST(page->pool == pool);
	if (page->refs > 1) {	/* as the kernel: somebody else frees it */
		page->refs--;
		return;
	}
	pool->out--;
	free_pages_now(page);
}

/* -------------------------------------------------------------------- skbs */

/* A head has the size of a bucket of kmalloc(), and may lie across pages. */
static unsigned int bucket(unsigned int n)
{
	unsigned int b = 512;

	while (b < n)
		b *= 2;
	return b;
}

static u8 *alloc_head(unsigned int size)
{
	unsigned int nr = (size + PAGE_SIZE - 1) / PAGE_SIZE, i;
	struct page *first = find_pages(nr);

	for (i = 0; i < nr; i++)
		first[i] = (struct page) { .refs = 1 };
	/* At the end of its pages: reading on hits poison. */
	ASAN_UNPOISON_MEMORY_REGION((u8 *)page_address(first) + nr * PAGE_SIZE - size, size);
	return (u8 *)page_address(first) + nr * PAGE_SIZE - size;
}

static void free_head(u8 *head, unsigned int size)
{
	struct page *page = virt_to_page(head);
	unsigned int nr = (size + PAGE_SIZE - 1) / PAGE_SIZE;

	ASAN_POISON_MEMORY_REGION(page_address(page), nr * PAGE_SIZE);
	while (nr--)
		(page++)->refs = 0;
}

static unsigned int head_size(const struct sk_buff *skb)
{
	return skb->end + SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
}

struct sk_buff *napi_alloc_skb(struct napi_struct *napi, unsigned int len)
{
	unsigned int shared = SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	unsigned int size = bucket(SKB_DATA_ALIGN(NET_SKB_PAD + len) + shared);
	struct sk_buff *skb;

	(void)napi;
	if (fails())
		return NULL;
	skb = calloc(1, sizeof(*skb));
	skb->head = alloc_head(size);
	skb->end = size - shared;
	skb->data = skb->head + NET_SKB_PAD;
	skb->tail = skb->data;
	memset(skb_shinfo(skb), 0, sizeof(struct skb_shared_info));
	skb->truesize = size + SKB_DATA_ALIGN(sizeof(*skb));
	fake_live += skb->truesize;
	return skb;
}

/* A fragment may lie in any page of those that were allocated together. */
static struct page *first_of(struct page *page)
{
	while (!page->nr)
		page--;
	return page;
}

static void put_frag(const struct sk_buff *skb, struct page *page)
{
	page = first_of(page);
	/* Without the mark a page of a pool is lost to it. */
	MUST(skb->pp_recycle == !!page->pool);
	if (skb->pp_recycle)
		page_pool_put_full_page(page->pool, page, false);
	else
		put_page(page);
}

void kfree_skb(struct sk_buff *skb)
{
	struct sk_buff *part, *next;
	int i;

	if (!skb)
		return;
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++)
		put_frag(skb, skb_shinfo(skb)->frags[i].page);
	for (part = skb_shinfo(skb)->frag_list; part; part = next) {
		next = part->next;
		kfree_skb(part);
	}
	fake_live -= head_size(skb) + SKB_DATA_ALIGN(sizeof(*skb));
	free_head(skb->head, head_size(skb));
	free(skb);
}

void *__skb_put(struct sk_buff *skb, unsigned int len)
{
	void *at = skb->tail;

	skb->tail += len;
	skb->len += len;
	MUST(skb->tail <= skb->head + skb->end);
	return at;
}

void *skb_put_data(struct sk_buff *skb, const void *data, unsigned int len)
{
	return memcpy(__skb_put(skb, len), data, len);
}

void skb_add_rx_frag(struct sk_buff *skb, int i, struct page *page, int off, int size,
		     unsigned int truesize)
{
	MUST(i == skb_shinfo(skb)->nr_frags && i < MAX_SKB_FRAGS);
	MUST(off >= 0 && size > 0 && off + size <= first_of(page)->nr * PAGE_SIZE);
	skb_shinfo(skb)->frags[i] = (skb_frag_t) { page, off, size };
	skb_shinfo(skb)->nr_frags++;
	skb->len += size;
	skb->data_len += size;
	skb->truesize += truesize;
}

/* Copy between @buf, which is bytes @offset to @offset + @len of all, and @n bytes at @p, which begin at @at. */
static void overlap(u8 *buf, u32 offset, u32 len, u8 *p, u32 at, u32 n, bool store)
{
	u32 from = max(offset, at), to = min(offset + len, at + n);

	if (from >= to)
		return;
	if (store)
		memcpy(p + (from - at), buf + (from - offset), to - from);
	else
		memcpy(buf + (from - offset), p + (from - at), to - from);
}

static u32 bits(const struct sk_buff *skb, u32 at, u32 offset, u8 *buf, u32 len, bool store)
{
	const struct skb_shared_info *si = skb_shinfo(skb);
	const struct sk_buff *part;
	int i;

	overlap(buf, offset, len, skb->data, at, skb_headlen(skb), store);
	at += skb_headlen(skb);
	for (i = 0; i < si->nr_frags; i++) {
		const skb_frag_t *f = &si->frags[i];

		overlap(buf, offset, len, (u8 *)page_address(f->page) + f->offset, at, f->size, store);
		at += f->size;
	}
	skb_walk_frags(skb, part)
		at = bits(part, at, offset, buf, len, store);
	return at;
}

int skb_store_bits(struct sk_buff *skb, int offset, const void *from, int len)
{
	MUST(offset + len <= (int)skb->len);
	bits(skb, 0, offset, (u8 *)from, len, true);
	return 0;
}

int skb_copy_bits(const struct sk_buff *skb, int offset, void *to, int len)
{
	MUST(offset + len <= (int)skb->len);
	bits(skb, 0, offset, to, len, false);
	return 0;
}

void fake_skb_read(const struct sk_buff *skb, void *to)
{
	skb_copy_bits(skb, 0, to, skb->len);
}

/* In portions of any size, as fragments make them. */
void skb_prepare_seq_read(struct sk_buff *skb, u32 from, u32 to, struct skb_seq_state *st)
{
	MUST(from == 0 && to == skb->len);
	st->skb = skb;
}

u32 skb_seq_read(u32 consumed, const u8 **data, struct skb_seq_state *st)
{
	u32 n = min(st->skb->len - consumed, 1 + consumed * 7 % (u32)sizeof(st->bytes));

	skb_copy_bits(st->skb, consumed, st->bytes, n);
	*data = st->bytes;
	return n;
}

void __skb_queue_tail(struct sk_buff_head *h, struct sk_buff *skb)
{
	skb->next = NULL;
	if (h->first)
		h->last->next = skb;
	else
		h->first = skb;
	h->last = skb;
}

struct sk_buff *__skb_dequeue(struct sk_buff_head *h)
{
	struct sk_buff *skb = h->first;

	if (skb)
		h->first = skb->next;
	return skb;
}

void __skb_queue_purge(struct sk_buff_head *h)
{
	while (h->first)
		kfree_skb(__skb_dequeue(h));
}

void netdev_tx_completed_queue(struct netdev_queue *txq, unsigned int packets, unsigned int bytes)
{
	MUST(packets <= txq->packets && bytes <= txq->in_flight);
	txq->packets -= packets;
	txq->in_flight -= bytes;
}

static struct sk_buff *received[512];
static unsigned int nr_received;

void napi_gro_receive(struct napi_struct *napi, struct sk_buff *skb)
{
	MUST(nr_received < ARRAY_SIZE(received));
	received[nr_received++] = skb;
}

struct sk_buff *fake_received(void)
{
	struct sk_buff *skb = received[0];

	if (!nr_received)
		return NULL;
	memmove(received, received + 1, --nr_received * sizeof(*received));
	return skb;
}

/* ------------------------------------------------------------------ grants */

static struct { struct page *page; bool taken, readonly; } grant[NR_GRANTS];

static unsigned int grants_taken;

unsigned int fake_grants(void)
{
	return grants_taken;
}

/* A "head" is 1 + the number of claims it is good for; claims take any that is free. */
int gnttab_alloc_grant_references(u16 nr, grant_ref_t *head)
{
	*head = nr + 1;
	return fails() ? -28 : 0;
}

grant_ref_t gnttab_claim_grant_reference(grant_ref_t *head)
{
	static grant_ref_t last;
	unsigned int tried;

	MUST(--*head > 0);
	for (tried = 0; tried < NR_GRANTS; tried++) {
		last = last + 1 < NR_GRANTS - 1 ? last + 1 : FIRST_GRANT;
		if (!grant[last].taken) {
			grant[last].taken = true;
			grants_taken++;
			return last;
		}
	}
	MUST(!"a free grant");
	return 0;
}

void gnttab_free_grant_references(grant_ref_t head)
{
	MUST(head > 0);
}

void gnttab_free_grant_reference(grant_ref_t ref)
{
	MUST(grant[ref].taken && !grant[ref].page);
	grant[ref].taken = false;
	grants_taken--;
}

void gnttab_page_grant_foreign_access_ref_one(grant_ref_t ref, domid_t domid,
					      struct page *page, int readonly)
{
	MUST(grant[ref].taken && !grant[ref].page && page->refs);
	grant[ref].page = page;
	grant[ref].readonly = readonly;
	page->grants++;
}

int gnttab_end_foreign_access_ref(grant_ref_t ref)
{
	MUST(grant[ref].page);
	if (ref == fake_grant_in_use)
		return 0;
	grant[ref].page->grants--;
	grant[ref].page = NULL;
	return 1;
}

void gnttab_end_foreign_access(grant_ref_t ref, struct page *page)
{
	if (ref == fake_grant_in_use)	/* the kernel frees both when it can */
		return;
	MUST(!page || grant[ref].page == page);
	gnttab_end_foreign_access_ref(ref);
	gnttab_free_grant_reference(ref);
	if (page)
		put_page(page);
}

int gnttab_try_end_foreign_access(grant_ref_t ref)
{
	if (!gnttab_end_foreign_access_ref(ref))
		return 0;
	gnttab_free_grant_reference(ref);
	return 1;
}

void *fake_granted(grant_ref_t ref, bool write)
{
	if (ref >= NR_GRANTS || !grant[ref].page || (write && grant[ref].readonly))
		return NULL;
	return page_address(grant[ref].page);
}

static u8 *copy_end(const struct fake_copy_end *e, bool gref, bool write)
{
	if (gref)
		return fake_granted(e->u.ref, write);
	return e->u.gmfn < NR_PAGES ? arena + e->u.gmfn * PAGE_SIZE : NULL;
}

static s16 copy_one(const struct gnttab_copy *op)
{
	u8 *from = copy_end(&op->source, op->flags & GNTCOPY_source_gref, false);
	u8 *to = copy_end(&op->dest, op->flags & GNTCOPY_dest_gref, true);

	if (!from || !to)
		return GNTST_bad_gntref;
	if (op->source.offset + op->len > PAGE_SIZE || op->dest.offset + op->len > PAGE_SIZE)
		return GNTST_bad_copy_arg;
	memcpy(to + op->dest.offset, from + op->source.offset, op->len);
	return GNTST_okay;
}

int HYPERVISOR_grant_table_op(unsigned int cmd, struct gnttab_copy *op, unsigned int nr)
{
	MUST(cmd == GNTTABOP_copy);
	for (; nr--; op++)
		op->status = copy_one(op);
	return 0;
}
