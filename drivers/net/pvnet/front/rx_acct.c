// SPDX-License-Identifier: GPL-2.0
/*
 * What a received packet is charged for: the memory that stays allocated
 * because its skb exists. The only file of the frontend that knows truesize.
 *
 * - The head: napi_alloc_skb() charges what it allocates.
 * - A page handed to the stack: all of it, however few bytes are used, since a
 *   buffer is granted as a page and cannot be shared.
 * - A packet copied to the head: nothing more; its page stays with the driver.
 * - A page that is granted for good is the driver's, but while an skb holds it the
 *   driver cannot use it: all of it is charged too.
 */
#include <linux/skbuff.h>

#include "front.h"

/**
 * pvn_rx_alloc_skb() - a right-sized skb
 * @q: the queue
 * @linear: bytes that will be put into it
 *
 * Context: NAPI.
 */
struct sk_buff *pvn_rx_alloc_skb(struct pvn_queue *q, u32 linear)
{
	return napi_alloc_skb(&q->napi, linear);
}

/**
 * pvn_rx_add_page() - give a page of the queue's pool to an skb
 * @skb: the packet; fewer than MAX_SKB_FRAGS fragments
 * @page: no longer granted; the skb owns it now
 * @offset: of the data
 * @len: of the data
 */
void pvn_rx_add_page(struct sk_buff *skb, struct page *page, u32 offset, u32 len)
{
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, offset, len, PAGE_SIZE);
	skb_mark_for_recycle(skb);
}

/**
 * pvn_rx_add_held_page() - let an skb read a page that stays with the queue
 * @skb: the packet; fewer than MAX_SKB_FRAGS fragments, none of them of the pool
 * @page: granted for good; gets a reference, which goes when the skb does
 * @offset: of the data
 * @len: of the data
 */
void pvn_rx_add_held_page(struct sk_buff *skb, struct page *page, u32 offset, u32 len)
{
	get_page(page);
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, offset, len, PAGE_SIZE);
}
