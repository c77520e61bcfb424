/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One ring with both of its ends: who sleeps, who wakes whom, and with what.
 * tools/model/run says how it is checked; Documentation/model.rst what it shows.
 *
 *   -DRING=n		slots
 *   -DKMAX=n		slots that a consumer waits for, at most
 *   -DSPURIOUS=n	events that nobody asked for, at most
 *   -DGHOSTS	count interrupts, and times that the timer finds nothing
 *   -DCOMPLETIONS	the ring carries answers: K follows from what is in flight
 *
 * What is what in C:
 *
 *   Producer, Xmit	the caller: pvn_front_xmit(), do_batch() ...
 *   publish()		pvn_publish(), pvn_ring_publish()
 *   flush()		pvn_flush(), pvn_ring_waits()
 *   Memory		the store buffers of the CPUs
 *   Irq		Xen's pending bit and late-EOI mask; pvn_chan_event()
 *   Timer		wake_timer() in wake.c
 *   schedule()		napi_schedule()
 *   Napi		pvn_from_poll(), poll() in queue.c, as follows
 *   begin()		pvn_wake_begin(), clear_deadline()
 *   serve:		do_batch(), pvn_rx_poll(), pvn_tx_reap()
 *   reaped()		wake() in tx.c
 *   choose_k()		choose_k() and w->idle; answers_wanted()
 *   arm()		pvn_wake_arm(), pvn_arm(), pvn_ring_arm()
 *   set_deadline()	set_deadline()
 *   complete:		napi_complete_done()
 *   eoi()		pvn_chan_done()
 *   Netpoll		poll_one_napi() of the kernel: a poll with budget 0, also
 *			when it was not scheduled
 *
 * A timer that is queued may fire at any moment, so all times are covered. The
 * producer may stop for good wherever it has a choice. So each state in which
 * nothing can happen any more is one in which nothing ever will: Check looks at
 * these. A lost wake-up is such a state with slots left on the ring.
 */
#ifndef RING
#define RING		2
#endif
#ifndef KMAX
#define KMAX		2
#endif
#define M		(RING + KMAX + 1)	/* indices wrap here */
#ifndef SPURIOUS
#define SPURIOUS	1
#endif

#define SUB(a, b)	(((a) + M - (b)) % M)
#define ADD(a, b)	(((a) + (b)) % M)

/*
 * Only differences of indices matter. So whenever the consumer goes forward, all
 * are moved back by as much, and its own is always 0: an eighth of the states.
 */

/* Shared memory, and a store in front of it that others do not see yet. */
byte mprod, mevent = 1;
byte bprod, bevent;
bool bprod_full, bevent_full;

/* The producer's own */
byte pub;

/* The consumer's own */
byte wk;
bool idle;
#ifdef OLD_CONS
byte before;
#endif

/* Event channel, NAPI, timer */
bool pending, masked, owed;
bool sched = 1, missed, polling;
bool deadline, moved, queued, expired;

/* Not in C: what the assertions need */
#ifdef GHOSTS
byte interrupts;	/* since NAPI was complete */
bool empty_expiry;	/* the timer found nothing, and nothing has come since */
#endif

#ifdef COMPLETIONS
byte req;		/* requests, as published */
byte mcons, bcons;	/* what xmit sees of the consumer's index */
bool bcons_full;
bool mstop, bstop, bstop_full;	/* the queue is stopped */
#define ROOM	(SUB(req, mcons) < RING)
#endif

inline schedule()
{
	d_step {
		if
		:: sched -> missed = 1
		:: else -> sched = 1
		fi
	}
}

active proctype Memory()
{
end:	do
	:: d_step { bprod_full -> mprod = bprod; bprod = 0; bprod_full = 0 }
	:: d_step { bevent_full -> mevent = bevent; bevent = 0; bevent_full = 0 }
#ifdef COMPLETIONS
	:: d_step { bcons_full -> mcons = bcons; bcons = 0; bcons_full = 0 }
	:: d_step { bstop_full -> mstop = bstop; bstop = 0; bstop_full = 0 }
#endif
	od
}

/* ---------------------------------------------------------------- producer */

inline store_prod(n)
{
	bprod = ADD(pub, n); bprod_full = 1;
	pub = bprod; new = n
}

