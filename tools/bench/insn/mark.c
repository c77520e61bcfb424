// SPDX-License-Identifier: GPL-2.0
/*
 * Says how many packets and bytes an interface has had, and what time it is, and marks this
 * place for count.c. All are next to each other, so that they mean the same time.
 *
 * usage: mark INTERFACE
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mark.h"

#define COUNTERS	4

static const char *const names[COUNTERS] = { "rx_packets", "rx_bytes", "tx_packets", "tx_bytes" };

int main(int argc, char **argv)
{
	unsigned long long v[COUNTERS];
	struct timespec now;
	char path[256];
	FILE *file;
	int i;

	if (argc != 2)
		return 2;
	for (i = 0; i < COUNTERS; i++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", argv[1], names[i]);
		file = fopen(path, "r");
		if (!file || fscanf(file, "%llu", &v[i]) != 1) {
			perror(path);
			return 1;
		}
		fclose(file);
	}
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	asm volatile("nopl %c0(%%rax,%%rax,1)" : : "i"(MARK));
	for (i = 0; i < COUNTERS; i++)
		printf("%s %llu ", names[i], v[i]);
	printf("ns %llu\n", now.tv_sec * 1000000000ull + now.tv_nsec);
	return 0;
}
