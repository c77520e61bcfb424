// SPDX-License-Identifier: GPL-2.0
/*
 * How much a receive buffer takes from a sender whose receiver does not read.
 *
 * rcvbuf udp PORT N: N sockets from PORT on with the default buffer. On SIGUSR1 prints how
 * many datagrams wait in each, and ends.
 * rcvbuf listen PORT KIB...: one listener from PORT on for each SO_RCVBUF. A connection is
 * not read; when the next one comes, or at SIGTERM, prints a line: KIB, what TcpExt counted
 * meanwhile (TCPRcvCollapsed, PruneCalled, TCPRcvQDrop), and whether the sender's reset came.
 * rcvbuf fill ADDR PORT MOST KIB...: one connection to each of these and for each of the
 * segment sizes 1, 64, 536, 1448. Each segment is sent when the one before has left, until
 * nothing is taken for a while, or MOST are. Prints KIB, segment size, bytes acknowledged.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/sockios.h>
#ifndef SIOCOUTQNSD
#define SIOCOUTQNSD 0x894B
#endif

#define PATIENCE 1.2	/* seconds without progress */
#define MOST_SOCKETS 64
static const int segment[] = { 1, 64, 536, 1448 };
static const char *const watched[] = { "TCPRcvCollapsed", "PruneCalled", "TCPRcvQDrop" };

static volatile sig_atomic_t over;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int do_udp(int port, int n)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	static char buf[65536];
	int fd[MOST_SOCKETS], sig;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < n; i++) {
		fd[i] = socket(AF_INET, SOCK_DGRAM, 0);
		at.sin_port = htons(port + i);
		if (bind(fd[i], (struct sockaddr *)&at, sizeof(at))) {
			perror("rcvbuf udp");
			return 2;
		}
	}
	sigwait(&set, &sig);
	for (int i = 0; i < n; i++) {
		int count = 0;

		while (recv(fd[i], buf, sizeof(buf), MSG_DONTWAIT) >= 0)
			count++;
		printf("%d%c", count, i + 1 < n ? ' ' : '\n');
	}
	return 0;
}

/* /proc/net/netstat: a line of names and one of numbers. */
static void read_counts(unsigned long *count)
{
	static char name[16384], value[16384];
	FILE *f = fopen("/proc/net/netstat", "r");

	memset(count, 0, sizeof(*count) * 3);
	while (f && fgets(name, sizeof(name), f) && fgets(value, sizeof(value), f)) {
		char *n = name, *v = value, *sn, *sv;

		while ((sn = strsep(&n, " \n")) && (sv = strsep(&v, " \n")))
			for (int i = 0; i < 3; i++)
				if (!strcmp(sn, watched[i]))
					count[i] = strtoul(sv, NULL, 10);
	}
	if (f)
		fclose(f);
}

/* A connection is over when the next one comes, or at SIGTERM. */
static void say(const char *kib, int fd, const unsigned long *before)
{
	struct pollfd c = { .fd = fd, .events = POLLRDHUP };
	unsigned long after[3];

	if (fd < 0)
		return;
	read_counts(after);
	printf("%s %lu %lu %lu %s\n", kib, after[0] - before[0], after[1] - before[1],
	       after[2] - before[2], poll(&c, 1, 0) == 1 ? "reset" : "open");
	close(fd);
}

static int do_listen(int port, int n, char **kib)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	struct pollfd pfd[MOST_SOCKETS];
	struct sigaction act = { .sa_handler = on_term };
	const char *whose = NULL;
	unsigned long before[3];
	int fd = -1;

	sigaction(SIGTERM, &act, NULL);
	for (int i = 0; i < n; i++) {
		int one = 1, size = atoi(kib[i]) * 1024;

		pfd[i] = (struct pollfd) { .fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN };
		at.sin_port = htons(port + i);
		setsockopt(pfd[i].fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		setsockopt(pfd[i].fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
		if (bind(pfd[i].fd, (struct sockaddr *)&at, sizeof(at)) || listen(pfd[i].fd, 4)) {
			perror("rcvbuf listen");
			return 2;
		}
	}
	while (!over) {
		if (poll(pfd, n, 500) <= 0)
			continue;
		for (int i = 0; i < n; i++) {
			if (!pfd[i].revents)
				continue;
			say(whose, fd, before);
			read_counts(before);
			whose = kib[i];
			fd = accept(pfd[i].fd, NULL, NULL);
		}
	}
	say(whose, fd, before);
	return 0;
}

static int unsent(int fd)
{
	int n = 0;

	ioctl(fd, SIOCOUTQNSD, &n);
	return n;
}

static long acked(int fd, long sent)
{
	int n = 0;

	ioctl(fd, SIOCOUTQ, &n);
	return sent - n;
}

static long fill(int fd, int size, long most)
{
	static char buf[1448];
	long sent = 0, seen = 0;
	double last = now();

	while (now() - last < PATIENCE) {
		if (acked(fd, sent) > seen) {
			seen = acked(fd, sent);
			last = now();
		}
		if (unsent(fd) || sent >= most * size) {
			if (seen >= most * size)
				break;
			usleep(500);
			continue;
		}
		if (send(fd, buf, size, MSG_DONTWAIT | MSG_NOSIGNAL) == size)
			sent += size;
		else
			usleep(500);
	}
	return seen;
}

static int do_fill(const char *addr, int port, long most, int n, char **kib)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct linger now_then = { 1, 0 };
	int one = 1;

	inet_pton(AF_INET, addr, &to.sin_addr);
	for (int i = 0; i < n; i++) {
		for (unsigned int k = 0; k < sizeof(segment) / sizeof(*segment); k++) {
			int fd = socket(AF_INET, SOCK_STREAM, 0);
			long bytes;

			to.sin_port = htons(port + i);
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &now_then, sizeof(now_then));
			if (connect(fd, (struct sockaddr *)&to, sizeof(to))) {
				perror("rcvbuf fill");
				return 1;
			}
			bytes = fill(fd, segment[k], most);
			close(fd);
			printf("%s %d %ld\n", kib[i], segment[k], bytes);
			usleep(500000);
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && !strcmp(argv[1], "udp") && atoi(argv[3]) <= MOST_SOCKETS)
		return do_udp(atoi(argv[2]), atoi(argv[3]));
	if (argc > 3 && !strcmp(argv[1], "listen") && argc - 3 <= MOST_SOCKETS)
		return do_listen(atoi(argv[2]), argc - 3, argv + 3);
	if (argc > 5 && !strcmp(argv[1], "fill"))
		return do_fill(argv[2], atoi(argv[3]), atol(argv[4]), argc - 5, argv + 5);
	fprintf(stderr, "usage: rcvbuf udp PORT N | listen PORT KIB... | fill ADDR PORT MOST KIB...\n");
	return 2;
}
