/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_STDDEF_H
#define _SHIM_STDDEF_H

#include <stddef.h>

#define sizeof_field(type, member)	sizeof(((type *)0)->member)
#define offsetofend(type, member) \
	(offsetof(type, member) + sizeof_field(type, member))

#endif
