// SPDX-License-Identifier: GPL-2.0
/*
 * rawudp INTERFACE PORT COUNT SECONDS: read UDP over IPv4 to PORT with a packet socket
 * that knows nothing of auxiliary data, as old DHCP clients do, and check the bytes.
 * Prints "good N bad M"; exits 0 if all COUNT came and were good.
 */
#include <arpa/inet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static unsigned int sum16(const unsigned char *p, size_t n, unsigned int sum)
{
	for (; n > 1; n -= 2, p += 2)
		sum += p[0] << 8 | p[1];
	return n ? sum + (p[0] << 8) : sum;
}

/* -1: not ours; 0: wrong; 1: right */
static int judge(const unsigned char *p, size_t len, unsigned int port)
{
	const unsigned char *ip = p + ETH_HLEN, *udp;
	size_t hlen, ulen;
	unsigned int sum;

	if (len < ETH_HLEN + 28 || p[12] != 8 || p[13] || ip[9] != 17 || (ip[6] & 0x3f) || ip[7])
		return -1;
	hlen = (ip[0] & 15) * 4;
	udp = ip + hlen;
	if ((unsigned int)(udp[2] << 8 | udp[3]) != port)
		return -1;
	ulen = udp[4] << 8 | udp[5];
	if (ulen + hlen + ETH_HLEN > len || !(udp[6] | udp[7]))
		return 0;		/* none at all is not what is tested */
	sum = sum16(udp, ulen, sum16(ip + 12, 8, 17 + ulen));
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

int main(int argc, char **argv)
{
	static unsigned char buf[65536];
	struct sockaddr_ll ll = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP) };
	int fd, good = 0, bad = 0;
	time_t end;

	if (argc != 5) {
		fprintf(stderr, "usage: rawudp INTERFACE PORT COUNT SECONDS\n");
		return 2;
	}
	ll.sll_ifindex = if_nametoindex(argv[1]);
	fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP));
	if (fd < 0 || bind(fd, (struct sockaddr *)&ll, sizeof(ll))) {
		perror("rawudp");
		return 2;
	}
	end = time(NULL) + atoi(argv[4]);
	while (good + bad < atoi(argv[3]) && time(NULL) < end) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		struct sockaddr_ll from;
		socklen_t l = sizeof(from);
		ssize_t n;

		if (poll(&p, 1, 500) <= 0)
			continue;
		n = recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&from, &l);
		if (n < 0 || from.sll_pkttype == PACKET_OUTGOING)
			continue;
		switch (judge(buf, n, atoi(argv[2]))) {
		case 0: bad++; break;
		case 1: good++; break;
		}
	}
	printf("good %d bad %d\n", good, bad);
	return bad || good < atoi(argv[3]);
}
