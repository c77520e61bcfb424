// SPDX-License-Identifier: GPL-2.0
/*
 * Do vector registers keep their values while other processes and domains run?
 * usage: fpu SECONDS. Exits 1 when they do not: then no program can be trusted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SPIN "mov $2000000, %%ecx\n1: dec %%ecx\njnz 1b\n"

static void hold_xmm(const char *in, char *out)
{
	asm volatile("movdqu %1, %%xmm5\n" SPIN "movdqu %%xmm5, %0"
		     : "=m"(*(char (*)[16])out) : "m"(*(const char (*)[16])in) : "ecx", "xmm5");
}

static void hold_ymm(const char *in, char *out)
{
	asm volatile("vmovdqu %1, %%ymm5\n" SPIN "vmovdqu %%ymm5, %0"
		     : "=m"(*(char (*)[32])out) : "m"(*(const char (*)[32])in) : "ecx", "xmm5");
}

int main(int argc, char **argv)
{
	int avx = __builtin_cpu_supports("avx"), size = avx ? 32 : 16, bad = 0, n = 0;
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 5);
	char in[32], out[32] = { 0 };

	for (int i = 0; i < 32; i++)
		in[i] = getpid() + 3 * i;
	for (; time(NULL) < end; n++) {
		(avx ? hold_ymm : hold_xmm)(in, out);
		bad += memcmp(in, out, size) != 0;
	}
	printf("%s: %d of %d lost\n", avx ? "ymm" : "xmm", bad, n);
	return bad != 0;
}
