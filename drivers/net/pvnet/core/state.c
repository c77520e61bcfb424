// SPDX-License-Identifier: GPL-2.0
/*
 * The xenbus state machine as tables: what an end does, by its own state (row)
 * and the state that its peer has just shown (column).
 *
 *	frontend			backend
 *	Initialising			Initialising
 *	     |				InitWait	(vifD.N exists, features written)
 *	Connected (rings, keys)	<------'
 *	     `------------------------> Connected	(rings mapped, hotplug script done)
 *	Closing, Closed		<-----> Closing, Closed
 *
 * After Closed either end may start again: the frontend by Initialising, which
 * the backend answers with InitWait.
 */
#include <linux/export.h>

#include <pvnet/core.h>

#define NONE	PVN_ACT_NONE
#define CONN	PVN_ACT_CONNECT
#define LIVE	PVN_ACT_LIVE
#define PREP	PVN_ACT_PREPARE
#define CLOSE	PVN_ACT_CLOSE
#define REMOVE	PVN_ACT_REMOVE

/*
 * A frontend that waits ignores a Closed backend: that is what the last one
 * left behind, and InitWait will come.
 */
static const u8 front[PVN_ST_COUNT][PVN_ST_COUNT] = {
	/* backend:	    Unkn   Init   InitW  Inited Conn   Closing Closed Recfg  Recfgd */
	[PVN_ST_INITIALISING] = {
			    NONE,  NONE,  CONN,  NONE,  NONE,  CLOSE,  NONE,  NONE,  NONE },
	[PVN_ST_CONNECTED] = {
			    CLOSE, NONE,  NONE,  NONE,  LIVE,  CLOSE,  CLOSE, NONE,  NONE },
	[PVN_ST_CLOSING] = {
			    CLOSE, NONE,  NONE,  NONE,  NONE,  CLOSE,  CLOSE, NONE,  NONE },
};

static const u8 back[PVN_ST_COUNT][PVN_ST_COUNT] = {
	/* frontend:	    Unkn    Init   InitW  Inited Conn   Closing Closed Recfg  Recfgd */
	[PVN_ST_INITIALISING] = {
			    REMOVE, NONE,  NONE,  NONE,  NONE,  CLOSE,  CLOSE, NONE,  NONE },
	[PVN_ST_INIT_WAIT] = {
			    REMOVE, PREP,  NONE,  NONE,  CONN,  CLOSE,  CLOSE, NONE,  NONE },
	[PVN_ST_CONNECTED] = {
			    REMOVE, PREP,  NONE,  NONE,  NONE,  CLOSE,  CLOSE, NONE,  NONE },
	[PVN_ST_CLOSING] = {
			    REMOVE, PREP,  NONE,  NONE,  NONE,  NONE,   CLOSE, NONE,  NONE },
	[PVN_ST_CLOSED] = {
			    REMOVE, PREP,  NONE,  NONE,  CONN,  NONE,   CLOSE, NONE,  NONE },
};

/**
 * pvn_front_action() - what the frontend does
 * @own: its state; any number
 * @backend: state of the backend; any number
 */
enum pvn_action pvn_front_action(unsigned int own, unsigned int backend)
{
	if (own >= PVN_ST_COUNT || backend >= PVN_ST_COUNT)
		return PVN_ACT_NONE;
	return front[own][backend];
}
EXPORT_SYMBOL_GPL(pvn_front_action);

/**
 * pvn_back_action() - what the backend does
 * @own: its state; any number
 * @frontend: state of the frontend; any number
 * @online: the toolstack wants the device to exist
 *
 * A device that is no longer wanted goes away once the frontend has closed, and
 * does not start anew. One that has never connected may have a toolstack that
 * does not say.
 */
enum pvn_action pvn_back_action(unsigned int own, unsigned int frontend,
				bool online)
{
	enum pvn_action act;

	if (own >= PVN_ST_COUNT || frontend >= PVN_ST_COUNT)
		return PVN_ACT_NONE;
	act = back[own][frontend];
	if (online)
		return act;
	if (act == PVN_ACT_CLOSE && frontend == PVN_ST_CLOSED)
		return PVN_ACT_REMOVE;
	if (act == PVN_ACT_PREPARE && own != PVN_ST_INIT_WAIT)
		return PVN_ACT_REMOVE;
	return act;
}
EXPORT_SYMBOL_GPL(pvn_back_action);
