/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_COMPILER_H
#define _SHIM_COMPILER_H

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))

#undef __always_inline		/* glibc has one without "inline" in C++ */
#define __always_inline		inline __attribute__((__always_inline__))
#define __must_check		__attribute__((__warn_unused_result__))
#define __force

#ifndef __has_attribute
#define __has_attribute(x)	0
#endif

#if __has_attribute(__fallthrough__)
#define fallthrough		__attribute__((__fallthrough__))
#else
#define fallthrough		do {} while (0)
#endif

#endif
