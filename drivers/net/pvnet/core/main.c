// SPDX-License-Identifier: GPL-2.0
/* pvnet-core: the protocol and the notification layer, for both ends. */
#include <linux/module.h>
#include <xen/xen.h>

#include <pvnet/version.h>
#include <pvnet/wake.h>

static int __init core_init(void)
{
	if (!xen_domain())
		return -ENODEV;
	pvn_wake_measure();
	return 0;
}
module_init(core_init);

static void __exit core_exit(void)
{
}
module_exit(core_exit);

MODULE_DESCRIPTION("pvnet: Xen paravirtual network, shared code");
MODULE_AUTHOR("The pvnet developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(PVN_VERSION);
