// SPDX-License-Identifier: GPL-2.0
/* pvnet-core: the protocol and the notification layer, for both ends. */
#include <linux/module.h>

#include <pvnet/version.h>

MODULE_DESCRIPTION("pvnet: Xen paravirtual network, shared code");
MODULE_AUTHOR("The pvnet developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(PVN_VERSION);
