// SPDX-License-Identifier: GPL-2.0
/*
 * An oracle for truesize: what memory does this skb keep from being freed? It
 * looks at the memory itself and knows nothing of the accounting files. Off
 * unless /sys/module/pvnet_core/parameters/truesize_audit is 1: then each
 * received skb is walked, and what is charged wrongly is counted.
 */
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include <pvnet/skb.h>

static DEFINE_STATIC_KEY_FALSE(audit_key);

/* A head of a page fragment pins its share of the page, the others all that kmalloc gave. */
static unsigned int pinned_by_head(const struct sk_buff *skb)
{
	unsigned int share = skb_end_offset(skb) + SKB_DATA_ALIGN(sizeof(struct skb_shared_info));

	return skb->head_frag ? SKB_DATA_ALIGN(share) : ksize(skb->head);
}

static bool seen_before(const struct skb_shared_info *si, unsigned int i)
{
	const struct page *page = compound_head(skb_frag_page(&si->frags[i]));
	unsigned int k;

	for (k = 0; k < i; k++)
		if (compound_head(skb_frag_page(&si->frags[k])) == page)
			return true;
	return false;
}

/* Bytes that stay allocated because this skb exists. */
static unsigned int pinned(const struct sk_buff *skb)
{
	const struct skb_shared_info *si = skb_shinfo(skb);
	unsigned int sum = SKB_DATA_ALIGN(sizeof(*skb)) + pinned_by_head(skb);
	unsigned int i;

	for (i = 0; i < si->nr_frags; i++)
		if (!seen_before(si, i))
			sum += page_size(compound_head(skb_frag_page(&si->frags[i])));
	return sum;
}

/**
 * pvn_skb_mischarged() - 1 when the audit is on and the charge is not what is pinned
 * @skb: just received: not cloned, its fragments not shared
 */
unsigned int pvn_skb_mischarged(const struct sk_buff *skb)
{
	return static_branch_unlikely(&audit_key) && skb->truesize != pinned(skb);
}
EXPORT_SYMBOL_GPL(pvn_skb_mischarged);

static int set_audit(const char *value, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(value, &on);

	if (err)
		return err;
	if (on)
		static_branch_enable(&audit_key);
	else
		static_branch_disable(&audit_key);
	return 0;
}

static int get_audit(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", static_key_enabled(&audit_key));
}

static const struct kernel_param_ops audit_ops = {
	.set = set_audit,
	.get = get_audit,
};

module_param_cb(truesize_audit, &audit_ops, NULL, 0644);
MODULE_PARM_DESC(truesize_audit, "Compare what each received skb is charged for with what it pins (slow)");
