/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_MINMAX_H
#define _SHIM_MINMAX_H

/* As strict as the kernel's: two types are an error, here by -Werror. */
#define __shim_pick(x, y, op) __extension__ ({		\
	const __typeof__(x) __x = (x);			\
	const __typeof__(y) __y = (y);			\
	(void)(&__x == &__y);				\
	__x op __y ? __x : __y; })

#define min(x, y)		__shim_pick(x, y, <)
#define max(x, y)		__shim_pick(x, y, >)
#define min_t(type, x, y)	min((type)(x), (type)(y))
#define max_t(type, x, y)	max((type)(x), (type)(y))

#endif
