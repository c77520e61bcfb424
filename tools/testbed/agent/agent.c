// SPDX-License-Identifier: GPL-2.0
/*
 * Run commands in a guest over its console, never over the vif under test.
 *
 *   agent serve TTY                     in the guest, on /dev/hvc0
 *   agent run [-t SEC] TTY LOG CMD...   in dom0: TTY is the console's pty, LOG is
 *                                       where xenconsoled logs that console
 *   agent ping [-t SEC] TTY LOG         wait until the other side answers
 *
 * The console is shared with the guest's kernel, so a message may fall into the
 * middle of anything. Frames are therefore short lines with a checksum:
 *
 *   !Q NONCE CRC BASE64        request (dom0 to guest): run this command
 *   !K NONCE                   kill it
 *   !W NONCE                   answer: accepted, or still running
 *   !A NONCE INDEX CRC BASE64  one chunk of its output
 *   !E NONCE CHUNKS STATUS CRC the end
 *
 * A request is idempotent by its nonce: repeated, it yields the state so far, and
 * once the command has ended all of the answer again. That is how the client
 * fills the gaps that kernel messages tore.
 *
 * The client reads the log rather than the pty: several clients can then run at
 * once, each finds its own nonce, and inotify wakes it without polling.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define CHUNK	120		/* bytes of output in a frame */
#define NONCE	16		/* hex digits */
#define JOBS	64		/* finished jobs whose output is kept */
#define OUTDIR	"/run/agent"

static void die(const char *what)
{
	fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
	exit(125);
}

static void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		die("malloc");
	return p;
}

/* ---- encoding ---- */

static uint32_t crc32(const char *s)
{
	uint32_t c = ~0u;

	for (; *s; s++) {
		c ^= (unsigned char)*s;
		for (int i = 0; i < 8; i++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	}
	return ~c;
}

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* out must hold 4 * ceil(n / 3) + 1 bytes. */
static void b64_encode(char *out, const unsigned char *in, size_t n)
{
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = in[i] << 16;

		if (i + 1 < n)
			v |= in[i + 1] << 8;
		if (i + 2 < n)
			v |= in[i + 2];
		*out++ = digits[v >> 18];
		*out++ = digits[v >> 12 & 63];
		*out++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
		*out++ = i + 2 < n ? digits[v & 63] : '=';
	}
	*out = 0;
}

/* Returns the number of bytes, or -1 when in is not base64. */
static ssize_t b64_decode(unsigned char *out, const char *in)
{
	unsigned char *start = out;
	uint32_t v = 0;
	int bits = 0;

	for (; *in && *in != '='; in++) {
		const char *d = strchr(digits, *in);

		if (!d)
			return -1;
		v = v << 6 | (d - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			*out++ = v >> bits;
		}
	}
	return out - start;
}

/* ---- lines ---- */

struct lines {
	char *buf;
	size_t len, size;
};

/* Feed what was read; call fn for each line. */
static void lines_feed(struct lines *l, const char *data, size_t n, void (*fn)(char *line))
{
	char *nl, *start;

	if (l->len + n + 1 > l->size) {
		l->size = 2 * (l->len + n + 1);
		l->buf = realloc(l->buf, l->size);
		if (!l->buf)
			die("realloc");
	}
	memcpy(l->buf + l->len, data, n);
	l->len += n;
	l->buf[l->len] = 0;
	for (start = l->buf; (nl = memchr(start, '\n', l->buf + l->len - start)); start = nl + 1) {
		*nl = 0;
		if (nl > start && nl[-1] == '\r')
			nl[-1] = 0;
		fn(start);
	}
	l->len -= start - l->buf;
	memmove(l->buf, start, l->len);
}

static void write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t r = write(fd, s, n);

		if (r > 0) {
			s += r;
			n -= r;
		} else if (errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, 1000);
		} else if (errno != EINTR) {
			die("write to the console");
		}
	}
}

/* ---- the guest's side ---- */

struct job {
	char nonce[NONCE + 1];
	pid_t pid;		/* 0: not used */
	int done, status;
};

static struct job jobs[JOBS];
static unsigned int next_job;
static int tty;

static void reply(const char *s)
{
	write_all(tty, s, strlen(s));
}

static void job_path(const struct job *j, char *path)
{
	sprintf(path, OUTDIR "/%s", j->nonce);
}

static void job_send(const struct job *j)
{
	unsigned char raw[CHUNK];
	char path[64], body[256], frame[320];
	int fd, i = 0, n;

	if (!j->done) {
		sprintf(frame, "\n!W %s\n", j->nonce);
		reply(frame);
		return;
	}
	job_path(j, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, raw, CHUNK)) > 0) {
		char b64[CHUNK * 4 / 3 + 1];

		b64_encode(b64, raw, n);
		sprintf(body, "%s %d %s", j->nonce, i, b64);
		sprintf(frame, "\n!A %s %d %08x %s\n", j->nonce, i, crc32(body), b64);
		reply(frame);
		i++;
	}
	if (fd >= 0)
		close(fd);
	sprintf(body, "%s %d %d", j->nonce, i, j->status);
	sprintf(frame, "\n!E %s %08x\n", body, crc32(body));
	reply(frame);
}

