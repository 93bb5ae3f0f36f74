// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams that the kernel treats in other ways than plain TCP, every byte verified, until standard input ends:
 *   tls      encrypted and decrypted by the kernel (TCP_ULP "tls")
 *   msg      a socket in a BPF sockmap, with a program that looks at its messages
 *   forward  sockets in a BPF sockmap, with a program that forwards from one connection to the next
 *   mptcp    multipath TCP
 *   tcp      plain, as they began
 * families [-d ADDRESS] [-A NETNS] [-B NETNS] [-l BYTES] KIND...
 * ADDRESS is in the namespace B; streams go from A to B, forwarded ones from A to B, back, and to B again. Prints
 * "moving" once every stream moves, "moved" for each line that comes in, once every stream has moved since, and at the
 * end a line for each stream. A kind that the kernel lacks is told by "absent=KIND" and left out.
 */
#include <errno.h>
#include <getopt.h>
#include <linux/bpf.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP	262
#endif
#ifndef SOL_TLS
#define SOL_TLS		282
#endif
#define STREAMS		8
#define STALL_S		60

/* What both ends of a stream count. */
static struct stream {
	const char *kind;
	int tx, rx;
	uint64_t sent, got, bad, error, errnum, ended, done;
} *streams;

static size_t nstreams;
static int *stop;
static const char *to = "127.0.0.1", *ns_a, *ns_b;
static long piece = 60000;
static pid_t children[2 * STREAMS];

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int program(uint32_t type, const struct bpf_insn *insns, uint32_t n)
{
	union bpf_attr load = {
		.prog_type = type, .insns = (uintptr_t)insns, .insn_cnt = n,
		.license = (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &load);
}

static int sockmap(void)
{
	union bpf_attr create = {
		.map_type = BPF_MAP_TYPE_SOCKMAP, .key_size = 4, .value_size = 4, .max_entries = 2,
	};

	return bpf(BPF_MAP_CREATE, &create);
}

static void attach(int map, int prog, uint32_t type)
{
	union bpf_attr attr = { .target_fd = (uint32_t)map, .attach_bpf_fd = (uint32_t)prog, .attach_type = type };

	check(bpf(BPF_PROG_ATTACH, &attr), "attach a program to the sockmap");
}

static void put(int map, uint32_t key, int fd)
{
	union bpf_attr attr = { .map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)&fd };

	check(bpf(BPF_MAP_UPDATE_ELEM, &attr), "put a socket into the sockmap");
}

static bool make_tcp(struct stream *s)
{
	tcp_pair(to, ns_b, ns_a, &s->rx, &s->tx);
	return true;
}

static bool make_tls(struct stream *s)
{
	struct tls12_crypto_info_aes_gcm_128 info = {
		.info = { TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128 },
		.iv = "12345678", .key = "a key of 16 byte", .salt = "1234", .rec_seq = { 0 },
	};

	make_tcp(s);
	if (setsockopt(s->tx, IPPROTO_TCP, TCP_ULP, "tls", 4))
		return false;
	check(setsockopt(s->rx, IPPROTO_TCP, TCP_ULP, "tls", 4), "TCP_ULP");
	check(setsockopt(s->tx, SOL_TLS, TLS_TX, &info, sizeof(info)), "TLS_TX");
	check(setsockopt(s->rx, SOL_TLS, TLS_RX, &info, sizeof(info)), "TLS_RX");
	return true;
}

static bool make_msg(struct stream *s)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = SK_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int map = sockmap(), prog = program(BPF_PROG_TYPE_SK_MSG, pass, 2);

	if (map < 0 || prog < 0)
		return false;
	make_tcp(s);
	attach(map, prog, BPF_SK_MSG_VERDICT);
	put(map, 0, s->tx);
	return true;
}

static bool make_forward(struct stream *s)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_2, .src_reg = BPF_PSEUDO_MAP_FD },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4, .imm = 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_sk_redirect_map },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int map = sockmap(), prog, in, out;

	insns[0].imm = map;
	prog = program(BPF_PROG_TYPE_SK_SKB, insns, sizeof(insns) / sizeof(*insns));
	if (map < 0 || prog < 0)
		return false;
	tcp_pair(to, ns_b, ns_a, &in, &s->tx);
	/* The same address is the peer's of what is forwarded, from the namespace that it came from. */
	tcp_pair(to, ns_b, ns_a, &s->rx, &out);
	attach(map, prog, BPF_SK_SKB_VERDICT);
	put(map, 0, in);
	put(map, 1, out);
	return true;
}

static bool make_mptcp(struct stream *s)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, to, 0);
	int listener;

	enter_ns(ns_b);
	listener = socket(ss.ss_family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP);
	if (listener >= 0) {
		check(bind(listener, (void *)&ss, len), "bind");
		check(listen(listener, 1), "listen");
		enter_ns(ns_a);
		s->tx = (int)check(socket(ss.ss_family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP), "MPTCP");
		len = address(&ss, to, socket_port(listener));
		check(connect(s->tx, (void *)&ss, len), "connect");
		s->rx = (int)check(accept4(listener, NULL, NULL, SOCK_CLOEXEC), "accept");
		close(listener);
	}
	enter_ns(NULL);
	return listener >= 0;
}

static void failed(struct stream *s)
{
	s->errnum = (uint64_t)errno;
	__atomic_store_n(&s->error, 1, __ATOMIC_SEQ_CST);
}

