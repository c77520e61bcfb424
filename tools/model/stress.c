// SPDX-License-Identifier: GPL-2.0
/*
 * The real ring.h and batch.c between three threads: xmit produces requests, back
 * consumes them and answers, reap consumes the answers. They sleep on futexes
 * where the drivers wait for an event, and are held up at random beside the
 * barriers. A stall: all of them asleep, and slots left.
 *
 * usage: stress SLOTS SEED K RING TAU
 * K: slots that back waits for, 0 = batch.c decides; RING: slots of the ring, a
 * power of two; TAU: microseconds. -DNO_C, -DNO_D: without that barrier.
 * -DHOLD_STORES: held up after each store to shared memory as well.
 */
#define _GNU_SOURCE
#include <asm/barrier.h>
#include <errno.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <pvnet/batch.h>

static __thread u32 seed;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* Mostly not at all, else up to some microseconds. */
static void hold_up(void)
{
	u32 n = rnd();

	for (n = n % 16 ? 0 : (n >> 16) % 2048; n; n--)
		__asm__ __volatile__("" ::: "memory");
}

/* ring.h has a full barrier in two functions: C in publish, D in arm. */
static inline __attribute__((__always_inline__)) void full_barrier(bool dropped)
{
	if (dropped) {
		__asm__ __volatile__("" ::: "memory");
		return;
	}
	hold_up();
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	hold_up();
}

#ifdef NO_C
#define WITHOUT_C	true
#else
#define WITHOUT_C	false
#endif
#ifdef NO_D
#define WITHOUT_D	true
#else
#define WITHOUT_D	false
#endif

/* Between a store that the peer sees and what comes next, too. */
#ifdef HOLD_STORES
#undef WRITE_ONCE
#define WRITE_ONCE(x, v) do {					\
	*(volatile __typeof__(x) *)&(x) = (v);			\
	hold_up();						\
} while (0)
#endif

#undef virt_mb
#define virt_mb() \
	full_barrier(!strcmp(__func__, "pvn_ring_publish") ? WITHOUT_C : \
		     !strcmp(__func__, "pvn_ring_arm") && WITHOUT_D)
#include <pvnet/ring.h>

/* <linux/futex.h> does not go together with the shim's <linux/types.h>. */
#define FUTEX_WAIT_PRIVATE	128
#define FUTEX_WAKE_PRIVATE	129

#define NS		1000000000ull
#define LOOK		10000	/* us; a stall is 200 of them, and tau */
#define FOREVER		(~0ull)

/* An event channel: latched, and taken by whoever waits. */
struct chan {
	u32 pending;
	u32 asleep;		/* 1: until the event; 2: with a timeout */
	u64 events, wakes, expired;
};

static struct chan to_back, to_reap, to_xmit;
static struct pvn_ring front, back;
static u32 stopped;
static u64 done;		/* slots answered, and the answers taken */
static u64 slots, tau, held_back, flushed, batches;
static u32 fixed_k, finish;
static struct pvn_batch batch;

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS + ts.tv_nsec;
}

static void fail(const char *what)
{
	printf("# %s: %llu of %llu slots done; sleeps: xmit %u, back %u, reap %u\n", what,
	       (unsigned long long)done, (unsigned long long)slots,
	       READ_ONCE(to_xmit.asleep), READ_ONCE(to_back.asleep), READ_ONCE(to_reap.asleep));
	printf("# made %u, requests seen %u, answered %u, answers seen %u, stopped %u\n",
	       front.pub, back.cons, back.pub, front.cons, stopped);
	fflush(stdout);
	_exit(1);
}

