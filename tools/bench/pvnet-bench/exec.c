// SPDX-License-Identifier: GPL-2.0
/* Runs commands: each in a process group of its own, so that all of it can be ended. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exec.h"
#include "text.h"

#define LONGEST		(64 << 20)	/* bytes of output that are kept */
#define TICK		250		/* milliseconds */
#define GRACE		2.0		/* seconds between SIGTERM and SIGKILL */
#define LINGER		0.3		/* for output after the end, which a daemon may hold open */

volatile sig_atomic_t exec_interrupted;
void (*exec_tick)(void);

static void interrupt(int sig)
{
	(void)sig;
	exec_interrupted = 1;
}

void exec_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = interrupt };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

double exec_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

void exec_sleep(double seconds)
{
	double end = exec_now() + seconds;

	while (exec_now() < end && !exec_interrupted) {
		poll(NULL, 0, TICK);
		if (exec_tick)
			exec_tick();
	}
}

struct child {
	pid_t pid;
	int fd[2];		/* its stdout and stderr; -1: closed */
	double deadline, kill_at, gone_at;	/* 0: not yet */
	int status;
};

static void in_child(const char *prefix, const char *command, int out, int err)
{
	char *shell = prefix && *prefix ? text_format("%s \"$1\"", prefix) : NULL;
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	dup2(null, 0);
	dup2(out, 1);
	dup2(err, 2);
	if (shell)
		execl("/bin/sh", "sh", "-c", shell, "sh", command, (char *)NULL);
	else
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static bool start(const char *prefix, const char *command, struct child *c)
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC))
		return false;
	if (pipe2(err, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return false;
	}
	c->pid = fork();
	if (!c->pid)
		in_child(prefix, command, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	c->fd[0] = out[0];
	c->fd[1] = err[0];
	if (c->pid > 0)
		setpgid(c->pid, c->pid);
	return c->pid > 0;
}

/* Closes the pipe at its end. */
static void take(int *fd, char **text, size_t *len, bool *too_long)
{
	static char chunk[65536];
	ssize_t got = read(*fd, chunk, sizeof(chunk));
	char *more;

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	more = got > 0 && *len < LONGEST ? realloc(*text, *len + got + 1) : NULL;
	if (more) {
		*text = more;
		memcpy(more + *len, chunk, got);
		*len += got;
		more[*len] = '\0';
	} else if (got > 0) {
		*too_long = true;
	} else {
		close(*fd);
		*fd = -1;
	}
}

static void end_early(struct child *c, struct output *o)
{
	double now = exec_now();

	if (c->gone_at)
		return;
	if (c->kill_at) {
		if (now >= c->kill_at)
			kill(-c->pid, SIGKILL);
		return;
	}
	o->interrupted |= exec_interrupted;
	o->timed_out |= now >= c->deadline;
	if (o->interrupted || o->timed_out) {
		kill(-c->pid, SIGTERM);
		c->kill_at = now + GRACE;
	}
}

static void reap(struct child *c)
{
	if (!c->gone_at && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->gone_at = exec_now();
}

static bool done(const struct child *c)
{
	if (!c->gone_at)
		return false;
	return (c->fd[0] < 0 && c->fd[1] < 0) || exec_now() > c->gone_at + LINGER;
}

static void watch(struct child *c, struct output *o)
{
	while (!done(c)) {
		struct pollfd p[2] = { { c->fd[0], POLLIN }, { c->fd[1], POLLIN } };
		/* The end of a child wakes nobody once its pipes are closed. */
		bool closed = c->fd[0] < 0 && c->fd[1] < 0;

		poll(p, 2, closed || c->gone_at ? 10 : TICK);
		if (p[0].revents)
			take(&c->fd[0], &o->out, &o->out_len, &o->too_long);
		if (p[1].revents)
			take(&c->fd[1], &o->err, &o->err_len, &o->too_long);
		reap(c);
		end_early(c, o);
		if (exec_tick)
			exec_tick();
	}
	/* Whoever still holds the pipes of a command that was ended goes too. */
	if (c->kill_at)
		kill(-c->pid, SIGKILL);
}

void exec_run(const char *prefix, const char *command, double timeout, struct output *o)
{
	struct child c = { .deadline = exec_now() + timeout };
	int i;

	memset(o, 0, sizeof(*o));
	o->out = calloc(1, 1);
	o->err = calloc(1, 1);
	if (!o->out || !o->err || !start(prefix, command, &c)) {
		o->failed = text_format("cannot run a command: %s", strerror(errno));
		return;
	}
	watch(&c, o);
	for (i = 0; i < 2; i++)
		if (c.fd[i] >= 0)
			close(c.fd[i]);
	o->status = WIFEXITED(c.status) ? WEXITSTATUS(c.status) : 128 + WTERMSIG(c.status);
}

void exec_free(struct output *o)
{
	free(o->out);
	free(o->err);
	free(o->failed);
}

/* The last line of stderr, which is nearest to the failure */
static char *last_words(const struct output *o)
{
	char *copy = text_format("%s", *o->err ? o->err : o->out), *trimmed = text_trim(copy);
	char *line = strrchr(trimmed, '\n'), *words;

	words = text_format("%.150s", line ? line + 1 : trimmed);
	free(copy);
	return words;
}

char *exec_why(const struct output *o, double timeout)
{
	char *words, *why;

	if (o->failed)
		return text_format("%s", o->failed);
	if (o->interrupted)
		return text_format("interrupted");
	if (o->timed_out)
		return text_format("no end after %g s", timeout);
	if (o->too_long)
		return text_format("more output than can be kept");
	if (!o->status)
		return NULL;
	words = last_words(o);
	if (o->status > 128)
		why = text_format("ended by signal %d%s%s", o->status - 128, *words ? ": " : "",
				  words);
	else
		why = text_format("exit status %d%s%s", o->status, *words ? ": " : "", words);
	free(words);
	return why;
}