inline publish()
{
#ifndef NO_C
	!bprod_full;				/* C */
#endif
	d_step { raise = SUB(pub, mevent) < new; new = 0 }
	if
	:: raise -> d_step { pending = 1; raise = 0 }
	:: else
	fi
}

/*
 * A consumer that sleeps, and waits for at least two more slots, with some there,
 * must not be left to its timer.
 */
inline flush()
{
	d_step {
#ifndef NO_FLUSH
		raise = SUB(mevent, pub) >= 2 && SUB(mevent, pub) <= RING;
#endif
		assert(raise || pending || masked || sched || pub == 0 || pub + 2 > wk)
	}
	if
	:: raise -> d_step { pending = 1; raise = 0 }
	:: else
	fi
}

#ifndef COMPLETIONS
/* Slots of a burst are not seen before it is published: so it is made in one step. */
active proctype Producer()
{
	byte new;
	bool raise;

again:	if
	:: d_step { !bprod_full && pub + 1 <= RING -> store_prod(1) }
	:: d_step { !bprod_full && pub + 2 <= RING -> store_prod(2) }
	:: d_step { !bprod_full && pub + 3 <= RING -> store_prod(3) }
	:: d_step { !bprod_full && pub + 4 <= RING -> store_prod(4) }
	:: goto done
	fi;
	publish();
progress:
	if
	:: pub < RING
	:: flush()				/* full, or BQL stops the queue */
	fi;
	goto again;
done:	skip
}
#else
/* Publishes requests. The peer sees them all, and always goes on. */
active proctype Xmit()
{
again:	if
	:: d_step { ROOM -> req = ADD(req, 1) }
	:: goto done
	fi;
	if
	:: ROOM -> goto again
	:: else
	fi;
	d_step { !bstop_full -> bstop = 1; bstop_full = 1 }	/* stop_if_full() */
#ifndef NO_E
	!bstop_full;				/* E */
#endif
	if
	:: d_step {
		ROOM ->
		if
		:: bstop_full -> bstop = 0
		:: else -> mstop = 0
		fi
	   }
	:: else
	fi;
	!bstop_full && !mstop;			/* until the queue is woken */
	goto again;
done:	skip
}

active proctype Producer()
{
	byte new;
	bool raise;

end:	do
	:: d_step { !bprod_full && SUB(req, pub) >= 1 -> store_prod(1) }
	   publish()
	:: d_step { !bprod_full && SUB(req, pub) >= 2 -> store_prod(2) }
	   publish()
	:: d_step { !bprod_full && SUB(req, pub) >= 3 -> store_prod(3) }
	   publish()
	od
}
#endif

/* ------------------------------------------------------------------ events */

active proctype Irq()
{
end:	do
	:: d_step {
		pending && !masked ->
		pending = 0; masked = 1;
#ifdef GHOSTS
		assert(interrupts < 2);		/* one, and one from before the EOI */
		interrupts++
#endif
	   }
	   owed = 1;
	   schedule()
	od
}

#if SPURIOUS
active proctype Peer()
{
	byte left = SPURIOUS;

end:	do
	:: left -> d_step { pending = 1; left-- }
	od
}
#endif

#ifndef COMPLETIONS
active proctype Timer()
{
end:	do
	:: atomic {
		queued ->
		if
		:: deadline && moved -> moved = 0; goto end	/* early: forward */
		:: expired = deadline; queued = 0; moved = 0
		fi
	   }
	   if
	   :: expired -> schedule()
	   :: !expired
	   fi
	od
}
#endif

/* ---------------------------------------------------------------- consumer */

inline set_deadline()
{
#if defined(NO_TIMER) || defined(COMPLETIONS)
	skip
#else
	d_step {
		deadline = 1;
		if
		:: queued -> moved = 1
		:: else -> queued = 1; moved = 0
		fi
	}
#endif
}

inline begin()
{
	if
	:: wk > 1 ->
		d_step { wk = 0; was = expired; expired = 0; deadline = 0 }
		d_step {
			idle = was && mprod == 0;
			was = 0;
#ifdef GHOSTS
			assert(!(idle && empty_expiry));	/* an idle link has no timer */
			empty_expiry = idle
#endif
		}
	:: wk == 1 ->
		d_step {
			wk = 0; idle = 0;
#ifdef GHOSTS
			empty_expiry = 0
#endif
		}
	:: else
	fi
}

