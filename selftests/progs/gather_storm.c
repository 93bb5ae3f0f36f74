// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Senders that share sockets and close them at once, and a receiver that counts: for each sender its datagrams arrive
 * once, whole and in order.
 *   gather_storm [-R RECEIVER-NETNS] [-T SENDER-NETNS] [-d ADDRESS] [-s SECONDS]
 */
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#define SENDERS		4
#define ROUND		200	/* datagrams of a sender until the socket is closed */
#define WINDOW		2000	/* on the way, all together, at most */

struct head {
	uint32_t sender, number, len;
};

static const char *to = "127.0.0.1", *rx_ns, *tx_ns;
static int rx, tx;
static long seconds = 3;
static uint64_t sent[SENDERS], got[SENDERS], bad;
static pthread_barrier_t barrier;
static bool stop;

static uint64_t sum(const uint64_t *v)
{
	uint64_t n = 0;

	for (int i = 0; i < SENDERS; i++)
		n += __atomic_load_n(&v[i], __ATOMIC_RELAXED);
	return n;
}

static void *receiver(void *arg)
{
	static uint8_t data[70000];
	struct head head;
	ssize_t n;

	(void)arg;
	for (;;) {
		n = check(recv(rx, data, sizeof(data), 0), "recv");
		if (!n)
			return NULL;
		memcpy(&head, data, sizeof(head));
		if ((size_t)n < sizeof(head) || head.sender >= SENDERS || head.len != n ||
		    head.number != (uint32_t)got[head.sender] ||
		    !pattern_ok(data + sizeof(head), (size_t)n - sizeof(head), head.number)) {
			__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
			if (head.sender >= SENDERS)
				continue;
			fprintf(stderr, "sender %u: datagram %u of %u bytes, %zd came; %lu is next\n", head.sender, head.number,
				head.len, n, got[head.sender]);
			if ((size_t)n >= sizeof(head))
				__atomic_store_n(&got[head.sender], head.number, __ATOMIC_RELAXED);
		}
		__atomic_add_fetch(&got[head.sender], 1, __ATOMIC_RELAXED);
	}
}

static void connect_tx(uint16_t port)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, to, port);

	tx = (int)check(socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
	check(connect(tx, (struct sockaddr *)&ss, len), "connect");
}

static void *sender(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg, number = 0;
	uint16_t port = socket_port(rx);
	uint8_t data[1500];

	for (;;) {
		for (int i = 0; i < ROUND; i++) {
			struct head head = { me, number, number / 50 % 3 ? 200 : number % 11 ? 900 : 333 };

			while (sum(sent) - sum(got) > WINDOW)
				sched_yield();
			memcpy(data, &head, sizeof(head));
			memcpy(data + sizeof(head), pattern_at(number), head.len - sizeof(head));
			if (send(tx, data, head.len, number % 7 ? 0 : MSG_DONTWAIT) < 0) {
				if (errno == EAGAIN)
					continue;
				die(errno, "send");
			}
			number++;
			__atomic_add_fetch(&sent[me], 1, __ATOMIC_RELAXED);
		}
		/* The last one to come closes the socket for all, with whatever it has gathered. */
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
			close(tx);
			connect_tx(port);
			stop = time(NULL) >= seconds;
		}
		pthread_barrier_wait(&barrier);
		if (stop)
			return NULL;
	}
}

int main(int argc, char **argv)
{
	int room = 64 << 20, c;
	pthread_t thread[SENDERS], receive;

	while ((c = getopt(argc, argv, "R:T:d:s:")) != -1) {
		switch (c) {
		case 'R': rx_ns = optarg; break;
		case 'T': tx_ns = optarg; break;
		case 'd': to = optarg; break;
		case 's': seconds = number(optarg, 1, 1000); break;
		default: return 2;
		}
	}
	udp_pair(to, rx_ns, tx_ns, &rx, &tx);
	check(setsockopt(rx, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), "SO_RCVBUFFORCE");
	enter_ns(tx_ns);
	pattern_at(0);
	seconds += time(NULL);
	pthread_barrier_init(&barrier, NULL, SENDERS);
	check(-pthread_create(&receive, NULL, receiver, NULL), "pthread_create");
	for (uintptr_t i = 0; i < SENDERS; i++)
		check(-pthread_create(&thread[i], NULL, sender, (void *)i), "pthread_create");
	for (int i = 0; i < SENDERS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 100 && sum(got) != sum(sent); i++)
		usleep(50000);
	printf("sent=%lu got=%lu bad=%lu\n", sum(sent), sum(got), bad);
	return bad || sum(got) != sum(sent);
}
