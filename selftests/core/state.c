// SPDX-License-Identifier: GPL-2.0
/* The xenbus state tables: each cell, and both ends against each other. */
#include <stdio.h>
#include <string.h>

#include <pvnet/core.h>

#include "ktap.h"

/*
 * The tables once more, by hand. A row: what to do when the peer is Unknown,
 * Initialising, InitWait, Initialised, Connected, Closing, Closed,
 * Reconfiguring, Reconfigured.
 */
static const char *const front_rows[PVN_ST_COUNT] = {
	[PVN_ST_UNKNOWN]	= ".........",
	[PVN_ST_INITIALISING]	= "..C..x...",
	[PVN_ST_INIT_WAIT]	= ".........",
	[PVN_ST_INITIALISED]	= ".........",
	[PVN_ST_CONNECTED]	= "x...Lxx..",
	[PVN_ST_CLOSING]	= "x....xx..",
	[PVN_ST_CLOSED]		= ".........",
	[PVN_ST_RECONFIGURING]	= ".........",
	[PVN_ST_RECONFIGURED]	= ".........",
};

static const char *const back_rows[PVN_ST_COUNT] = {
	[PVN_ST_UNKNOWN]	= ".........",
	[PVN_ST_INITIALISING]	= "R....xx..",
	[PVN_ST_INIT_WAIT]	= "RP..Cxx..",
	[PVN_ST_INITIALISED]	= ".........",
	[PVN_ST_CONNECTED]	= "RP...xx..",
	[PVN_ST_CLOSING]	= "RP....x..",
	[PVN_ST_CLOSED]		= "RP..C.x..",
	[PVN_ST_RECONFIGURING]	= ".........",
	[PVN_ST_RECONFIGURED]	= ".........",
};

static enum pvn_action action_of(char c)
{
	switch (c) {
	case 'C': return PVN_ACT_CONNECT;
	case 'L': return PVN_ACT_LIVE;
	case 'P': return PVN_ACT_PREPARE;
	case 'x': return PVN_ACT_CLOSE;
	case 'R': return PVN_ACT_REMOVE;
	}
	return PVN_ACT_NONE;
}

static void cells(void)
{
	u32 own, peer;

	for (own = 0; own < PVN_ST_COUNT; own++)
	for (peer = 0; peer < PVN_ST_COUNT; peer++) {
		enum pvn_action back = action_of(back_rows[own][peer]);

		test_context("own %u, peer %u", own, peer);
		EXPECT_EQ(pvn_front_action(own, peer),
			  action_of(front_rows[own][peer]));
		EXPECT_EQ(pvn_back_action(own, peer, true), back);
		if ((back == PVN_ACT_PREPARE && own != PVN_ST_INIT_WAIT) ||
		    (back == PVN_ACT_CLOSE && peer == PVN_ST_CLOSED))
			back = PVN_ACT_REMOVE;
		EXPECT_EQ(pvn_back_action(own, peer, false), back);
	}
}

/* What is in xenstore is not to be trusted. */
static void out_of_range(void)
{
	static const unsigned int bad[] = { PVN_ST_COUNT, PVN_ST_COUNT + 1, 255, 256,
					    257, 0x7fffffff, 0x80000000, 0xffffffff };
	u32 i, ok;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
	for (ok = 0; ok < PVN_ST_COUNT; ok++) {
		EXPECT_EQ(pvn_front_action(bad[i], ok), PVN_ACT_NONE);
		EXPECT_EQ(pvn_front_action(ok, bad[i]), PVN_ACT_NONE);
		EXPECT_EQ(pvn_back_action(bad[i], ok, true), PVN_ACT_NONE);
		EXPECT_EQ(pvn_back_action(ok, bad[i], false), PVN_ACT_NONE);
	}
}

/* --------------------------------------------------------- the explorer */

/*
 * Both ends and the store. An end that has not yet looked at the peer's newest
 * state is "due"; watches coalesce, so it sees the newest only. The toolstack
 * writes the backend's node behind its back: so the node and what the backend
 * knows of itself may differ.
 */
struct world {
	u8 front, back, node;
	bool front_due, back_due;
	bool online, removed;
	u8 plan;		/* what the users still intend to do */
};

enum {
	PLAN_NOTHING,
	PLAN_CLOSE,		/* frontend unloads, at any time */
	PLAN_CLOSE_REOPEN,	/* and is loaded again after the backend's Closed */
	PLAN_REOPEN,
	PLAN_HASTE,		/* as the last two, but waits for nobody */
	PLAN_HASTE_REOPEN,
	PLAN_GONE,		/* the guest is destroyed, at any time */
};

