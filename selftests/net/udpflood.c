// SPDX-License-Identifier: GPL-2.0
/*
 * udpflood ADDR PORT SECONDS SOCKETS SIZE [SEGMENT [COUNT]]: UDP as fast as it goes, from
 * many sockets, so that no send buffer is the limit. With SEGMENT the datagrams of SIZE
 * bytes are left to be cut by UDP_SEGMENT. Never blocks, but with COUNT: that many are
 * sent as fast as the interface takes them. Prints sent and refused.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

int main(int argc, char **argv)
{
	static char buf[65507];
	struct sockaddr_in to = { .sin_family = AF_INET };
	unsigned long sent = 0, refused = 0, count = 0;
	int fd[1024], n, size, segment;
	time_t end;

	if (argc < 6) {
		fprintf(stderr, "usage: udpflood ADDR PORT SECONDS SOCKETS SIZE [SEGMENT [COUNT]]\n");
		return 2;
	}
	inet_pton(AF_INET, argv[1], &to.sin_addr);
	to.sin_port = htons(atoi(argv[2]));
	n = atoi(argv[4]);
	size = atoi(argv[5]);
	segment = argc > 6 ? atoi(argv[6]) : 0;
	count = argc > 7 ? atol(argv[7]) : 0;
	if (n < 1 || n > 1024 || size < 1 || size > (int)sizeof(buf))
		return 2;
	for (int i = 0; i < n; i++) {
		fd[i] = socket(AF_INET, SOCK_DGRAM, 0);
		if (fd[i] < 0 || connect(fd[i], (struct sockaddr *)&to, sizeof(to)) ||
		    (segment && setsockopt(fd[i], IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)))) {
			perror("udpflood");
			return 1;
		}
	}
	end = time(NULL) + atoi(argv[3]);
	for (int i = 0; time(NULL) < end && (!count || sent < count); i = (i + 1) % n) {
		if (send(fd[i], buf, size, count ? 0 : MSG_DONTWAIT) == size)
			sent++;
		else
			refused++;
	}
	printf("sent %lu refused %lu\n", sent, refused);
	return 0;
}