/* Writes over what it has sent, in pieces of changing size. */
static void sender(struct stream *s)
{
	uint8_t *buf = malloc((size_t)piece);
	uint64_t sent = 0;
	size_t len, at;
	ssize_t n;

	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		len = 1 + (size_t)((sent * 7 + 31) % (uint64_t)piece);
		memcpy(buf, pattern_at(sent), len);
		for (at = 0; at < len; at += (size_t)n) {
			n = send(s->tx, buf + at, len - at, MSG_NOSIGNAL);
			if (n < 0) {
				failed(s);
				return;
			}
			memset(buf + at, 0xee, (size_t)n);
			sent += (uint64_t)n;
			__atomic_store_n(&s->sent, sent, __ATOMIC_RELAXED);
		}
	}
	__atomic_store_n(&s->ended, 1, __ATOMIC_SEQ_CST);
	shutdown(s->tx, SHUT_WR);
}

static void receiver(struct stream *s)
{
	static uint8_t buf[65536];
	uint64_t got = 0;
	ssize_t n = 1;

	/* Who forwards does not forward the end. */
	while (!__atomic_load_n(&s->ended, __ATOMIC_SEQ_CST) || got < __atomic_load_n(&s->sent, __ATOMIC_RELAXED)) {
		n = recv(s->rx, buf, sizeof(buf), 0);
		if (n < 0 && errno == EAGAIN)
			continue;
		if (n < 0)
			failed(s);
		if (n <= 0)
			break;
		s->bad += !pattern_ok(buf, (size_t)n, got);
		got += (uint64_t)n;
		__atomic_store_n(&s->got, got, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&s->done, 1, __ATOMIC_SEQ_CST);
}

static pid_t start(void (*run)(struct stream *), struct stream *s)
{
	pid_t pid = (pid_t)check(fork(), "fork");

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* What runs beside it is not held up. */
	check(setpriority(PRIO_PROCESS, 0, 19), "setpriority");
	run(s);
	_exit(0);
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Until all have moved on; false if one does not. */
static bool all_move(void)
{
	uint64_t from[STREAMS];
	time_t end = now() + STALL_S;
	size_t i;

	for (i = 0; i < nstreams; i++)
		from[i] = __atomic_load_n(&streams[i].got, __ATOMIC_RELAXED);
	/* More than what lay in the queues. */
	for (i = 0; i < nstreams;) {
		if (__atomic_load_n(&streams[i].got, __ATOMIC_RELAXED) >= from[i] + (uint64_t)piece) {
			i++;
			continue;
		}
		if (now() > end || __atomic_load_n(&streams[i].error, __ATOMIC_SEQ_CST)) {
			say("stalled=%s\n", streams[i].kind);
			return false;
		}
		usleep(10000);
	}
	return true;
}

static void add(const char *kind)
{
	static const struct {
		const char *kind;
		bool (*make)(struct stream *s);
	} kinds[] = {
		{ "tcp", make_tcp }, { "tls", make_tls }, { "msg", make_msg }, { "forward", make_forward },
		{ "mptcp", make_mptcp },
	};
	struct stream *s = &streams[nstreams];
	struct timeval tick = { .tv_usec = 200000 };
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kind, kinds[i].kind))
			break;
	if (i == sizeof(kinds) / sizeof(*kinds) || nstreams == STREAMS)
		die(0, "see the top of families.c");
	s->kind = kinds[i].kind;
	if (!kinds[i].make(s)) {
		say("absent=%s (%s)\n", kind, strerror(errno));
		return;
	}
	check(setsockopt(s->rx, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof(tick)), "SO_RCVTIMEO");
	nstreams++;
}

static bool report(void)
{
	bool good = nstreams > 0;
	size_t i;

	for (i = 0; i < nstreams; i++) {
		const struct stream *s = &streams[i];

		say("%s sent=%llu got=%llu bad=%llu error=%s\n", s->kind, (unsigned long long)s->sent,
		    (unsigned long long)s->got, (unsigned long long)s->bad, s->error ? strerror((int)s->errnum) : "none");
		good &= s->done && s->sent == s->got && !s->bad && !s->error;
	}
	return good;
}

int main(int argc, char **argv)
{
	bool good;
	char line[16];
	size_t i;
	int c;

	while ((c = getopt(argc, argv, "d:A:B:l:")) != -1) {
		switch (c) {
		case 'd': to = optarg; break;
		case 'A': ns_a = optarg; break;
		case 'B': ns_b = optarg; break;
		case 'l': piece = number(optarg, 1, 200000); break;
		default: die(0, "see the top of families.c");
		}
	}
	streams = mmap(NULL, STREAMS * sizeof(*streams) + sizeof(*stop), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (streams == MAP_FAILED)
		die(errno, "mmap");
	stop = (int *)(streams + STREAMS);
	pattern_at(0);
	for (c = optind; c < argc; c++)
		add(argv[c]);
	for (i = 0; i < nstreams; i++) {
		children[2 * i] = start(sender, &streams[i]);
		children[2 * i + 1] = start(receiver, &streams[i]);
	}
	good = all_move();
	if (good)
		say("moving\n");
	while (good && fgets(line, sizeof(line), stdin)) {
		good = all_move();
		if (good)
			say("moved\n");
	}
	__atomic_store_n(stop, 1, __ATOMIC_SEQ_CST);
	if (!good)
		for (i = 0; i < 2 * nstreams; i++)
			kill(children[i], SIGKILL);
	alarm(60);
	while (wait(NULL) > 0)
		;
	return !(report() && good);
}
