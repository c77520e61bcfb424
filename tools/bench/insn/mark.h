/* SPDX-License-Identifier: GPL-2.0 */
/* A no-op that no compiler makes, by which mark.c speaks to count.c: nopl MARK(%rax,%rax,1). */
#ifndef _INSN_MARK_H
#define _INSN_MARK_H

#define MARK		0x706d6b21
#define MARK_OPCODE	{ 0x0f, 0x1f, 0x84, 0x00, 0x21, 0x6b, 0x6d, 0x70 }

#endif
