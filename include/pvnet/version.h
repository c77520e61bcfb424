/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _PVNET_VERSION_H
#define _PVNET_VERSION_H

#define PVN_VERSION	"0.1"

#endif
