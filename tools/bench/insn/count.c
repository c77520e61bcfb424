// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that counts instructions by where they are. Each mark (mark.h) that any
 * program in the machine executes writes what has been counted since the one before:
 *
 *	mark N
 *	VADDR PAGE INSTRUCTIONS REP
 *
 * a line for each translated block, in the order in which they were first seen. PAGE, in
 * bytes and of no meaning but for differences, tells the memory of domains apart that have
 * different code at the same virtual address. REP: how many were string instructions.
 *
 * One CPU only, as with -icount: the additions are not atomic.
 *
 * usage: -plugin count.so,out=FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"
#include "qemu_plugin.h"

#define BUCKETS	(1 << 18)
#define EXPORT	__attribute__((__visibility__("default")))

/* Executions are counted, so that the order of fields of an update does not matter. */
struct block {
	struct block *next_in_bucket, *next;
	uint64_t vaddr, haddr;
	unsigned int insns, rep;
	uint64_t runs, told;
};

EXPORT extern int qemu_plugin_version;
int qemu_plugin_version = QEMU_PLUGIN_API;

static struct block *bucket[BUCKETS], *first, **last = &first;
static const unsigned char mark_opcode[] = MARK_OPCODE;
static unsigned int marks;
static FILE *out;

static void on_mark(unsigned int vcpu, void *data)
{
	struct block *b;

	(void)vcpu;
	(void)data;
	fprintf(out, "mark %u\n", marks++);
	for (b = first; b; b = b->next) {
		uint64_t n = b->runs - b->told;

		if (n)
			fprintf(out, "%llx %llx %llu %llu\n", (unsigned long long)b->vaddr,
				(unsigned long long)b->haddr, (unsigned long long)n * b->insns,
				(unsigned long long)n * b->rep);
		b->told = b->runs;
	}
	fflush(out);
}

/* rep movs and rep stos, with or without REX.W */
static int is_rep(const unsigned char *code, size_t size)
{
	if (size < 2 || code[0] != 0xf3)
		return 0;
	if (size == 3 && code[1] == 0x48)
		code++;
	else if (size != 2)
		return 0;
	return (code[1] & 0xfe) == 0xa4 || (code[1] & 0xfe) == 0xaa;
}

/* The same block may be translated many times. */
static struct block *find(uint64_t vaddr, uint64_t haddr, unsigned int insns, unsigned int rep)
{
	uint64_t hash = (vaddr ^ haddr * 31 ^ (uint64_t)insns << 40) * 0x9e3779b97f4a7c15ull;
	struct block **at = &bucket[hash >> 46], *b;

	for (b = *at; b; b = b->next_in_bucket)
		if (b->vaddr == vaddr && b->haddr == haddr && b->insns == insns && b->rep == rep)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	*b = (struct block){ .next_in_bucket = *at, .vaddr = vaddr, .haddr = haddr,
			     .insns = insns, .rep = rep };
	*at = b;
	*last = b;
	last = &b->next;
	return b;
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	size_t i, n = qemu_plugin_tb_n_insns(tb), size;
	uint64_t vaddr = qemu_plugin_insn_vaddr(insn);
	uint64_t haddr = (uintptr_t)qemu_plugin_insn_haddr(insn);
	unsigned int rep = 0;
	const void *code;
	struct block *b;

	(void)id;
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		code = qemu_plugin_insn_data(insn);
		size = qemu_plugin_insn_size(insn);
		rep += is_rep(code, size);
		if (size == sizeof(mark_opcode) && !memcmp(code, mark_opcode, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_NO_REGS,
							       NULL);
	}
	b = find(vaddr, haddr, n, rep);
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_ADD, &b->runs, 1);
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "count: out=FILE is needed\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
