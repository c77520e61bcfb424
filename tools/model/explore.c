// SPDX-License-Identifier: GPL-2.0
/*
 * All interleavings of the real ring.h: xmit produces requests, back consumes and
 * answers them, reap consumes the answers, and each sleeps where the drivers wait for
 * an event. Each access to shared memory is a step; which thread makes the next one is
 * tried in every way. Stores wait in a buffer and get out in any order, but for those to
 * one word, until a barrier; when, is tried too.
 *
 * A thread is a context that runs up to its next access. A way is a list of choices, and to
 * try another one all is run again from the start. What a thread will do depends on its
 * place and on what it has read there, so these and the memory are the state; a state
 * that was seen before is not followed again.
 *
 * Bad: nobody can go on, and slots are left or the queue is stopped; a slot is read that
 * was not written; more answers than requests. Then the steps that led there are printed.
 *
 * usage: explore SLOTS RING K [answers]
 * K: slots that back waits for at most, by a timer above 1, which may fire at any time.
 * -DNO_B, -DNO_C, -DNO_D: without that barrier. -DARM_LATE: look, then arm. -DNO_TIMER.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

static u32 load(const u32 *at, const char *where);
static void store(u32 *at, u32 value, const char *where);
static void barrier(bool full, const char *where);

#undef READ_ONCE
#undef WRITE_ONCE
#undef virt_mb
#undef virt_rmb
#undef virt_wmb
#define READ_ONCE(x)		load((const u32 *)&(x), __func__)
#define WRITE_ONCE(x, v)	store((u32 *)&(x), v, __func__)
#define virt_rmb()		((void)0)	/* loads are made in order here */

#ifdef NO_B
#define virt_wmb()		((void)0)
#else
#define virt_wmb()		barrier(false, __func__)
#endif
#ifdef NO_C
#define C_DROPPED		true
#else
#define C_DROPPED		false
#endif
#ifdef NO_D
#define D_DROPPED		true
#else
#define D_DROPPED		false
#endif
#define virt_mb() do {							\
	if (!strcmp(__func__, "pvn_ring_publish") ? !C_DROPPED :	\
	    !strcmp(__func__, "pvn_ring_arm") ? !D_DROPPED : true)	\
		barrier(true, __func__);				\
} while (0)

#include <pvnet/ring.h>

/* ------------------------------------------------------------------- state */

enum { XMIT, BACK, REAP, NR_THREADS };
static const char *const names[] = { "xmit", "back", "reap" };

#define NR_STORES	16
#define STACK		(64 * 1024)
#define MAX_STEPS	4096
#define SEEN_BITS	23

/* What all threads see. */
static struct {
	u8 page[4096];
	struct pvn_ring front, back;
	u32 stopped, done;
	u32 pending[NR_THREADS];	/* an event that its thread has not taken */
} s __attribute__((aligned(4096)));

struct pending_store { u32 *at; u32 value; bool wmb; };

static struct thread {
	ucontext_t ctx;
	u64 hash;			/* of its place, and of what it has read there */
	struct pending_store buffer[NR_STORES];
	u32 nr;
	bool waits, timer, ended;	/* for an event; or for the time */
	const char *where;
} thread[NR_THREADS];

static ucontext_t scheduler;
static struct thread *now;
static u32 slots, most_k;
static bool answers;
static const char *bad;

static u64 mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9E3779B97F4A7C15ull;
	return h ^ h >> 29;
}

/* -------------------------------------------------------------- the machine */

static void yield(const char *where)
{
	now->where = where;
	swapcontext(&now->ctx, &scheduler);
}

static void fail(const char *what)
{
	if (!bad)
		bad = what;
	yield(what);
}

static u32 load(const u32 *at, const char *where)
{
	u32 value, i;

	yield(where);
	value = *at;
	for (i = 0; i < now->nr; i++)
		if (now->buffer[i].at == at)
			value = now->buffer[i].value;
	now->hash = mix(now->hash, value);
	return value;
}

static void store(u32 *at, u32 value, const char *where)
{
	yield(where);
	if (now->nr == NR_STORES)
		abort();
	now->buffer[now->nr++] = (struct pending_store) { .at = at, .value = value };
	now->hash = mix(now->hash, 0x51);
}

static bool in_order(const struct thread *t, u32 i)
{
	u32 k;

	for (k = 0; k < i; k++)
		if (t->buffer[k].wmb || t->buffer[k].at == t->buffer[i].at)
			return false;
	return true;
}

/* A store gets out; a barrier has nothing to do but to go when it is first. */
static void let_out(struct thread *t, u32 i)
{
	if (!t->buffer[i].wmb)
		*t->buffer[i].at = t->buffer[i].value;
	memmove(&t->buffer[i], &t->buffer[i + 1], (--t->nr - i) * sizeof(t->buffer[0]));
	while (t->nr && t->buffer[0].wmb)
		memmove(&t->buffer[0], &t->buffer[1], --t->nr * sizeof(t->buffer[0]));
}

