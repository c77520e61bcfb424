// SPDX-License-Identifier: GPL-2.0
/* pvnet-back: module, parameters, and the end of a bad frontend's traffic. */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <xen/xen.h>

#include <pvnet/version.h>

#include "back.h"

static_assert(PAGE_SIZE == PVN_GRANT_SIZE, "a buffer is a page and a grant");
static_assert(BITS_PER_LONG == 64, "counters are plain u64");

unsigned int pvn_back_max_queues;
module_param_named(max_queues, pvn_back_max_queues, uint, 0444);
MODULE_PARM_DESC(max_queues, "Queues offered per interface (0 = CPUs, at most 8)");

unsigned int pvn_fatal_slots = 20;
module_param_named(fatal_skb_slots, pvn_fatal_slots, uint, 0444);
MODULE_PARM_DESC(fatal_skb_slots, "A packet of this many slots shuts the interface (18 to 64)");

unsigned int pvn_drain_msecs = 10000;
module_param_named(rx_drain_timeout_msecs, pvn_drain_msecs, uint, 0644);
MODULE_PARM_DESC(rx_drain_timeout_msecs, "Drop packets for a guest that has not read for this long");

unsigned int pvn_stall_msecs = 60000;
module_param_named(rx_stall_timeout_msecs, pvn_stall_msecs, uint, 0644);
MODULE_PARM_DESC(rx_stall_timeout_msecs, "Carrier off for a guest that has not read for this long (0 = never)");

unsigned int pvn_hold_usecs = 100;
module_param_named(to_guest_hold_usecs, pvn_hold_usecs, uint, 0644);
MODULE_PARM_DESC(to_guest_hold_usecs, "Hold dense packets of local senders for this long at most (0 = do not)");

bool pvn_split_events = true;
module_param_named(separate_tx_rx_irq, pvn_split_events, bool, 0444);
MODULE_PARM_DESC(separate_tx_rx_irq, "Offer an event channel for each direction");

unsigned int pvn_max_persistent = 16384;
module_param_named(max_persistent_grants, pvn_max_persistent, uint, 0444);
MODULE_PARM_DESC(max_persistent_grants, "Pages of a guest mapped for an interface at most (0 = none: copy only)");

unsigned int pvn_max_persistent_total = 131072;
module_param_named(max_persistent_grants_total, pvn_max_persistent_total, uint, 0444);
MODULE_PARM_DESC(max_persistent_grants_total, "The same for all interfaces together (Xen tracks 262144 for dom0 by default)");

static char *grant_scheme = "auto";
module_param(grant_scheme, charp, 0444);
MODULE_PARM_DESC(grant_scheme, "What to serve: auto or persistent (pages are mapped when the frontend asks), or copy");

/**
 * pvn_serves_persistent() - are pages mapped when a frontend asks?
 */
bool pvn_serves_persistent(void)
{
	return strcmp(grant_scheme, "copy") && pvn_max_persistent;
}

/**
 * pvn_vif_broken() - stop to serve a frontend that breaks the protocol
 * @vif: the device
 * @why: the check that failed
 *
 * Polls and transmission see @vif->broken and leave the rings alone; events
 * stay unacknowledged, so that no storm can follow. Other vifs go on. Ends at
 * the next connect.
 * Context: any.
 */
void pvn_vif_broken(struct pvn_vif *vif, const char *why)
{
	if (READ_ONCE(vif->broken))
		return;
	WRITE_ONCE(vif->broken, true);
	netif_carrier_off(vif->netdev);
	netdev_err(vif->netdev, "frontend breaks the protocol: %s; interface stopped\n", why);
}

static int check_parameters(void)
{
	if (strcmp(grant_scheme, "copy") && strcmp(grant_scheme, "auto") &&
	    strcmp(grant_scheme, "persistent")) {
		pr_err("pvnet-back: grant_scheme=%s is none of auto, copy, persistent\n",
		       grant_scheme);
		return -EINVAL;
	}
	if (!pvn_back_max_queues)
		pvn_back_max_queues = min(num_online_cpus(), 8u);
	if (pvn_fatal_slots < PVN_SLOTS_MIN || pvn_fatal_slots > PVN_TX_CHAIN_MAX) {
		pr_warn("pvnet-back: fatal_skb_slots=%u is not in %u..%u\n", pvn_fatal_slots,
			PVN_SLOTS_MIN, PVN_TX_CHAIN_MAX);
		pvn_fatal_slots = clamp(pvn_fatal_slots, PVN_SLOTS_MIN, PVN_TX_CHAIN_MAX);
	}
	return 0;
}

static int __init pvn_back_init(void)
{
	int err;

	if (!xen_domain())
		return -ENODEV;
	err = check_parameters();
	if (err)
		return err;
	pvn_back_debug_init();
	/*
	 * No owner: only a connected vif holds a reference (see xenbus.c), and
	 * vifs without a frontend do not keep the module from being unloaded.
	 */
	err = __xenbus_register_backend(&pvn_back_driver, NULL, KBUILD_MODNAME);
	if (err)
		pvn_back_debug_exit();
	return err;
}
module_init(pvn_back_init);

static void __exit pvn_back_exit(void)
{
	xenbus_unregister_driver(&pvn_back_driver);
	pvn_back_debug_exit();
}
module_exit(pvn_back_exit);

MODULE_DESCRIPTION("pvnet: Xen paravirtual network backend");
MODULE_AUTHOR("The pvnet developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(PVN_VERSION);
MODULE_ALIAS("xen-backend:vif");
