// SPDX-License-Identifier: GPL-2.0
/*
 * What a guest's free memory holds, and whether another domain can see it.
 *
 * poison fill MIB: fill as much memory with a pattern, and free it.
 * poison send ADDR PORT SECONDS: over TCP, a hundred times a second 100 bytes without the
 * pattern out of a page that is full of it.
 * poison scan DOMID REFS: in dom0, map each page that the domain has granted to it, by its
 * first REFS references (0 and 1 are the console's and xenstore's), and look for the
 * pattern. Prints "writable N readonly N seen-in-writable N seen-in-readonly N".
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE	4096u
#define PAGES	64u
#define FIRST	2u

/* Of Linux's include/uapi/xen/gntdev.h */
struct grant_ref {
	uint32_t domid;
	uint32_t ref;
};

struct map_grant_ref {
	uint32_t count;
	uint32_t pad;
	uint64_t index;
	struct grant_ref refs[1];
};

struct unmap_grant_ref {
	uint64_t index;
	uint32_t count;
	uint32_t pad;
};

#define MAP_GRANT_REF	_IOC(_IOC_NONE, 'G', 0, sizeof(struct map_grant_ref))
#define UNMAP_GRANT_REF	_IOC(_IOC_NONE, 'G', 1, sizeof(struct unmap_grant_ref))

/* Nowhere in the program's file, nor on a command line. */
static uint64_t pattern(void)
{
	volatile uint64_t seed = 0x70766e65742d7073ull;

	return seed * 0x9e3779b97f4a7c15ull ^ seed >> 7;
}

static void fill_with_pattern(void *to, size_t len)
{
	uint64_t *word = to, p = pattern();

	for (size_t i = 0; i < len / sizeof(p); i++)
		word[i] = p;
}

static int do_fill(size_t mib)
{
	void *mem = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED) {
		perror("poison fill");
		return 1;
	}
	fill_with_pattern(mem, mib << 20);
	munmap(mem, mib << 20);
	printf("filled %zu MiB\n", mib);
	return 0;
}

static int do_send(const char *addr, int port, int seconds)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), file = memfd_create("poison", 0), one = 1;
	char *page;

	inet_pton(AF_INET, addr, &to.sin_addr);
	if (file < 0 || ftruncate(file, PAGES * PAGE) || connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		perror("poison send");
		return 1;
	}
	page = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	fill_with_pattern(page, PAGES * PAGE);
	for (unsigned int i = 0; i < PAGES; i++)
		memset(page + i * PAGE + 2000, 'n', 100);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	for (int i = 0; i < seconds * 100; i++) {
		off_t at = i % PAGES * PAGE + 2000;

		if (sendfile(fd, file, &at, 100) < 0 && errno != EAGAIN)
			break;
		usleep(10000);
	}
	return 0;
}

/* Map a grant as @prot; NULL when that is not possible. */
static void *map_grant(int dev, struct map_grant_ref *m, uint32_t domid, uint32_t ref, int prot)
{
	void *page;

	*m = (struct map_grant_ref) { .count = 1, .refs = { { domid, ref } } };
	if (ioctl(dev, MAP_GRANT_REF, m)) {
		perror("IOCTL_GNTDEV_MAP_GRANT_REF");
		exit(2);
	}
	page = mmap(NULL, PAGE, prot, MAP_SHARED, dev, m->index);
	return page == MAP_FAILED ? NULL : page;
}

static void unmap_grant(int dev, const struct map_grant_ref *m, void *page)
{
	struct unmap_grant_ref u = { .index = m->index, .count = 1 };

	if (page)
		munmap(page, PAGE);
	if (ioctl(dev, UNMAP_GRANT_REF, &u))
		perror("IOCTL_GNTDEV_UNMAP_GRANT_REF");
}

static int do_scan(uint32_t domid, uint32_t refs)
{
	int dev = open("/dev/xen/gntdev", O_RDWR | O_CLOEXEC);
	unsigned int granted[2] = { 0 }, seen[2] = { 0 }, shown = 0;
	uint64_t p = pattern();

	if (dev < 0) {
		perror("/dev/xen/gntdev");
		return 4;
	}
	for (uint32_t ref = FIRST; ref < refs; ref++) {
		struct map_grant_ref m;
		char *page = map_grant(dev, &m, domid, ref, PROT_READ), *hit;
		static char copy[PAGE];
		void *again;
		int readonly;

		if (page)
			memcpy(copy, page, PAGE);
		unmap_grant(dev, &m, page);
		if (!page)
			continue;
		again = map_grant(dev, &m, domid, ref, PROT_READ | PROT_WRITE);
		unmap_grant(dev, &m, again);
		readonly = !again;
		granted[readonly]++;
		hit = memmem(copy, PAGE, &p, sizeof(p));
		if (!hit)
			continue;
		seen[readonly]++;
		if (shown++ < 10)
			printf("grant %u: seen at %td\n", ref, hit - copy);
	}
	printf("writable %u readonly %u seen-in-writable %u seen-in-readonly %u\n", granted[0],
	       granted[1], seen[0], seen[1]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "fill"))
		return do_fill(atol(argv[2]));
	if (argc == 5 && !strcmp(argv[1], "send"))
		return do_send(argv[2], atoi(argv[3]), atoi(argv[4]));
	if (argc == 4 && !strcmp(argv[1], "scan"))
		return do_scan(atoi(argv[2]), atoi(argv[3]));
	fprintf(stderr, "usage: poison fill MIB | send ADDR PORT SECONDS | scan DOMID REFS\n");
	return 2;
}