static void raise_event(struct chan *c)
{
	c->events++;
	if (!__atomic_exchange_n(&c->pending, 1, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &c->pending, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Returns whether an event came. */
static bool wait_event(struct chan *c, u64 timeout)
{
	u64 end = timeout == FOREVER ? 0 : now() + timeout, t;
	bool came;

	WRITE_ONCE(c->asleep, end ? 2 : 1);
	while (!(came = __atomic_exchange_n(&c->pending, 0, __ATOMIC_SEQ_CST))) {
		struct timespec ts = {};

		t = end ? now() : 0;
		if (end && t >= end)
			break;
		if (end) {
			ts.tv_sec = (end - t) / NS;
			ts.tv_nsec = (end - t) % NS;
		}
		syscall(SYS_futex, &c->pending, FUTEX_WAIT_PRIVATE, 0, end ? &ts : NULL,
			NULL, 0);
	}
	WRITE_ONCE(c->asleep, 0);
	c->wakes++;
	return came;
}

/* ---------------------------------------------------------------- producer */

static u32 room(void)
{
	return pvn_ring_unused(&front);
}

static void publish(struct pvn_ring *r, struct chan *c)
{
	if (pvn_ring_publish(r)) {
		hold_up();
		raise_event(c);
	} else {
		held_back++;
	}
}

static void stop(void)
{
	__atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* E */
	hold_up();
	if (room())
		__atomic_store_n(&stopped, 0, __ATOMIC_RELAXED);
}

static void burst(u64 *left)
{
	u32 n = 1 + rnd() % 8;

	while (n-- && *left && room()) {
		u32 words[3] = { front.prod, ~front.prod, 'q' };

		pvn_ring_write(&front, front.prod++, words, 3);
		--*left;
	}
	if (!room())
		stop();
	publish(&front, &to_back);
	if (READ_ONCE(stopped) && pvn_ring_waits(&front)) {
		flushed++;
		raise_event(&to_back);
	}
	while (READ_ONCE(stopped))
		wait_event(&to_xmit, FOREVER);
}

static void *xmit(void *arg)
{
	u64 left = slots;

	seed = *(u32 *)arg | 1;
	while (left) {
		burst(&left);
		if (!(rnd() % 64))			/* a pause: all go to sleep */
			usleep(rnd() % 64);
	}
	return NULL;
}

/* -------------------------------------------------------------------- back */

static void answer(u32 n)
{
	while (n--) {
		u32 words[3];

		pvn_ring_read(&back, back.cons, words, 3);
		if (words[0] != back.cons || words[1] != ~back.cons || words[2] != 'q')
			fail("a request that was not written");
		words[2] = 's';
		back.cons++;
		pvn_ring_write(&back, back.prod++, words, 3);
	}
}

static u32 serve(void)
{
	u32 n = pvn_ring_pending(&back), all = 0;

	for (; n; n = pvn_ring_pending(&back)) {
		if (n > back.nr)
			fail("more requests than the ring holds");
		answer(n);
		publish(&back, &to_reap);
		all += n;
		hold_up();
	}
	return all;
}

/* Sleep; returns whether the time was over with nothing there. */
static bool nap(u32 k)
{
	u64 start = now();
	bool came = wait_event(&to_back, k > 1 ? tau : FOREVER);
	u32 n = pvn_ring_pending(&back);

	batches++;
	if (!came)
		to_back.expired++;
	if (n >= k)
		pvn_batch_filled(&batch, k, PVN_BATCH_MAX, now() - start, tau);
	else if (!came)
		pvn_batch_expired(&batch, n);
	return !came && !n;
}

static void *backend(void *arg)
{
	bool idle = false;
	u32 k;

	seed = *(u32 *)arg | 1;
	pvn_batch_init(&batch);
	while (!READ_ONCE(finish)) {
		serve();
		k = idle ? 1 : fixed_k ? fixed_k : batch.k;
		if (pvn_ring_arm(&back, k) < k)
			idle = nap(k);
	}
	return NULL;
}

/* -------------------------------------------------------------------- reap */

static void reap_slots(u32 n)
{
	u32 words[3], i;

	for (i = 0; i < n; i++) {
		pvn_ring_read(&front, front.cons + i, words, 3);
		if (words[0] != front.cons + i || words[2] != 's')
			fail("an answer that was not written");
	}
	WRITE_ONCE(front.cons, front.cons + n);
	WRITE_ONCE(done, done + n);
	hold_up();
	__atomic_thread_fence(__ATOMIC_SEQ_CST);		/* F */
	hold_up();
	if (__atomic_load_n(&stopped, __ATOMIC_RELAXED) && room()) {
		__atomic_store_n(&stopped, 0, __ATOMIC_SEQ_CST);
		raise_event(&to_xmit);
	}
}

static void *reap(void *arg)
{
	u32 n, k;

	seed = *(u32 *)arg | 1;
	while (!READ_ONCE(finish)) {
		while ((n = pvn_ring_pending(&front))) {
			if (n > READ_ONCE(front.pub) - front.cons)
				fail("more answers than requests");
			reap_slots(n);
		}
		k = max((READ_ONCE(front.pub) - front.cons) / 2, 1u);
		if (pvn_ring_arm(&front, k) < k)
			wait_event(&to_reap, FOREVER);
	}
	return NULL;
}

/* -------------------------------------------------------------------- main */

static bool all_asleep(bool sent)
{
	return (sent || READ_ONCE(to_xmit.asleep) == 1) && READ_ONCE(to_back.asleep) == 1 &&
	       READ_ONCE(to_reap.asleep) == 1 && !READ_ONCE(to_back.pending) &&
	       !READ_ONCE(to_reap.pending) && !READ_ONCE(to_xmit.pending);
}

/*
 * On a busy machine a thread may not run for long, and a virtual one may stand
 * still: neither is a stall. So looks are counted, not seconds.
 */
static void watch(pthread_t sender)
{
	u32 looks = 0, most = 200 + tau / (LOOK * 1000);
	u64 last = 0, seen;
	bool sent = false;

	while ((seen = READ_ONCE(done)) < slots) {
		usleep(LOOK);
		if (!sent)
			sent = !pthread_tryjoin_np(sender, NULL);
		looks = seen == last && all_asleep(sent) ? looks + 1 : 0;
		last = seen;
		if (looks > most)
			fail("stall");
	}
	if (!sent)
		pthread_join(sender, NULL);
}

static void report(double seconds)
{
	printf("# %llu slots, %.2f s, %.0f slots/s; publications without an event: %llu, flushes: %llu\n",
	       (unsigned long long)slots, seconds, slots / seconds,
	       (unsigned long long)held_back, (unsigned long long)flushed);
	printf("# back: %llu events, %llu wakes, %llu by the timer, K %u at last; reap: %llu events, %llu wakes; xmit: %llu stops\n",
	       (unsigned long long)to_back.events, (unsigned long long)to_back.wakes,
	       (unsigned long long)to_back.expired, fixed_k ? fixed_k : batch.k,
	       (unsigned long long)to_reap.events, (unsigned long long)to_reap.wakes,
	       (unsigned long long)to_xmit.wakes);
}

int main(int argc, char **argv)
{
	void *(*const threads[])(void *) = { xmit, backend, reap };
	void *page = aligned_alloc(4096, 4096);
	pthread_t id[3];
	u32 seeds[3], i;
	u64 start;

	if (argc != 6) {
		fprintf(stderr, "usage: stress SLOTS SEED K RING TAU\n");
		return 2;
	}
	slots = strtoull(argv[1], NULL, 0);
	fixed_k = strtoul(argv[3], NULL, 0);
	tau = strtoull(argv[5], NULL, 0) * 1000;
	memset(page, 0, 4096);
	pvn_sring_init(page);
	pvn_ring_attach_front(&front, page, strtoul(argv[4], NULL, 0), 12);
	pvn_ring_attach_back(&back, page, front.nr, 12);

	start = now();
	for (i = 0; i < 3; i++) {
		seeds[i] = (strtoul(argv[2], NULL, 0) + 1) * 2654435761u + i * 40503;
		pthread_create(&id[i], NULL, threads[i], &seeds[i]);
	}
	watch(id[0]);
	report((now() - start) / 1e9);
	WRITE_ONCE(finish, 1);
	raise_event(&to_back);
	raise_event(&to_reap);
	pthread_join(id[1], NULL);
	pthread_join(id[2], NULL);
	return 0;
}
