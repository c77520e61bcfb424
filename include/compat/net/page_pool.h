/* SPDX-License-Identifier: GPL-2.0 */
/* Since Linux 6.6 the header is a folder. */
#ifndef _PVNET_COMPAT_PAGE_POOL_H
#define _PVNET_COMPAT_PAGE_POOL_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#include <net/page_pool/helpers.h>
#else
#include_next <net/page_pool.h>
#endif

#endif