/* The consumer's index is always 0: all others go back. */
#define BACK(i)	i = SUB(i, n)

inline consume()
{
	d_step {
		assert(n <= RING);
		BACK(mprod); BACK(mevent); BACK(pub);
#ifdef OLD_CONS
		BACK(before);
#endif
#ifdef COMPLETIONS
		BACK(req); BACK(mcons);
		if
		:: bcons_full -> BACK(bcons)
		:: else
		fi;
#endif
		if
		:: bprod_full -> BACK(bprod)
		:: else
		fi;
		if
		:: bevent_full -> BACK(bevent)
		:: else
		fi;
#ifdef GHOSTS
		empty_expiry = 0;
#endif
		n = 0
	}
}

inline choose_k()
{
#ifdef COMPLETIONS
#ifdef K_ABOVE
	k = req + 1
#else
	d_step {
		if
		:: req >= 4 -> k = 2		/* half of what is in flight */
		:: else -> k = 1
		fi
	}
#endif
#else
	if
	:: k = 1
#ifdef IDLE_TIMER
	:: KMAX >= 2 -> k = 2
#else
	:: KMAX >= 2 && !idle -> k = 2
	:: KMAX >= 3 && !idle -> k = 3
#endif
	fi
#endif
}

inline arm()
{
	d_step {
		!bevent_full ->
#ifdef OLD_CONS
		bevent = ADD(before, k);
#else
		bevent = k;
#endif
		bevent_full = 1
	}
#ifndef NO_D
	!bevent_full				/* D */
#else
	skip
#endif
}

inline reaped()
{
#ifdef COMPLETIONS
	d_step { !bcons_full -> bcons = 0; bcons_full = 1 }
#ifndef NO_F
	!bcons_full;				/* F */
#endif
	d_step {
		if
		:: mstop -> mstop = 0		/* there is room, after n > 0 */
		:: else
		fi
	}
#else
	skip
#endif
}

inline eoi()
{
#ifdef EOI_TWICE
	if
	:: owed -> d_step { assert(masked); masked = 0 }
		   owed = 0
	:: else
	fi
#else
	if
	:: d_step { owed -> owed = 0 }
	   d_step { assert(masked); masked = 0 }
	:: d_step { !owed -> skip }
	fi
#endif
}

active proctype Napi()
{
	byte n, k;
	bool was;

end:	do
	:: atomic { sched && !polling -> polling = 1 }
	   begin();
#ifdef OLD_CONS
	   before = 0;
#endif
serve:	   n = mprod;
	   if
	   :: n ->
		consume();
		reaped();
		if
		:: goto serve
		:: goto again			/* budget */
		fi
	   :: else
	   fi;
#ifdef EOI_EARLY
	   eoi();
#endif
	   choose_k();
	   arm();
#ifndef NO_RECHECK
	   if
	   :: mprod >= k -> goto again
	   :: else
	   fi;
#endif
	   wk = k;
	   if
	   :: k > 1 -> set_deadline()
	   :: else
	   fi;
	   /* complete: an atomic instruction, so stores before it are seen */
	   atomic {
		!bevent_full ->
		if
		:: missed -> missed = 0; goto again
		:: else -> sched = 0
		fi;
#ifdef GHOSTS
		interrupts = 0
#endif
	   }
#ifndef EOI_EARLY
	   eoi();
#endif
again:	   atomic { k = 0; polling = 0 }
	od
}

#ifdef NETPOLL
active proctype Netpoll()
{
	bool was;

end:	do
	:: atomic { !polling -> polling = 1 }
#ifdef NETPOLL_BEGINS
	   begin();
#endif
	   polling = 0;
	   break
	od
}
#endif

/* ------------------------------------------------------------------- check */

active proctype Check()
{
end:	timeout ->
	assert(mprod == 0 && pub == 0);		/* nothing is left */
	assert(!queued && !deadline && wk == 1);	/* asleep, without a timer */
	assert(!sched && !pending && !masked && !owed);
#ifdef COMPLETIONS
	assert(req == 0 && mcons == 0 && !mstop)
#endif
}
