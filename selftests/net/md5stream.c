// SPDX-License-Identifier: GPL-2.0
/*
 * A TCP stream and its MD5.
 *
 * md5stream send ADDR PORT BYTES SEED: pseudo-random bytes by SEED that do not repeat, to
 * ADDR (IPv4 or IPv6), where nobody need listen yet. Ends when the other end has had all.
 * md5stream recv PORT: takes one connection over either protocol.
 * Both print "BYTES MD5". Status 1 and a line on stderr when there is no connection within
 * WAIT seconds, or when nothing moves for IDLE seconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <md5.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WAIT	60
#define IDLE	100

static uint64_t buf[64 * 1024 / sizeof(uint64_t)];

union addr {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int failed(const char *what)
{
	fprintf(stderr, "md5stream: %s: %s\n", what,
		errno == EAGAIN || errno == EINPROGRESS ? "nothing for too long" : strerror(errno));
	return 1;
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void time_limit(int fd, int seconds)
{
	struct timeval t = { .tv_sec = seconds };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

static void say(uint64_t bytes, MD5_CTX *md5)
{
	unsigned char sum[MD5_DIGEST_LENGTH];

	MD5Final(sum, md5);
	printf("%llu ", (unsigned long long)bytes);
	for (int i = 0; i < MD5_DIGEST_LENGTH; i++)
		printf("%02x", sum[i]);
	printf("\n");
	fflush(stdout);
}

/* xorshift64: each state but 0 comes once in 2^64 - 1 words. */
static void fill(uint64_t *state, int words)
{
	uint64_t x = *state;

	for (int i = 0; i < words; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		buf[i] = x;
	}
	*state = x;
}

/* A socket, or -1: what refuses now may be there soon. */
static int connected(const union addr *to, socklen_t len)
{
	time_t end = now() + WAIT;
	int fd, err;

	for (;;) {
		fd = socket(to->sa.sa_family, SOCK_STREAM, 0);
		if (fd < 0)
			return -1;
		time_limit(fd, WAIT);
		if (!connect(fd, &to->sa, len))
			return fd;
		err = errno;
		close(fd);
		errno = err;
		if (now() >= end)
			return -1;
		usleep(100000);
	}
}

static int send_all(int fd, const char *at, size_t len)
{
	while (len) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0)
			return -1;
		at += n;
		len -= n;
	}
	return 0;
}

static int do_send(const char *addr, int port, uint64_t bytes, uint64_t seed)
{
	union addr to = { 0 };
	socklen_t len;
	uint64_t left;
	MD5_CTX md5;
	int fd;

	if (inet_pton(AF_INET, addr, &to.v4.sin_addr) == 1) {
		to.v4.sin_family = AF_INET;
		to.v4.sin_port = htons(port);
		len = sizeof(to.v4);
	} else if (inet_pton(AF_INET6, addr, &to.v6.sin6_addr) == 1) {
		to.v6.sin6_family = AF_INET6;
		to.v6.sin6_port = htons(port);
		len = sizeof(to.v6);
	} else {
		fprintf(stderr, "md5stream: %s: no address\n", addr);
		return 2;
	}
	fd = connected(&to, len);
	if (fd < 0)
		return failed("connect");
	time_limit(fd, IDLE);
	/* Seeds that are close to each other, or 0, shall do */
	seed = (seed + 1) * 0x9e3779b97f4a7c15ull;
	seed += !seed;
	MD5Init(&md5);
	for (left = bytes; left; left -= len) {
		len = left < sizeof(buf) ? left : sizeof(buf);
		fill(&seed, (len + sizeof(*buf) - 1) / sizeof(*buf));
		MD5Update(&md5, (const uint8_t *)buf, len);
		if (send_all(fd, (const char *)buf, len))
			return failed("send");
	}
	/* The other end says its sum before it closes. */
	if (shutdown(fd, SHUT_WR) || recv(fd, buf, sizeof(buf), 0))
		return failed("end");
	say(bytes, &md5);
	return 0;
}

/* For both protocols, or for IPv4 where there is no other. */
static int listening(int port)
{
	union addr at = { .v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) } };
	socklen_t len = sizeof(at.v6);
	int one = 1, none = 0, fd;

	fd = socket(AF_INET6, SOCK_STREAM, 0);
	if (fd < 0) {
		at = (union addr) { .v4 = { .sin_family = AF_INET, .sin_port = htons(port) } };
		len = sizeof(at.v4);
		fd = socket(AF_INET, SOCK_STREAM, 0);
	} else {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &none, sizeof(none));
	}
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, &at.sa, len) || listen(fd, 1))
		return -1;
	return fd;
}

static int do_recv(int port)
{
	uint64_t bytes = 0;
	int at, fd;
	MD5_CTX md5;
	ssize_t n;

	at = listening(port);
	if (at < 0)
		return failed("listen");
	time_limit(at, WAIT);
	fd = accept(at, NULL, NULL);
	if (fd < 0)
		return failed("accept");
	close(at);
	time_limit(fd, IDLE);
	MD5Init(&md5);
	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0) {
		MD5Update(&md5, (const uint8_t *)buf, n);
		bytes += n;
	}
	if (n < 0)
		return failed("recv");
	say(bytes, &md5);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "send"))
		return do_send(argv[2], atoi(argv[3]), strtoull(argv[4], NULL, 0), strtoull(argv[5], NULL, 0));
	if (argc == 3 && !strcmp(argv[1], "recv"))
		return do_recv(atoi(argv[2]));
	fprintf(stderr, "usage: md5stream send ADDR PORT BYTES SEED | md5stream recv PORT\n");
	return 2;
}
