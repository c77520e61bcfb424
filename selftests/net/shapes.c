// SPDX-License-Identifier: GPL-2.0
/*
 * A sender whose packets have awkward shapes, and the check of what arrives.
 *
 *   shapes send MODE BYTES ADDR PORT...   one TCP connection a port
 *   shapes check BYTES < STREAM           exits 0 if these are the bytes, and all
 *
 * Modes:
 *   mixed   odd writes on all connections in turn: the task's page fragments are
 *           dealt out in turn, so each packet has many that straddle a page border
 *   writev  iovecs of 4097, 2049 and 1 bytes, from offset 4095 of a page
 *   file    sendfile from odd offsets, odd lengths
 *   tiny    vmsplice of single bytes of different pages: the most slots, few bytes
 *   zero    MSG_ZEROCOPY of pieces that straddle pages
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define PATTERN 1048573		/* prime: no period of pages or segments */
#define MAX_CONN 8
#define PAGE 4096

/* The stream is the pattern over and over. There is room for one that is read over its end. */
static unsigned char *pattern;

static void die(const char *what)
{
	fprintf(stderr, "shapes: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void make_pattern(void)
{
	unsigned int x = 12345;

	pattern = mmap(NULL, 2 * PATTERN + PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pattern == MAP_FAILED)
		die("mmap");
	for (size_t i = 0; i < PATTERN; i++) {
		x = x * 1664525 + 1013904223;
		pattern[i] = pattern[i + PATTERN] = x >> 24;
	}
}

static int check(size_t want)
{
	static unsigned char buf[65536];
	size_t pos = 0;
	ssize_t n;

	while ((n = read(0, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] == pattern[(pos + i) % PATTERN])
				continue;
			printf("byte %zu of the stream differs\n", pos + i);
			return 1;
		}
		pos += n;
	}
	printf("%zu bytes of %zu\n", pos, want);
	return pos != want;
}

struct conn {
	int fd;
	size_t pos;
};

static int tcp(const char *addr, const char *port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };
	int fd;

	if (inet_pton(AF_INET, addr, &to.sin_addr) != 1)
		die(addr);
	for (int try = 0; try < 300; try++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (!connect(fd, (struct sockaddr *)&to, sizeof(to)))
			return fd;
		close(fd);
		usleep(100000);
	}
	die("connect");
	return -1;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static const unsigned char *at(const struct conn *c)
{
	return pattern + c->pos % PATTERN;
}

static ssize_t send_mixed(struct conn *c, size_t left, unsigned int turn)
{
	static const size_t size[] = { 4097, 2049, 4095, 1, 8191, 3, 1449, 4097, 4097, 4097 };
	size_t n = least(left, size[turn % (sizeof(size) / sizeof(*size))]);

	return send(c->fd, at(c), n, n < left ? MSG_MORE : 0);
}

static ssize_t send_writev(struct conn *c, size_t left, unsigned int turn)
{
	static const size_t size[] = { 4097, 2049, 1 };
	struct iovec v[16];
	size_t pos = 0;
	int n = 0;

	while (n < 16 && pos < left) {
		size_t len = least(left - pos, size[(turn + n) % 3]);

		v[n].iov_base = (void *)(pattern + (c->pos + pos) % PATTERN);
		v[n++].iov_len = len;
		pos += len;
	}
	return writev(c->fd, v, n);
}

static ssize_t send_file(struct conn *c, size_t left, unsigned int turn)
{
	static const size_t size[] = { 65535, 4097, 2047, 1, 12289, 32771 };
	static int fd = -1;
	off_t from = c->pos % PATTERN;

	if (fd < 0) {
		fd = memfd_create("shapes", 0);
		if (fd < 0 || write(fd, pattern, 2 * PATTERN) != 2 * PATTERN)
			die("memfd");
	}
	return sendfile(c->fd, fd, &from, least(least(left, size[turn % 6]), PATTERN));
}

/* Sixteen bytes, each in a page of its own. */
static ssize_t send_tiny(struct conn *c, size_t left, unsigned int turn)
{
	static unsigned char *page;
	static int pipefd[2];
	struct iovec v[16];
	size_t n = least(left, 16);

	if (!page) {
		page = mmap(NULL, 1024 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED || pipe(pipefd))
			die("pipe");
	}
	/* A page is written again when its byte has surely been acknowledged. */
	for (size_t i = 0; i < n; i++) {
		unsigned char *p = page + (c->pos + i) % 1024 * PAGE + (turn * 257 + i * 31) % PAGE;

		*p = pattern[(c->pos + i) % PATTERN];
		v[i].iov_base = p;
		v[i].iov_len = 1;
	}
	if (vmsplice(pipefd[1], v, n, 0) != (ssize_t)n)
		die("vmsplice");
	if (c->pos % 512 < 16) {	/* all of the former half is out */
		int unsent = 1;

		for (int i = 0; i < 60000 && unsent; i++) {
			if (ioctl(c->fd, SIOCOUTQ, &unsent))
				die("SIOCOUTQ");
			if (unsent)
				usleep(1000);
		}
	}
	return splice(pipefd[0], NULL, c->fd, NULL, n, left > n ? SPLICE_F_MORE : 0);
}

static void reap(int fd)
{
	struct msghdr m = { 0 };
	char control[128];

	m.msg_control = control;
	m.msg_controllen = sizeof(control);
	while (recvmsg(fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0)
		m.msg_controllen = sizeof(control);
}

static ssize_t send_zero(struct conn *c, size_t left, unsigned int turn)
{
	struct iovec v[16];
	struct msghdr m = { .msg_iov = v };
	size_t pos = 0;
	ssize_t n;

	while (m.msg_iovlen < 16 && pos < left) {
		size_t len = least(left - pos, 2 + (turn + m.msg_iovlen) % 5 * 1023);

		v[m.msg_iovlen].iov_base = (void *)(pattern + (c->pos + pos) % PATTERN);
		v[m.msg_iovlen++].iov_len = len;
		pos += len;
	}
	while ((n = sendmsg(c->fd, &m, MSG_ZEROCOPY)) < 0 && errno == ENOBUFS) {
		reap(c->fd);
		usleep(1000);
	}
	if (turn % 16 == 0)
		reap(c->fd);
	return n;
}

static const struct mode {
	const char *name;
	ssize_t (*send)(struct conn *c, size_t left, unsigned int turn);
} modes[] = {
	{ "mixed", send_mixed },
	{ "writev", send_writev },
	{ "file", send_file },
	{ "tiny", send_tiny },
	{ "zero", send_zero },
};

static int send_all(const struct mode *mode, size_t bytes, const char *addr, char **port, int n)
{
	struct conn c[MAX_CONN] = { 0 };
	unsigned int turn = 0;
	int busy, one = 1;

	for (int i = 0; i < n; i++) {
		c[i].fd = tcp(addr, port[i]);
		if (mode->send == send_zero &&
		    setsockopt(c[i].fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
			die("SO_ZEROCOPY");
	}
	do {
		busy = 0;
		for (int i = 0; i < n; i++) {
			ssize_t sent;

			if (c[i].pos == bytes)
				continue;
			sent = mode->send(&c[i], bytes - c[i].pos, turn);
			if (sent < 0)
				die(mode->name);
			c[i].pos += sent;
			busy = 1;
		}
		turn++;
	} while (busy);
	for (int i = 0; i < n; i++) {
		char end;

		shutdown(c[i].fd, SHUT_WR);
		if (read(c[i].fd, &end, 1) < 0)	/* until the other end has it all */
			die("read");
	}
	return 0;
}

int main(int argc, char **argv)
{
	make_pattern();
	if (argc == 3 && !strcmp(argv[1], "check"))
		return check(atoll(argv[2]));
	if (argc >= 6 && argc - 5 <= MAX_CONN && !strcmp(argv[1], "send"))
		for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
			if (!strcmp(argv[2], modes[i].name))
				return send_all(&modes[i], atoll(argv[3]), argv[4], argv + 5, argc - 5);
	fprintf(stderr, "usage: shapes send MODE BYTES ADDR PORT... | shapes check BYTES\n");
	return 2;
}
