/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_KERNEL_H
#define _SHIM_KERNEL_H

#include <linux/build_bug.h>
#include <linux/minmax.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif
