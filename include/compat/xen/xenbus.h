/* SPDX-License-Identifier: GPL-2.0 */
/* Since Linux 6.3 a driver's uevent() takes a constant device. */
#ifndef _PVNET_COMPAT_XENBUS_H
#define _PVNET_COMPAT_XENBUS_H

#include_next <xen/xenbus.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
typedef const struct xenbus_device pvn_uevent_arg_t;
#else
typedef struct xenbus_device pvn_uevent_arg_t;
#endif

#endif
