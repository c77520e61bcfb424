// SPDX-License-Identifier: GPL-2.0
/*
 * Numbered datagrams, to see which are lost.
 *
 * udpseq send ADDR PORT COUNT SIZE RATE: at most RATE a second, none in a burst of more
 * than two milliseconds' worth. COUNT 0: until SIGTERM. Then says how many there were, in
 * twenty datagrams more.
 * udpseq check PORT [IDLE]: until that, or IDLE seconds (30) without any. Prints what came
 * and what did not; status 1 when any was lost, doubled or damaged.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_RCVBUFFORCE
#define SO_RCVBUFFORCE 33
#endif
#define DATA	0x70766e31u
#define END	0x70766e32u
#define MOST	(1u << 26)

struct head {
	uint32_t what;
	uint32_t number;	/* in END: how many */
};

static volatile sig_atomic_t stop;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int do_send(const char *addr, int port, uint32_t count, int size, double rate)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	static unsigned char buf[65507];
	uint32_t n = 0, failed = 0;
	double start, due, left;
	struct head h;

	if (inet_pton(AF_INET, addr, &to.sin_addr) != 1 || size < (int)sizeof(h) ||
	    size > (int)sizeof(buf) || rate <= 0 || connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		perror("udpseq send");
		return 2;
	}
	signal(SIGTERM, on_term);
	memset(buf, 'n', sizeof(buf));
	start = now();
	while (!stop && (!count || n < count) && n < MOST) {
		/* What was late is not caught up with: that would be a burst. */
		due = start + n / rate;
		if (now() - due > 0.002)
			start += now() - due - 0.002;
		while ((left = due - now()) > 0)
			usleep(left * 1e6 + 1);
		h = (struct head) { htonl(DATA), htonl(n) };
		memcpy(buf, &h, sizeof(h));
		while (send(fd, buf, size, 0) != size) {
			if (errno != ENOBUFS && errno != ECONNREFUSED && errno != EINTR) {
				perror("udpseq send");
				return 1;
			}
			failed++;
			usleep(1000);
		}
		n++;
	}
	for (int i = 0; i < 20; i++) {
		usleep(50000);
		h = (struct head) { htonl(END), htonl(n) };
		memcpy(buf, &h, sizeof(h));
		(void)!send(fd, buf, size, 0);
	}
	printf("sent %u tried again %u\n", n, failed);
	return 0;
}

static int damaged(const unsigned char *buf, int len)
{
	for (int i = sizeof(struct head); i < len; i++)
		if (buf[i] != 'n')
			return 1;
	return 0;
}

static int do_check(int port, int idle)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	uint32_t got = 0, twice = 0, bad = 0, late = 0, highest = 0, total = MOST, lost = 0;
	struct timeval timeout = { .tv_sec = idle };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), space = 16 << 20, len, ended = 0;
	unsigned char *seen = calloc(1, MOST / 8);
	static unsigned char buf[65536];
	struct head h;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &space, sizeof(space));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (!seen || bind(fd, (struct sockaddr *)&at, sizeof(at))) {
		perror("udpseq check");
		return 2;
	}
	while (got < total) {
		len = recv(fd, buf, sizeof(buf), 0);
		if (len < 0)
			break;
		memcpy(&h, buf, sizeof(h));
		h.what = ntohl(h.what);
		h.number = ntohl(h.number);
		if (len >= (int)sizeof(h) && h.what == END && h.number <= MOST) {
			total = h.number;
			/* What is late may still come. */
			if (!ended++) {
				timeout.tv_sec = 3;
				setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
			}
			continue;
		}
		if (len < (int)sizeof(h) || h.what != DATA || h.number >= MOST || damaged(buf, len)) {
			bad++;
			continue;
		}
		if (seen[h.number / 8] >> h.number % 8 & 1) {
			twice++;
			continue;
		}
		seen[h.number / 8] |= 1 << h.number % 8;
		got++;
		if (h.number < highest)
			late++;
		else
			highest = h.number;
	}
	if (!ended && got < total) {
		printf("received %u, the end did not come\n", got);
		return 1;
	}
	lost = total - got;
	printf("sent %u received %u lost %u doubled %u damaged %u reordered %u\n", total, got, lost,
	       twice, bad, late);
	for (uint32_t i = 0, shown = 0; i < total && shown < 20 && lost; i++) {
		if (!(seen[i / 8] >> i % 8 & 1)) {
			printf("lost: %u\n", i);
			shown++;
		}
	}
	return lost || twice || bad || !got;
}

int main(int argc, char **argv)
{
	if (argc == 7 && !strcmp(argv[1], "send"))
		return do_send(argv[2], atoi(argv[3]), atol(argv[4]), atoi(argv[5]), atof(argv[6]));
	if ((argc == 3 || argc == 4) && !strcmp(argv[1], "check"))
		return do_check(atoi(argv[2]), argc == 4 ? atoi(argv[3]) : 30);
	fprintf(stderr, "usage: udpseq send ADDR PORT COUNT SIZE RATE | udpseq check PORT [IDLE]\n");
	return 2;
}