static struct job *job_find(const char *nonce)
{
	for (int i = 0; i < JOBS; i++)
		if (jobs[i].pid && !strcmp(jobs[i].nonce, nonce))
			return &jobs[i];
	return NULL;
}

/* A slot whose job has ended; the oldest first. */
static struct job *job_slot(void)
{
	char path[64];

	for (int i = 0; i < JOBS; i++) {
		struct job *j = &jobs[next_job++ % JOBS];

		if (j->pid && !j->done)
			continue;
		if (j->pid) {
			job_path(j, path);
			unlink(path);
		}
		return j;
	}
	return NULL;
}

static void job_child(const char *path, const char *cmd)
{
	sigset_t none;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	dup2(fd, 1);
	dup2(fd, 2);
	close(fd);
	fd = open("/dev/null", O_RDONLY);
	dup2(fd, 0);
	close(fd);
	execl("/bin/bash", "bash", "-c", cmd, NULL);
	_exit(127);
}

static void job_start(const char *nonce, char *cmd)
{
	struct job *j = job_slot();
	char path[64];

	if (!j)
		return;		/* the client asks again */
	memset(j, 0, sizeof(*j));
	strcpy(j->nonce, nonce);
	job_path(j, path);
	j->pid = fork();
	if (!j->pid)
		job_child(path, cmd);
	if (j->pid < 0) {
		j->pid = 1;
		j->done = 1;
		j->status = 126;
	}
	job_send(j);
}

static void serve_line(char *line)
{
	char nonce[NONCE + 1], *cmd, *b64;
	unsigned int crc;
	struct job *j;
	int at = 0;
	ssize_t n;

	line = strstr(line, "!Q ") ?: strstr(line, "!K ");
	if (!line || sscanf(line + 3, "%16s", nonce) != 1 || strlen(nonce) != NONCE)
		return;
	j = job_find(nonce);
	if (line[1] == 'K') {
		if (j && !j->done)
			kill(-j->pid, SIGKILL);
		return;
	}
	if (j) {
		job_send(j);
		return;
	}
	if (sscanf(line + 3 + NONCE, " %8x %n", &crc, &at) != 1 || !at)
		return;
	b64 = line + 3 + NONCE + at;
	if (crc32(b64) != crc)
		return;
	cmd = xmalloc(strlen(b64) + 1);
	n = b64_decode((unsigned char *)cmd, b64);
	if (n >= 0) {
		cmd[n] = 0;
		job_start(nonce, cmd);
	}
	free(cmd);
}

static void serve_children(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < JOBS; i++) {
			struct job *j = &jobs[i];

			if (j->pid != pid || j->done)
				continue;
			j->done = 1;
			j->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			job_send(j);
		}
}

static _Noreturn void serve(const char *path)
{
	struct lines in = { 0 };
	struct termios t;
	char buf[4096];
	sigset_t chld;
	int sfd;

	mkdir(OUTDIR, 0700);
	tty = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (tty < 0 || tcgetattr(tty, &t))
		die(path);
	cfmakeraw(&t);
	tcsetattr(tty, TCSANOW, &t);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	sfd = signalfd(-1, &chld, SFD_NONBLOCK | SFD_CLOEXEC);
	for (;;) {
		struct pollfd p[] = { { tty, POLLIN, 0 }, { sfd, POLLIN, 0 } };
		ssize_t n;

		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents) {
			while (read(sfd, buf, sizeof(struct signalfd_siginfo)) > 0)
				;
			serve_children();
		}
		if (p[0].revents) {
			n = read(tty, buf, sizeof(buf));
			if (n > 0)
				lines_feed(&in, buf, n, serve_line);
			else
				usleep(100000);
		}
	}
}

/* ---- dom0's side ---- */

static struct {
	char nonce[NONCE + 1];
	unsigned char (*chunk)[CHUNK];
	signed char *len;	/* -1: missing */
	int have, size;
	int heard;		/* frames for us since it was last cleared */
	int accepted, total, status;	/* total -1: the end is not seen yet */
} c = { .total = -1 };

static void chunk_store(int i, const char *b64)
{
	unsigned char raw[2 * CHUNK];
	ssize_t n;

	if (i >= c.size) {
		int size = 2 * i + 64;

		c.chunk = realloc(c.chunk, size * sizeof(*c.chunk));
		c.len = realloc(c.len, size);
		if (!c.chunk || !c.len)
			die("realloc");
		memset(c.len + c.size, -1, size - c.size);
		c.size = size;
	}
	n = b64_decode(raw, b64);
	if (c.len[i] >= 0 || n < 0 || n > CHUNK)
		return;
	memcpy(c.chunk[i], raw, n);
	c.len[i] = n;
	c.have++;
}

