// SPDX-License-Identifier: GPL-2.0
/*
 * grantops < TRACE: count the grant table hypercalls in a trace of Xen's xentrace, by
 * physical CPU and command. Lines: "cpu N CMD calls C ops O", and "lost N".
 *
 * Formats: Xen's public/trace.h. A record is a word (event:28, words:3, has-time:1),
 * two words of time if there, and the words.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EV_CPU_CHANGE	0x0001f003
#define EV_LOST		0x0001f001
#define EV_HYPERCALL	0x0020100d	/* TRC_PV_HYPERCALL_V2 */
#define EV_SUBCALL	0x0020200e	/* one of a multicall's */
#define GRANT_TABLE_OP	20
#define CPUS		64
#define COMMANDS	16

static const char *const name[COMMANDS] = {
	"map", "unmap", "setup", "dump", "transfer", "copy", "query_size",
	"unmap_replace", "set_version", "get_status", "get_version", "swap", "cache_flush",
};

static uint64_t calls[CPUS][COMMANDS], ops[CPUS][COMMANDS];

/* Two bits an argument say whether it is there: 0 no, 1 as 32 bits, 2 as 64. */
static void hypercall(unsigned int cpu, const uint32_t *w, unsigned int n)
{
	uint32_t arg[6] = { 0 };
	unsigned int i = 1;

	if (!n || (w[0] & 0xfffff) != GRANT_TABLE_OP)
		return;
	for (unsigned int a = 0; a < 6; a++) {
		unsigned int has = w[0] >> (20 + 2 * a) & 3;

		if (has && i < n)
			arg[a] = w[i];
		i += has;
	}
	arg[0] &= 0xffff;		/* flags and continuations are above */
	if (arg[0] >= COMMANDS)
		return;
	calls[cpu][arg[0]]++;
	ops[cpu][arg[0]] += arg[2];
}

int main(void)
{
	uint64_t lost = 0, records = 0;
	unsigned int cpu = 0;
	uint32_t head, w[10];

	while (fread(&head, 4, 1, stdin) == 1) {
		unsigned int event = head & 0xfffffff, n = head >> 28 & 7;

		if (head >> 31 && fread(w, 4, 2, stdin) != 2)
			break;
		if (n && fread(w, 4, n, stdin) != n)
			break;
		records++;
		if (event == EV_CPU_CHANGE && n)
			cpu = w[0] % CPUS;
		else if (event == EV_LOST && n)
			lost += w[0];
		else if (event == EV_HYPERCALL || event == EV_SUBCALL)
			hypercall(cpu, w, n);
	}
	for (cpu = 0; cpu < CPUS; cpu++)
		for (unsigned int c = 0; c < COMMANDS; c++)
			if (calls[cpu][c])
				printf("cpu %u %s calls %llu ops %llu\n", cpu, name[c] ? name[c] : "other",
				       (unsigned long long)calls[cpu][c], (unsigned long long)ops[cpu][c]);
	printf("records %llu\nlost %llu\n", (unsigned long long)records, (unsigned long long)lost);
	return 0;
}
