// SPDX-License-Identifier: GPL-2.0
/* pvnet-front: module, parameters, and the end of a bad backend's traffic. */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <xen/xen.h>
#include <xen/platform_pci.h>

#include <pvnet/version.h>

#include "front.h"

static_assert(PAGE_SIZE == PVN_GRANT_SIZE, "a receive buffer is a page and a grant");
static_assert(BITS_PER_LONG == 64, "counters are plain u64");

unsigned int pvn_front_max_queues;
module_param_named(max_queues, pvn_front_max_queues, uint, 0444);
MODULE_PARM_DESC(max_queues, "Queues per interface (0 = CPUs, at most 8)");

bool pvn_front_trusted = true;
module_param_named(trusted, pvn_front_trusted, bool, 0444);
MODULE_PARM_DESC(trusted, "The backend may see whole pages (0 = it sees packet bytes only)");

int pvn_front_handover = -1;
module_param_named(rx_handover, pvn_front_handover, int, 0444);
MODULE_PARM_DESC(rx_handover, "Pages that the backend can write go to the stack (-1 = if it is a trusted dom0, 0 = never, 1 = always)");

unsigned int pvn_front_max_persistent = UINT_MAX;
module_param_named(max_persistent_grants, pvn_front_max_persistent, uint, 0444);
MODULE_PARM_DESC(max_persistent_grants, "Pages granted for good, all interfaces together (default: what half of the grant table allows)");

static char *grant_scheme = "auto";
module_param(grant_scheme, charp, 0444);
MODULE_PARM_DESC(grant_scheme, "auto or persistent (pages are granted once, if the backend can), or copy");

/**
 * pvn_front_wants_persistent() - does a new interface ask for persistent grants?
 */
bool pvn_front_wants_persistent(void)
{
	return strcmp(grant_scheme, "copy");
}

/**
 * pvn_front_broken() - stop to talk to a backend that breaks the protocol
 * @front: the device
 * @why: the check that failed
 *
 * Polls and transmission see @front->broken and leave the rings alone; events
 * stay unacknowledged, so that no storm can follow. Ends at the next connect.
 * Context: any.
 */
void pvn_front_broken(struct pvn_front *front, const char *why)
{
	if (READ_ONCE(front->broken))
		return;
	WRITE_ONCE(front->broken, true);
	netif_carrier_off(front->netdev);
	netdev_err(front->netdev, "backend breaks the protocol: %s; interface stopped\n", why);
}

static int check_scheme(void)
{
	if (!strcmp(grant_scheme, "copy") || !strcmp(grant_scheme, "auto") ||
	    !strcmp(grant_scheme, "persistent"))
		return 0;
	pr_err("pvnet-front: grant_scheme=%s is none of auto, copy, persistent\n", grant_scheme);
	return -EINVAL;
}

static int __init pvn_front_init(void)
{
	int err;

	if (!xen_domain() || (xen_hvm_domain() && !xen_has_pv_nic_devices()))
		return -ENODEV;

	err = check_scheme();
	if (err)
		return err;
	if (!pvn_front_max_queues)
		pvn_front_max_queues = min(num_online_cpus(), 8u);

	pvn_front_debug_init();
	/*
	 * No owner: the core would take a reference for each bound device, and
	 * the module could not be unloaded. It can: xenbus_unregister_driver()
	 * returns when each device has been removed.
	 */
	err = __xenbus_register_frontend(&pvn_front_driver, NULL, KBUILD_MODNAME);
	if (err)
		pvn_front_debug_exit();
	return err;
}
module_init(pvn_front_init);

static void __exit pvn_front_exit(void)
{
	xenbus_unregister_driver(&pvn_front_driver);
	pvn_front_debug_exit();
}
module_exit(pvn_front_exit);

MODULE_DESCRIPTION("pvnet: Xen paravirtual network frontend");
MODULE_AUTHOR("The pvnet developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(PVN_VERSION);
MODULE_ALIAS("xen:vif");
