/* SPDX-License-Identifier: GPL-2.0 */
/* Since Linux 6.6 the header is a folder. */
#ifndef _PVNET_COMPAT_PAGE_POOL_H
#define _PVNET_COMPAT_PAGE_POOL_H

#if __has_include(<net/page_pool/helpers.h>)
#include <net/page_pool/helpers.h>
#else
#include_next <net/page_pool.h>
#endif

#endif