static void barrier(bool full, const char *where)
{
	yield(where);
	if (full) {
		while (now->nr)
			let_out(now, 0);
	} else if (now->nr) {
		now->buffer[now->nr++] = (struct pending_store) { .wmb = true };
	}
	now->hash = mix(now->hash, 0xba);
}

/* Nothing else is remembered at this point but @state. */
static void forget(u32 place, u64 state)
{
	now->hash = mix(place + 1, state);
}

static void raise_event(u32 whose)
{
	barrier(true, "raise");		/* it is a hypercall */
	s.pending[whose] = 1;
}

/* Returns whether an event came, and not the time. */
static bool wait_event(bool timer)
{
	u32 me = now - thread;
	bool came;

	now->waits = true;
	now->timer = timer;
	yield("wait");
	now->waits = false;
	came = s.pending[me];
	s.pending[me] = 0;
	now->hash = mix(now->hash, 2 + came);
	return came;
}

/* ------------------------------------------------------------- the programs */

static void publish(struct pvn_ring *r, u32 whose)
{
	if (pvn_ring_publish(r))
		raise_event(whose);
}

static void stop(void)
{
	WRITE_ONCE(s.stopped, 1);
	virt_mb();
	if (pvn_ring_unused(&s.front))
		WRITE_ONCE(s.stopped, 0);
}

static void xmit(void)
{
	u32 left = slots;

	while (left) {
		u32 word = ~s.front.prod;

		forget(0, (u64)left << 32 | s.front.prod);
		pvn_ring_write(&s.front, s.front.prod++, &word, 1);
		left--;
		if (answers && !pvn_ring_unused(&s.front))
			stop();
		publish(&s.front, BACK);
		while (answers && READ_ONCE(s.stopped)) {
			forget(1, (u64)left << 32 | s.front.prod);
			wait_event(false);
		}
	}
}

static void serve(u32 k)
{
	u32 n, word;

	while ((n = pvn_ring_pending(&s.back))) {
		if (n > s.back.nr)
			fail("more requests than the ring holds");
		for (; n; n--) {
			pvn_ring_read(&s.back, s.back.cons, &word, 1);
			if (word != ~s.back.cons)
				fail("a request that was not written");
			s.back.cons++;
			word = s.back.prod;
			if (answers)
				pvn_ring_write(&s.back, s.back.prod++, &word, 1);
			else
				s.done++;
		}
		if (answers)
			publish(&s.back, REAP);
		forget(2, (u64)s.back.cons << 32 | s.back.prod << 8 | k);
	}
}

static bool armed(struct pvn_ring *r, u32 k)
{
#ifdef ARM_LATE
	bool few = pvn_ring_pending(r) < k;

	return pvn_ring_arm(r, k) < r->nr + 1 && few;
#else
	return pvn_ring_arm(r, k) < k;
#endif
}

static void backend(void)
{
	u32 k = most_k;

	for (;;) {
		bool came = true;

		forget(3, (u64)s.back.cons << 32 | s.back.prod << 8 | k);
		serve(k);
		if (armed(&s.back, k))
#ifdef NO_TIMER
			came = wait_event(false);
#else
			came = wait_event(k > 1);
#endif
		/* As the driver: after a time without anything, the next slot wakes. */
		k = came || pvn_ring_pending(&s.back) ? most_k : 1;
	}
}

static void take_answers(u32 n)
{
	u32 word, i;

	if (n > READ_ONCE(s.front.pub) - s.front.cons)
		fail("more answers than requests");
	for (i = 0; i < n; i++) {
		pvn_ring_read(&s.front, s.front.cons + i, &word, 1);
		if (word != s.front.cons + i)
			fail("an answer that was not written");
	}
	WRITE_ONCE(s.front.cons, s.front.cons + n);
	s.done += n;
	virt_mb();
	if (READ_ONCE(s.stopped) && pvn_ring_unused(&s.front)) {
		WRITE_ONCE(s.stopped, 0);
		raise_event(XMIT);
	}
}

static void reap(void)
{
	u32 n, k;

	for (;;) {
		forget(4, s.front.cons);
		while ((n = pvn_ring_pending(&s.front))) {
			take_answers(n);
			forget(5, s.front.cons);
		}
		k = max((READ_ONCE(s.front.pub) - s.front.cons) / 2, 1u);
		if (armed(&s.front, k))
			wait_event(false);
	}
}

/* ------------------------------------------------------------- the explorer */

static void (*const program[])(void) = { xmit, backend, reap };
static u8 stack[NR_THREADS][STACK];

static void entry(u32 i)
{
	program[i]();
	now->ended = true;
	yield("end");
}

static void resume(u32 i)
{
	now = &thread[i];
	swapcontext(&scheduler, &now->ctx);
}

