// SPDX-License-Identifier: GPL-2.0
/* The settings of `ethtool -C`, and where they start. */
#include <linux/ethtool.h>
#include <linux/export.h>
#include <linux/netlink.h>

#include <pvnet/coalesce.h>

/* Well above what pvn_event_tau() comes to on a real machine. */
#define RX_USECS_DEFAULT	5000u

/**
 * pvn_coalesce_init() - the defaults
 * @set: of the queues
 * @nr: how many
 */
void pvn_coalesce_init(struct pvn_coalesce *set, unsigned int nr)
{
	while (nr--)
		set[nr] = (struct pvn_coalesce) {
			.rx_usecs = RX_USECS_DEFAULT,
			.rx_frames = PVN_BATCH_MAX,
			.tx_frames = PVN_COALESCE_TX_MAX,
			.adaptive_rx = true,
			.adaptive_tx = true,
		};
}
EXPORT_SYMBOL_GPL(pvn_coalesce_init);

/**
 * pvn_coalesce_get() - settings of received slots, as ethtool wants them
 * @set: of the queue
 * @ec: where to; what does not exist here stays 0
 */
void pvn_coalesce_get(const struct pvn_coalesce *set, struct ethtool_coalesce *ec)
{
	ec->rx_coalesce_usecs = set->rx_usecs;
	ec->rx_max_coalesced_frames = set->rx_frames;
	ec->use_adaptive_rx_coalesce = set->adaptive_rx;
}
EXPORT_SYMBOL_GPL(pvn_coalesce_get);

static int check(const struct ethtool_coalesce *ec, struct netlink_ext_ack *extack)
{
	if (ec->rx_coalesce_usecs > PVN_COALESCE_USECS_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "rx-usecs is at most 10000");
		return -ERANGE;
	}
	if (ec->rx_max_coalesced_frames < 1 || ec->rx_max_coalesced_frames > PVN_BATCH_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "rx-frames is 1 to 64");
		return -ERANGE;
	}
	if (ec->rx_max_coalesced_frames > 1 && !ec->rx_coalesce_usecs) {
		NL_SET_ERR_MSG_MOD(extack, "rx-frames above 1 needs rx-usecs: a slot might wait for ever");
		return -EINVAL;
	}
	return 0;
}

/**
 * pvn_coalesce_set() - take on settings of received slots, or refuse them
 * @set: of the queues
 * @nr: how many
 * @ec: from the user
 * @extack: where to say why not, or NULL
 *
 * Context: RTNL. In force from the next time that a queue goes to sleep.
 */
int pvn_coalesce_set(struct pvn_coalesce *set, unsigned int nr,
		     const struct ethtool_coalesce *ec, struct netlink_ext_ack *extack)
{
	int err = check(ec, extack);

	while (!err && nr--) {
		WRITE_ONCE(set[nr].rx_usecs, ec->rx_coalesce_usecs);
		WRITE_ONCE(set[nr].rx_frames, ec->rx_max_coalesced_frames);
		WRITE_ONCE(set[nr].adaptive_rx, ec->use_adaptive_rx_coalesce);
	}
	return err;
}
EXPORT_SYMBOL_GPL(pvn_coalesce_set);
