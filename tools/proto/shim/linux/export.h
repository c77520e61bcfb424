/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_EXPORT_H
#define _SHIM_EXPORT_H

#define EXPORT_SYMBOL_GPL(x)	_Static_assert(1, #x)

#endif