static void begin(u32 ring)
{
	u32 i;

	memset(&s, 0, sizeof(s));
	memset(thread, 0, sizeof(thread));
	pvn_sring_init(s.page);
	pvn_ring_attach_front(&s.front, s.page, ring, sizeof(u32));
	now = &thread[BACK];	/* attaching reads an index: as if from before */
	s.back = s.front;
	s.back.prod_out = s.front.prod_in;
	s.back.prod_in = s.front.prod_out;
	s.back.event_out = s.front.event_in;
	s.back.event_in = s.front.event_out;
	for (i = 0; i < NR_THREADS - !answers; i++) {
		getcontext(&thread[i].ctx);
		thread[i].ctx.uc_stack.ss_sp = stack[i];
		thread[i].ctx.uc_stack.ss_size = STACK;
		makecontext(&thread[i].ctx, (void (*)(void))entry, 1, i);
		resume(i);	/* up to its first access */
	}
	if (!answers)
		thread[REAP].ended = true;
}

static bool can_run(u32 i)
{
	const struct thread *t = &thread[i];

	return !t->ended && (!t->waits || s.pending[i] || t->timer);
}

/* Do the @n-th thing that can be done, and say how many there are. Without @n only count. */
static u32 choices(u32 n, bool print)
{
	u32 count = 0, i, k;

	for (i = 0; i < NR_THREADS; i++) {
		for (k = 0; k < thread[i].nr; k++) {
			if (thread[i].buffer[k].wmb || !in_order(&thread[i], k) || count++ != n)
				continue;
			if (print)
				printf("#   %s: a store gets out\n", names[i]);
			let_out(&thread[i], k);
			return count;
		}
		if (!can_run(i) || count++ != n)
			continue;
		if (print)
			printf("#   %s: %s\n", names[i], thread[i].where);
		resume(i);
		return count;
	}
	return count;
}

static u64 state(void)
{
	u64 h = 1;
	u32 i, k;

	for (i = 0; i < 16 + s.front.nr; i++)
		h = mix(h, ((u32 *)s.page)[i]);
	h = mix(mix(h, s.stopped), s.done);
	h = mix(mix(h, s.front.pub), s.front.cons);
	for (i = 0; i < NR_THREADS; i++) {
		h = mix(h, thread[i].hash);
		h = mix(h, s.pending[i] | thread[i].waits << 1 | thread[i].timer << 2 | thread[i].ended << 3);
		for (k = 0; k < thread[i].nr; k++)
			h = mix(mix(h, (u64)thread[i].buffer[k].at), thread[i].buffer[k].value);
	}
	return h | 1;
}

static u64 *seen;
static u64 nr_seen;

static bool seen_before(u64 h)
{
	u64 i = h >> 8;

	for (;; i++) {
		u64 *at = &seen[i & ((1u << SEEN_BITS) - 1)];

		if (*at == h)
			return true;
		if (!*at) {
			*at = h;
			if (++nr_seen > (1u << SEEN_BITS) * 3ull / 4) {
				printf("# too many states\n");
				exit(2);
			}
			return false;
		}
	}
}

static struct { u32 choice, of; } path[MAX_STEPS];

/* One way: what @known steps say, then first choices, until it ends. Returns its length. */
static u32 run(u32 ring, u32 known, bool print)
{
	u32 d;

	begin(ring);
	for (d = 0; !bad; d++) {
		if (d >= known) {
			if (seen_before(state()))
				break;
			if (d == MAX_STEPS) {
				printf("# a way of more than %u steps\n", MAX_STEPS);
				exit(2);
			}
			path[d].choice = 0;
			path[d].of = choices(~0u, false);
			if (!path[d].of) {
				if (s.done < slots || !thread[XMIT].ended)
					bad = "stall";
				break;
			}
		} else if (print && d == known - 1) {
			choices(path[d].choice, print);
			return d + 1;
		}
		choices(path[d].choice, print);
	}
	return d;
}

int main(int argc, char **argv)
{
	u32 ring, depth = 0, deepest = 0;
	u64 ways = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: explore SLOTS RING K [answers]\n");
		return 2;
	}
	slots = strtoul(argv[1], NULL, 0);
	ring = strtoul(argv[2], NULL, 0);
	most_k = strtoul(argv[3], NULL, 0);
	answers = argc > 4;
	if (!answers && slots > ring) {
		fprintf(stderr, "without answers the ring must hold all slots\n");
		return 2;
	}
	seen = calloc(1u << SEEN_BITS, sizeof(*seen));

	for (;;) {
		depth = run(ring, depth, false);
		deepest = max(deepest, depth);
		ways++;
		if (bad)
			break;
		while (depth && path[depth - 1].choice + 1 >= path[depth - 1].of)
			depth--;
		if (!depth)
			break;
		path[depth - 1].choice++;
	}
	printf("# %llu states, %llu ways, up to %u steps\n", (unsigned long long)nr_seen,
	       (unsigned long long)ways, deepest);
	if (bad) {
		printf("# %s:\n", bad);
		bad = NULL;
		run(ring, depth, true);
		return 1;
	}
	return 0;
}