static void client_line(char *line)
{
	char nonce[NONCE + 1], b64[201], body[256];
	unsigned int crc;
	int i, status;

	line = strstr(line, "!A ") ?: strstr(line, "!E ") ?: strstr(line, "!W ");
	if (!line || sscanf(line + 3, "%16s", nonce) != 1 || strcmp(nonce, c.nonce))
		return;
	c.accepted = 1;
	c.heard = 1;
	if (line[1] == 'A' && sscanf(line + 3 + NONCE, "%d %x %200s", &i, &crc, b64) == 3) {
		sprintf(body, "%s %d %s", nonce, i, b64);
		if (crc == crc32(body) && i >= 0 && i < 1 << 20)
			chunk_store(i, b64);
	}
	if (line[1] == 'E' && sscanf(line + 3 + NONCE, "%d %d %x", &i, &status, &crc) == 3) {
		sprintf(body, "%s %d %d", nonce, i, status);
		if (crc == crc32(body)) {
			c.total = i;
			c.status = status;
		}
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* One writer at a time, or two requests would mix. */
static void send_frame(int fd, const char *frame)
{
	flock(fd, LOCK_EX);
	write_all(fd, frame, strlen(frame));
	flock(fd, LOCK_UN);
}

static char *make_request(int argc, char **argv)
{
	unsigned char rnd[NONCE / 2];
	size_t n = 1;
	char *cmd, *b64, *frame;

	if (getrandom(rnd, sizeof(rnd), 0) != sizeof(rnd))
		die("getrandom");
	for (int i = 0; i < NONCE / 2; i++)
		sprintf(c.nonce + 2 * i, "%02x", rnd[i]);
	for (int i = 0; i < argc; i++)
		n += strlen(argv[i]) + 1;
	cmd = xmalloc(n);
	*cmd = 0;
	for (int i = 0; i < argc; i++) {
		strcat(cmd, argv[i]);
		if (i < argc - 1)
			strcat(cmd, " ");
	}
	n = strlen(cmd);
	b64 = xmalloc(n / 3 * 4 + 8);
	b64_encode(b64, (unsigned char *)cmd, n);
	frame = xmalloc(strlen(b64) + 64);
	sprintf(frame, "\n!Q %s %08x %s\n", c.nonce, crc32(b64), b64);
	free(cmd);
	free(b64);
	return frame;
}

/* Read what the log has gained. */
static void read_log(int log, struct lines *in)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(log, buf, sizeof(buf))) > 0)
		lines_feed(in, buf, n, client_line);
}

static int exchange(int fd, int log, int watch, const char *frame, double timeout)
{
	double end = now() + timeout, again = now(), pause = 1;
	struct lines in = { 0 };
	char buf[4096];

	for (;;) {
		double t, until;

		read_log(log, &in);
		if (c.total >= 0 && c.have >= c.total)
			return c.status;
		t = now();
		if (t >= end)
			return -1;
		if (c.heard) {			/* the answer is on its way: do not ask again */
			c.heard = 0;
			again = t + (pause < 5 ? 5 : pause);
		}
		if (c.total >= 0 && again - t > 1)
			again = t + 1;		/* chunks are missing: ask soon */
		if (t >= again) {
			send_frame(fd, frame);
			if (c.accepted && pause < 60)
				pause = pause < 5 ? 5 : 2 * pause;
			again = t + pause;
		}
		until = again < end ? again : end;
		poll(&(struct pollfd){ .fd = watch, .events = POLLIN }, 1, (until - t) * 1000 + 1);
		while (read(watch, buf, sizeof(buf)) > 0)
			;
	}
}

static int client(double timeout, const char *tty_path, const char *log_path, int argc, char **argv)
{
	int fd, log, watch, status;
	char kill_frame[64], *frame;

	fd = open(tty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		die(tty_path);
	watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	log = open(log_path, O_RDONLY | O_CLOEXEC);
	if (log < 0 || watch < 0 || inotify_add_watch(watch, log_path, IN_MODIFY) < 0)
		die(log_path);
	lseek(log, 0, SEEK_END);
	frame = make_request(argc, argv);
	status = exchange(fd, log, watch, frame, timeout);
	if (status < 0) {
		sprintf(kill_frame, "\n!K %s\n", c.nonce);
		send_frame(fd, kill_frame);
		fprintf(stderr, "agent: no answer within %g s%s\n", timeout,
			c.accepted ? "" : ": the guest did not even accept the command");
		return 124;
	}
	for (int i = 0; i < c.total; i++)
		fwrite(c.chunk[i], 1, c.len[i], stdout);
	return fflush(stdout) ? 125 : status;
}

int main(int argc, char **argv)
{
	char *nothing[] = { ":" };
	double timeout = 60;

	if (argc == 3 && !strcmp(argv[1], "serve"))
		serve(argv[2]);
	if (argc > 3 && !strcmp(argv[2], "-t")) {
		timeout = atof(argv[3]);
		argv[3] = argv[1];
		argc -= 2;
		argv += 2;
	}
	if (argc >= 5 && !strcmp(argv[1], "run"))
		return client(timeout, argv[2], argv[3], argc - 4, argv + 4);
	if (argc == 4 && !strcmp(argv[1], "ping"))
		return client(timeout, argv[2], argv[3], 1, nothing);
	fprintf(stderr, "usage: agent serve TTY | run [-t SEC] TTY LOG CMD... | ping [-t SEC] TTY LOG\n");
	return 125;
}
