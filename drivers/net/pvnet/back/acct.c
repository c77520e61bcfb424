// SPDX-License-Identifier: GPL-2.0
/*
 * What a packet from the guest is charged for: the memory that stays allocated
 * because its skb exists. The only file of the backend that knows truesize.
 *
 * - The head: napi_alloc_skb() charges what it allocates.
 * - A page of payload: all of it. It is ours, not the guest's, so nothing of
 *   the guest is pinned.
 *
 * Packets to the guest are charged by whoever made them.
 */
#include <linux/skbuff.h>

#include "back.h"

/**
 * pvn_from_alloc_skb() - an skb with room for the linear part
 * @q: the queue
 * @linear: its length; the bytes are copied in later
 *
 * Context: the from-guest NAPI.
 */
struct sk_buff *pvn_from_alloc_skb(struct pvn_vq *q, u32 linear)
{
	struct sk_buff *skb = napi_alloc_skb(&q->from_napi, linear);

	if (skb)
		__skb_put(skb, linear);
	return skb;
}

/**
 * pvn_from_add_page() - give the skb another page
 * @q: the queue
 * @skb: fewer than MAX_SKB_FRAGS fragments
 * @len: bytes of it that will be used, from its start
 *
 * Context: the from-guest NAPI.
 * Return: false without memory.
 */
bool pvn_from_add_page(struct pvn_vq *q, struct sk_buff *skb, u32 len)
{
	struct page *page = page_pool_dev_alloc_pages(q->pool);

	if (!page)
		return false;
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, 0, len, PAGE_SIZE);
	skb_mark_for_recycle(skb);
	return true;
}