#define WORLDS	4096

struct explorer {
	struct world seen[WORLDS];
	u8 colour[WORLDS];	/* 1 on the path, 2 done */
	u32 nr;
	const char *(*accept)(const struct world *w);
	u32 ends;		/* quiet worlds reached */
};

static struct explorer ex;

static void front_looks(struct world *w)
{
	u8 old = w->front;

	w->front_due = false;
	switch (pvn_front_action(w->front, w->node)) {
	case PVN_ACT_CONNECT:
		w->front = PVN_ST_CONNECTED;
		break;
	case PVN_ACT_CLOSE:
		w->front = PVN_ST_CLOSED;
		break;
	case PVN_ACT_NONE:
	case PVN_ACT_LIVE:
		break;
	default:
		EXPECT(!"frontend was told to act as a backend");
	}
	w->back_due |= w->front != old;
}

static void back_is(struct world *w, u8 state)
{
	if (state == w->back)	/* xenbus_switch_state() writes changes only */
		return;
	w->back = state;
	w->node = state;
	w->front_due = true;
}

static void back_looks(struct world *w)
{
	w->back_due = false;
	switch (pvn_back_action(w->back, w->front, w->online)) {
	case PVN_ACT_CONNECT:
		back_is(w, PVN_ST_CONNECTED);
		break;
	case PVN_ACT_PREPARE:
		back_is(w, PVN_ST_INIT_WAIT);
		break;
	case PVN_ACT_CLOSE:
		back_is(w, w->front);
		break;
	case PVN_ACT_REMOVE:
		back_is(w, PVN_ST_CLOSED);
		w->removed = true;
		w->back_due = false;
		break;
	case PVN_ACT_NONE:
		break;
	default:
		EXPECT(!"backend was told to act as a frontend");
	}
}

static void front_is(struct world *w, u8 state, u8 plan)
{
	w->front = state;
	w->back_due = !w->removed;
	w->front_due = true;	/* whoever writes a state looks at the peer's */
	w->plan = plan;
}

/* The users' next step, if it can be done now. */
static bool user_step(struct world *w)
{
	switch (w->plan) {
	case PLAN_CLOSE:
		front_is(w, PVN_ST_CLOSING, PLAN_NOTHING);
		return true;
	case PLAN_CLOSE_REOPEN:
		front_is(w, PVN_ST_CLOSING, PLAN_REOPEN);
		return true;
	case PLAN_REOPEN:
		if (w->front != PVN_ST_CLOSED || w->node != PVN_ST_CLOSED)
			return false;
		front_is(w, PVN_ST_INITIALISING, PLAN_NOTHING);
		return true;
	case PLAN_HASTE:
		front_is(w, PVN_ST_CLOSING, PLAN_HASTE_REOPEN);
		return true;
	case PLAN_HASTE_REOPEN:
		front_is(w, PVN_ST_INITIALISING, PLAN_NOTHING);
		return true;
	case PLAN_GONE:
		front_is(w, PVN_ST_UNKNOWN, PLAN_NOTHING);
		w->front_due = false;
		return true;
	}
	return false;
}

static void explore(struct world w);

/* One of the things that can happen next; false when it cannot. */
static bool step(struct world w, u32 which)
{
	switch (which) {
	case 0:
		if (!w.front_due)
			return false;
		front_looks(&w);
		break;
	case 1:
		if (!w.back_due)
			return false;
		back_looks(&w);
		break;
	case 2:		/* the backend's probe gets done */
		if (w.back != PVN_ST_INITIALISING || w.removed)
			return false;
		back_is(&w, PVN_ST_INIT_WAIT);
		break;
	case 3:
		if (!user_step(&w))
			return false;
		break;
	}
	explore(w);
	return true;
}

static void explore(struct world w)
{
	bool quiet = true;
	u32 i, me;

	for (i = 0; i < ex.nr; i++) {
		if (memcmp(&ex.seen[i], &w, sizeof(w)))
			continue;
		if (ex.colour[i] == 1)
			test_fail(__FILE__, __LINE__, "front %u, back %u go round in circles",
				  w.front, w.back);
		return;
	}
	if (ex.nr == WORLDS) {
		EXPECT(!"too many worlds");
		return;
	}
	me = ex.nr++;
	ex.seen[me] = w;
	ex.colour[me] = 1;
	for (i = 0; i < 4; i++)
		if (step(w, i))
			quiet = false;
	ex.colour[me] = 2;
	if (quiet) {
		const char *error = ex.accept(&w);

		ex.ends++;
		if (error)
			test_fail(__FILE__, __LINE__, "%s: front %u, back %u, node %u",
				  error, w.front, w.back, w.node);
	}
}

