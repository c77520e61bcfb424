/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of packet bytes between pages (kernel only).
 *
 * From Linux 6.4 on memcpy() on x86 is "rep movsb" on CPUs that are fast at short
 * ones (FSRM), and else a loop over eight-byte registers, also for lengths at
 * which string instructions have been faster for long. Ours are long.
 */
#ifndef _PVNET_COPY_H
#define _PVNET_COPY_H

#include <linux/kasan-checks.h>
#include <linux/string.h>

/* Below this, starting a string instruction costs more than it saves. */
#define PVN_COPY_LONG	256

/**
 * pvn_copy() - memcpy() for packet bytes
 * @dst: to where
 * @src: from where; the peer may write it meanwhile
 * @len: bytes
 */
static inline void pvn_copy(void *dst, const void *src, size_t len)
{
#ifdef CONFIG_X86_64
	if (len >= PVN_COPY_LONG) {
		size_t words = len / 8;

		kasan_check_read(src, len);
		kasan_check_write(dst, len);
		memcpy(dst + len - 8, src + len - 8, 8);	/* what is no whole word */
		asm volatile("rep movsq" : "+D" (dst), "+S" (src), "+c" (words) : : "memory");
		return;
	}
#endif
	memcpy(dst, src, len);
}

#endif
