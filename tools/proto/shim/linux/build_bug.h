/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_BUILD_BUG_H
#define _SHIM_BUILD_BUG_H

/* As in the kernel, the message may be left out. */
#undef static_assert
#define static_assert(expr, ...) _Static_assert(expr, #expr)
#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), #cond)

#endif