static void explore_from(struct world w, const char *(*accept)(const struct world *w))
{
	memset(&ex, 0, sizeof(ex));
	ex.accept = accept;
	explore(w);
	EXPECT(ex.ends > 0);
}

static const char *both_connected(const struct world *w)
{
	return w->front == PVN_ST_CONNECTED && w->back == PVN_ST_CONNECTED ?
	       NULL : "not connected";
}

static const char *both_closed(const struct world *w)
{
	return w->front == PVN_ST_CLOSED && w->back == PVN_ST_CLOSED ?
	       NULL : "not closed";
}

static const char *connected_or_closed(const struct world *w)
{
	return both_connected(w) && both_closed(w) ? "half connected" : NULL;
}

static const char *gone(const struct world *w)
{
	return w->removed ? NULL : "not removed";
}

static const u8 back_starts[] = { PVN_ST_INITIALISING, PVN_ST_INIT_WAIT,
				  PVN_ST_CONNECTED, PVN_ST_CLOSED };

static struct world start(u8 front, u8 back, u8 plan)
{
	struct world w;

	memset(&w, 0, sizeof(w));	/* padding is compared */
	w.front = front;
	w.back = back;
	w.node = back;
	w.front_due = true;
	w.back_due = true;
	w.online = true;
	w.plan = plan;
	return w;
}

static void from_all_starts(u8 plan, const char *(*accept)(const struct world *w))
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(back_starts); i++) {
		test_context("backend starts in %u", back_starts[i]);
		explore_from(start(PVN_ST_INITIALISING, back_starts[i], plan), accept);
	}
}

static void live_connect(void)
{
	from_all_starts(PLAN_NOTHING, both_connected);
}

static void live_close(void)
{
	from_all_starts(PLAN_CLOSE, both_closed);
}

static void live_reopen(void)
{
	from_all_starts(PLAN_CLOSE_REOPEN, both_connected);
}

/*
 * A frontend that meets a backend still in Closing may have to give up (it
 * cannot tell this from a detach): a state that the next attempt leaves.
 */
static void live_haste(void)
{
	from_all_starts(PLAN_HASTE, connected_or_closed);
	explore_from(start(PVN_ST_INITIALISING, PVN_ST_CLOSING, PLAN_NOTHING),
		     connected_or_closed);
	explore_from(start(PVN_ST_INITIALISING, PVN_ST_CLOSED, PLAN_NOTHING),
		     both_connected);
}

static void live_destroy(void)
{
	from_all_starts(PLAN_GONE, gone);
}

/* The toolstack: online = 0 and Closing, both written behind the backend's back. */
static void live_detach(void)
{
	struct world w = start(PVN_ST_CONNECTED, PVN_ST_CONNECTED, PLAN_NOTHING);

	w.back_due = false;
	w.online = false;
	w.node = PVN_ST_CLOSING;
	explore_from(w, gone);
	w.front = PVN_ST_INITIALISING;	/* still waiting for InitWait */
	w.back = PVN_ST_INITIALISING;
	w.node = PVN_ST_CLOSING;
	test_context("frontend waits");
	front_looks(&w);
	EXPECT_EQ(w.front, PVN_ST_CLOSED);
	back_looks(&w);
	EXPECT(w.removed);
}

/* The backend's driver is unloaded: it closes, the frontend follows. */
static void live_back_unloads(void)
{
	struct world w = start(PVN_ST_CONNECTED, PVN_ST_CONNECTED, PLAN_NOTHING);

	w.back_due = false;
	back_is(&w, PVN_ST_CLOSING);
	explore_from(w, both_closed);
	w.node = PVN_ST_UNKNOWN;	/* its directory is gone */
	front_looks(&w);
	EXPECT_EQ(w.front, PVN_ST_CLOSED);
}

SUITE(state,
	{ "each cell", cells },
	{ "numbers out of range", out_of_range },
	{ "explorer: connect from each start", live_connect },
	{ "explorer: close at any time", live_close },
	{ "explorer: close and open again", live_reopen },
	{ "explorer: open without waiting", live_haste },
	{ "explorer: guest destroyed at any time", live_destroy },
	{ "explorer: detach", live_detach },
	{ "explorer: backend unloads", live_back_unloads });
