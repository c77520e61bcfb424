/* SPDX-License-Identifier: GPL-2.0 */
/* A queue of either end on the fake kernel, its peer, and packets of any shape. */
#ifndef _SELFTESTS_WORLD_H
#define _SELFTESTS_WORLD_H

#include <string.h>

#include <pvnet/core.h>
#include <pvnet/ring.h>

#include "../core/ktap.h"

#define MAX_PIECES	18u

/**
 * struct shape - a packet as it lies in pages
 * @len: its bytes
 * @nr: pieces
 * @offset: of each in its page
 * @size: of each
 */
struct shape {
	u32 len, nr;
	u16 offset[MAX_PIECES];
	u16 size[MAX_PIECES];
};

/* Whole pages, from the first byte on: as few pieces as there can be. */
static inline struct shape dense_shape(u32 len)
{
	struct shape s = { .len = len };
	u32 at;

	for (at = 0; at < len; at += s.size[s.nr++])
		s.size[s.nr] = min(len - at, 4096u);
	return s;
}

/* Cut anywhere, at any offset; none of the pieces is empty. */
static inline struct shape random_shape(u32 len)
{
	u32 least = (len + 4095) / 4096, left = len, i;
	struct shape s = { .len = len };

	s.nr = min(least + rand_below(MAX_PIECES - least + 1), len);
	for (i = 0; i < s.nr; i++) {
		u32 after = s.nr - 1 - i;
		u32 low = max(left > 4096 * after ? left - 4096 * after : 0, 1u);
		u32 high = min(left - after, 4096u);

		s.size[i] = after ? low + rand_below(high - low + 1) : left;
		s.offset[i] = rand_below(4096 - s.size[i] + 1);
		left -= s.size[i];
	}
	return s;
}

/* Lengths at which something changes, and any. */
static inline u32 random_len(void)
{
	static const u32 edges[] = { 14, 60, 128, 255, 256, 257, 1514, 1522, 1536, 1537, 4096, 4097,
				     8192, 65535 };

	return rand_below(2) ? rand_pick(edges, ARRAY_SIZE(edges)) : 14 + rand_below(65522);
}

/* Bytes that look like no others, and are cheap. */
static inline void random_bytes(u8 *to, u32 len)
{
	static u8 noise[2 * 65536];
	u32 i;

	for (i = 0; i < sizeof(noise) && !noise[sizeof(noise) - 1]; i++)
		noise[i] = test_rand() | 1;
	memcpy(to, noise + rand_below(65536), len);
}

#endif
