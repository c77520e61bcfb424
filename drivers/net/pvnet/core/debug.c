// SPDX-License-Identifier: GPL-2.0
/* A ring in debugfs, for both ends. */
#include <linux/export.h>
#include <linux/seq_file.h>

#include <pvnet/debug.h>
#include <pvnet/ring.h>

/**
 * pvn_debug_ring() - print the indices of a ring, seen from this end
 * @s: where to
 * @name: of the ring
 * @r: the ring; may be in use
 */
void pvn_debug_ring(struct seq_file *s, const char *name, const struct pvn_ring *r)
{
	seq_printf(s, "  %s: produced %u, published %u, consumed %u, pending %u\n", name,
		   READ_ONCE(r->prod), READ_ONCE(r->pub), READ_ONCE(r->cons), pvn_ring_pending(r));
}
EXPORT_SYMBOL_GPL(pvn_debug_ring);
