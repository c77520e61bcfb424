/* SPDX-License-Identifier: GPL-2.0 */
/* What debugfs shows of both ends (kernel only). */
#ifndef _PVNET_DEBUG_H
#define _PVNET_DEBUG_H

struct pvn_ring;
struct seq_file;

void pvn_debug_ring(struct seq_file *s, const char *name, const struct pvn_ring *r);

#endif
