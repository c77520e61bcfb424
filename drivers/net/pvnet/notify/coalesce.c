// SPDX-License-Identifier: GPL-2.0
/*
 * The settings of `ethtool -C`, and where they start.
 *
 * What is a long time to wait depends on what a wake-up costs here: on a real
 * machine some microseconds, in an emulated one much more. A hypercall that does
 * nothing is timed once; entering and leaving the hypervisor is most of the cost
 * of raising and of taking an event, and a wake-up is some of these.
 */
#include <linux/ethtool.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/netlink.h>
#include <xen/interface/xen.h>
#include <xen/interface/version.h>
#include <asm/xen/hypercall.h>

#include <pvnet/coalesce.h>
#include <pvnet/wake.h>

#define HYPERCALLS_PER_WAKE	16
#define WAKE_NSECS_MIN		(4 * NSEC_PER_USEC)
#define WAKE_NSECS_MAX		(64 * NSEC_PER_USEC)
#define TRIES			8
/* How many profiles net_dim() knows. */
#define DIM_STEPS		5

static u32 wake_nsecs = WAKE_NSECS_MAX;

static u64 __init time_hypercalls(void)
{
	u64 start = ktime_get_ns();
	u32 i;

	for (i = 0; i < HYPERCALLS_PER_WAKE; i++)
		HYPERVISOR_xen_version(XENVER_version, NULL);
	return ktime_get_ns() - start;
}

/**
 * pvn_wake_measure() - estimate what a wake-up costs, when the module is loaded
 *
 * The least of some tries, so that nobody else's work counts.
 */
void __init pvn_wake_measure(void)
{
	u64 least = WAKE_NSECS_MAX;
	u32 i;

	for (i = 0; i < TRIES; i++)
		least = min(least, time_hypercalls());
	wake_nsecs = max_t(u64, least, WAKE_NSECS_MIN);
}

/**
 * pvn_wake_tau() - how long slots may wait, on the scale that DIM moves along
 * @ix: 0 to DIM_STEPS - 1
 *
 * Return: nanoseconds; from the cost of a wake-up to 16 times that.
 */
u64 pvn_wake_tau(u32 ix)
{
	return (u64)wake_nsecs << ix;
}

/**
 * pvn_coalesce_init() - the defaults
 * @set: of the queues
 * @nr: how many
 */
void pvn_coalesce_init(struct pvn_coalesce *set, unsigned int nr)
{
	while (nr--)
		set[nr] = (struct pvn_coalesce) {
			.rx_usecs = pvn_wake_tau(DIM_STEPS - 1) / NSEC_PER_USEC,
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
