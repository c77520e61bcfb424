// SPDX-License-Identifier: GPL-2.0
/*
 * Readers that do not read, and what becomes of the data meanwhile.
 *
 * sloth send ADDR PORT CONNECTIONS BYTES: as many bytes on each as it takes; SIGTERM ends
 * it. What is not sent by then is not.
 * sloth recv PORT CONNECTIONS RCVBUF never|slow|fast: RCVBUF 0 leaves the default. never reads
 * nothing, slow 4 KiB of each connection every 20 ms, fast all. SIGUSR1 makes it fast; at the
 * end of all connections it prints how many bytes came, and status 1 when one was wrong.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_RCVBUFFORCE
#define SO_RCVBUFFORCE 33
#endif
#define MOST 256

struct conn {
	int fd;
	uint64_t at;		/* bytes so far */
	uint32_t id;
	int wrong;
};

static struct conn conn[MOST];
static struct pollfd pfd[MOST];
static volatile sig_atomic_t told;
static unsigned char buf[65536], want[65536];

static void on_signal(int sig)
{
	(void)sig;
	told = 1;
}

/* The stream of a connection: its id, then numbers that do not repeat. */
static void stream(unsigned char *to, uint64_t at, uint32_t id, int len)
{
	for (int i = 0; i < len; i++, at++) {
		uint32_t word = at < 4 ? id : (uint32_t)(at / 4) * 2654435761u ^ id * 40503u;

		to[i] = word >> at % 4 * 8;
	}
}

static int do_send(const char *addr, int port, int n, uint64_t bytes)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	int left = n;

	inet_pton(AF_INET, addr, &to.sin_addr);
	for (int i = 0; i < n; i++) {
		conn[i].id = i;
		conn[i].fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(conn[i].fd, (struct sockaddr *)&to, sizeof(to))) {
			perror("sloth send");
			return 2;
		}
		fcntl(conn[i].fd, F_SETFL, O_NONBLOCK);
		pfd[i] = (struct pollfd) { .fd = conn[i].fd, .events = POLLOUT };
	}
	while (left && !told) {
		if (poll(pfd, n, 500) <= 0)
			continue;
		for (int i = 0; i < n; i++) {
			struct conn *c = &conn[i];
			uint64_t len = bytes - c->at < sizeof(buf) ? bytes - c->at : sizeof(buf);
			ssize_t done;

			if (c->fd < 0 || !pfd[i].revents)
				continue;
			stream(buf, c->at, c->id, len);
			done = send(c->fd, buf, len, MSG_NOSIGNAL);
			if (done < 0 && errno != EAGAIN) {
				perror("sloth send");
				return 1;
			}
			c->at += done > 0 ? done : 0;
			if (c->at == bytes) {
				close(c->fd);
				c->fd = pfd[i].fd = -1;
				left--;
			}
		}
	}
	printf("sent, %d of %d connections had not taken all\n", left, n);
	return 0;
}

/* Bytes taken; 0 at the end. */
static int take(struct conn *c, int most)
{
	int len = recv(c->fd, buf, most, MSG_DONTWAIT), i = 0;

	if (len <= 0)
		return len < 0 && errno == EAGAIN ? -1 : 0;
	if (!c->at) {	/* which it is */
		if (len < 4)
			return len;	/* does not happen: the sender starts with more */
		memcpy(&c->id, buf, 4);
	}
	stream(want, c->at, c->id, len);
	for (i = 0; i < len; i++)
		if (buf[i] != want[i])
			break;
	if (i < len && !c->wrong++)
		printf("connection %u is wrong at byte %llu\n", c->id, (unsigned long long)c->at + i);
	c->at += len;
	return len;
}

static int do_recv(int port, int n, int rcvbuf, const char *how)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1, left = n, wrong = 0;
	uint64_t bytes = 0;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (rcvbuf)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &rcvbuf, sizeof(rcvbuf));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, n)) {
		perror("sloth recv");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		do
			conn[i].fd = accept(fd, NULL, NULL);
		while (conn[i].fd < 0 && errno == EINTR);
		pfd[i] = (struct pollfd) { .fd = conn[i].fd, .events = POLLIN };
	}
	while (!told && !strcmp(how, "never"))
		usleep(20000);
	while (left) {
		int slow = !told && !strcmp(how, "slow");

		if (slow)
			usleep(20000);
		else
			poll(pfd, n, 500);
		for (int i = 0; i < n; i++) {
			struct conn *c = &conn[i];

			if (c->fd < 0 || take(c, slow ? 4096 : sizeof(buf)))
				continue;
			close(c->fd);
			c->fd = pfd[i].fd = -1;
			bytes += c->at;
			wrong += !!c->wrong;
			left--;
		}
	}
	printf("%d connections, %llu bytes, %d wrong\n", n, (unsigned long long)bytes, wrong);
	return !!wrong;
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[!strcmp(argv[1], "send") ? 4 : 3]) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGUSR1, on_signal);
	signal(SIGTERM, on_signal);
	if (argc == 6 && !strcmp(argv[1], "send") && n > 0 && n <= MOST)
		return do_send(argv[2], atoi(argv[3]), n, strtoull(argv[5], NULL, 0));
	if (argc == 6 && !strcmp(argv[1], "recv") && n > 0 && n <= MOST)
		return do_recv(atoi(argv[2]), n, atoi(argv[4]), argv[5]);
	fprintf(stderr, "usage: sloth send ADDR PORT CONNECTIONS BYTES | sloth recv PORT CONNECTIONS RCVBUF never|slow|fast\n");
	return 2;
}
