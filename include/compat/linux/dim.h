/* SPDX-License-Identifier: GPL-2.0 */
/* Since Linux 6.13 net_dim() takes the sample by reference. */
#ifndef _PVNET_COMPAT_DIM_H
#define _PVNET_COMPAT_DIM_H

#include_next <linux/dim.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define net_dim(dim, sample)	net_dim(dim, *(sample))
#endif

#endif
