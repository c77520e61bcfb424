// SPDX-License-Identifier: GPL-2.0
/* Sets up and takes down what pair.h describes, and makes skbs of any shape. */
#include "pair.h"

struct pair w;

const struct mode pair_modes[PAIR_MODES] = {
	{ "copy", .trusted = true, .sg = true },
	{ "copy, not trusted", .sg = true },
	{ "copy, no scatter-gather", .trusted = true },
	{ "persistent", .trusted = true, .sg = true, .persistent = true, .mapped = true, .handover = true },
	{ "persistent, nothing handed over", .sg = true, .persistent = true, .mapped = true },
	{ "persistent, not mapped", .trusted = true, .sg = true, .persistent = true, .handover = true },
};

/* ------------------------------------------------------------------ set up */

static grant_ref_t new_grant(void)
{
	grant_ref_t head;

	EXPECT(!gnttab_alloc_grant_references(1, &head));
	return gnttab_claim_grant_reference(&head);
}

static void begin_front(const struct mode *m)
{
	u32 i;

	w.front = calloc(1, sizeof(*w.front));
	w.q = calloc(1, sizeof(*w.q));
	w.queue[0] = w.q;
	w.guest = (struct net_device) { .priv = w.front, .reg_state = NETREG_REGISTERED };
	w.front->netdev = &w.guest;
	w.front->xdev = &w.xdev;
	w.front->queue = w.queue;
	w.front->features = m->sg ? PVN_F_SG : 0;
	w.front->trusted = m->trusted;
	w.front->handover = m->handover;
	w.front->rx_copybreak = 1522;
	w.q->front = w.front;
	w.q->pool = &w.rx_pool;
	w.q->tx_chan = w.q->chan;
	w.q->rx_chan = w.q->chan;
	for (i = 0; i < 2; i++) {
		w.q->ring_page[i] = memset(w.page[i], 0, PAGE_SIZE);
		pvn_sring_init(w.page[i]);
	}
	for (i = 0; i < PVN_TX_RING_SLOTS; i++) {
		w.q->tx_buf[i].gref = new_grant();
		w.q->spare[w.q->nr_spare++] = (struct pvn_rx_buf) {
			.gref = new_grant(), .persist = PVN_RX_OF_POOL,
		};
	}
	pvn_tx_init(w.q);
	pvn_rx_init(w.q);
	if (m->persistent) {
		EXPECT(pvn_persist_create(w.q, 4096));
		w.q->rx_live = true;
		w.q->stage_live = true;
	}
	pvn_rx_refill(w.q);
}

static void map(const struct pvn_granted *g, u32 nr, bool readonly)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		grant_ref_t ref = g[i].gref;

		w.mapped[ref] = (struct pvn_mapped) {
			.addr = fake_granted(ref, !readonly), .mapped = true, .readonly = readonly,
		};
		w.vq->mapped.entry[ref] = &w.mapped[ref];
		w.vq->map_stats.mapped_pages++;
	}
}

static void begin_back(const struct mode *m)
{
	w.vif = calloc(1, sizeof(*w.vif));
	w.vq = calloc(1, sizeof(*w.vq));
	w.vqueue[0] = w.vq;
	w.host = (struct net_device) { .priv = w.vif };
	w.vif->netdev = &w.host;
	w.vif->queue = w.vqueue;
	w.vif->features = (m->sg ? PVN_F_SG : 0) | PVN_F_RX_NOTIFY;
	w.vif->running = true;
	w.vq->vif = w.vif;
	w.vq->pool = &w.from_pool;
	w.vq->from_chan = w.vq->chan;
	w.vq->to_chan = w.vq->chan;
	w.vq->ring_page[1] = w.page[1];
	pvn_tx_ring_attach_back(&w.vq->tx, w.page[0]);
	pvn_to_init(w.vq);
	pvn_to_start(w.vq);
	if (m->mapped) {
		map(w.q->persist->stage, w.q->persist->nr_stage, true);
		map(w.q->persist->rx, w.q->persist->nr_rx, false);
	}
}

void pair_begin(const struct mode *m)
{
	w.mode = m;
	w.live_before = fake_live;
	w.grants_before = fake_grants();
	begin_front(m);
	begin_back(m);
	EXPECT(!w.host.txq.stopped);
}

void pair_end(void)
{
	pvn_to_drop_held(w.vq);
	pvn_tx_drain(w.q);
	pvn_rx_drain(w.q);
	pvn_persist_destroy(w.q);
	EXPECT_EQ(w.rx_pool.out + w.from_pool.out, 0);
	EXPECT_EQ(fake_live, w.live_before);
	EXPECT_EQ(fake_grants(), w.grants_before);
	free(w.q);
	free(w.front);
	free(w.vq);
	free(w.vif);
}

/* -------------------------------------------------------------------- skbs */

static struct napi_struct nobody;

/* @head bytes in the head, at any offset, the rest in up to 17 fragments of any pages. */
static struct sk_buff *make_part(u32 *left, u32 head)
{
	/* In a large head a page border can be anywhere: also within the Ethernet header. */
	u32 pad = rand_below(8) ? rand_below(64) : 4096 - NET_SKB_PAD - rand_below(20);
	struct sk_buff *skb = napi_alloc_skb(&nobody, pad + head);
	u32 nr = rand_below(MAX_SKB_FRAGS + 1), i;

	skb->data += pad;
	skb->tail += pad;
	__skb_put(skb, head);
	*left -= head;
	for (i = 0; i < nr && *left; i++) {
		u32 pages = 1 + rand_below(8);
		u32 most = min(*left, pages * 4096), size = 1 + rand_below(most);

		skb_add_rx_frag(skb, i, fake_alloc_pages(pages),
				rand_below(pages * 4096 - size + 1), size, pages * PAGE_SIZE);
		*left -= size;
	}
	return skb;
}

/* Any shape: what does not fit into one skb goes to those of its frag_list. */
struct sk_buff *make_skb(u32 len, const u8 *bytes)
{
	u32 left = len;
	struct sk_buff *skb = make_part(&left, rand_below(4) ? 1 + rand_below(min(len, 4096u)) : len);
	struct sk_buff **at = &skb_shinfo(skb)->frag_list;

	while (left) {
		*at = make_part(&left, rand_below(2) ? left : rand_below(left + 1));
		skb->len += (*at)->len;
		skb->data_len += (*at)->len;
		skb->truesize += (*at)->truesize;
		at = &(*at)->next;
	}
	if (w.mode->sg && !rand_below(3)) {
		skb_shinfo(skb)->gso_size = 536;
		skb_shinfo(skb)->gso_type = PVN_GSO_TCPV4;
	}
	skb_store_bits(skb, 0, bytes, len);
	return skb;
}
