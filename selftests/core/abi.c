// SPDX-License-Identifier: GPL-2.0
/* Our wire format against Xen's own header (Debian: libxen-dev). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define xen_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define xen_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define xen_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)
#define __XEN_INTERFACE_VERSION__	0x00040e00
#include <xen/xen.h>
#include <xen/io/netif.h>
#include <xen/io/xenbus.h>

#include <pvnet/core.h>
#include <pvnet/ring.h>

#include "ktap.h"

#define SIZE(ours, theirs)	EXPECT_EQ(sizeof(ours), sizeof(theirs))
#define FIELD(ours, o, theirs, t) do { \
		EXPECT_EQ(offsetof(ours, o), offsetof(theirs, t)); \
		EXPECT_EQ(sizeof(((ours *)0)->o), sizeof(((theirs *)0)->t)); \
		/* same sign: all bits set compare with 0 alike */ \
		EXPECT_EQ((__typeof__(((ours *)0)->o))-1 < 0, \
			  (__typeof__(((theirs *)0)->t))-1 < 0); \
	} while (0)
#define ARRAY(ours, o, theirs, t) do { \
		EXPECT_EQ(offsetof(ours, o), offsetof(theirs, t)); \
		EXPECT_EQ(sizeof(((ours *)0)->o), sizeof(((theirs *)0)->t)); \
	} while (0)

static void tx_slots(void)
{
	SIZE(struct pvn_tx_req, struct netif_tx_request);
	FIELD(struct pvn_tx_req, gref, struct netif_tx_request, gref);
	FIELD(struct pvn_tx_req, offset, struct netif_tx_request, offset);
	FIELD(struct pvn_tx_req, flags, struct netif_tx_request, flags);
	FIELD(struct pvn_tx_req, id, struct netif_tx_request, id);
	FIELD(struct pvn_tx_req, size, struct netif_tx_request, size);
	SIZE(struct pvn_tx_rsp, struct netif_tx_response);
	FIELD(struct pvn_tx_rsp, id, struct netif_tx_response, id);
	FIELD(struct pvn_tx_rsp, status, struct netif_tx_response, status);
	SIZE(union pvn_tx_slot, union netif_tx_sring_entry);
}

static void rx_slots(void)
{
	SIZE(struct pvn_rx_req, struct netif_rx_request);
	FIELD(struct pvn_rx_req, id, struct netif_rx_request, id);
	FIELD(struct pvn_rx_req, pad, struct netif_rx_request, pad);
	FIELD(struct pvn_rx_req, gref, struct netif_rx_request, gref);
	SIZE(struct pvn_rx_rsp, struct netif_rx_response);
	FIELD(struct pvn_rx_rsp, id, struct netif_rx_response, id);
	FIELD(struct pvn_rx_rsp, offset, struct netif_rx_response, offset);
	FIELD(struct pvn_rx_rsp, flags, struct netif_rx_response, flags);
	FIELD(struct pvn_rx_rsp, status, struct netif_rx_response, status);
	SIZE(union pvn_rx_slot, union netif_rx_sring_entry);
}

static void extra(void)
{
	SIZE(struct pvn_extra, struct netif_extra_info);
	FIELD(struct pvn_extra, type, struct netif_extra_info, type);
	FIELD(struct pvn_extra, flags, struct netif_extra_info, flags);
	FIELD(struct pvn_extra, u.gso.size, struct netif_extra_info, u.gso.size);
	FIELD(struct pvn_extra, u.gso.type, struct netif_extra_info, u.gso.type);
	FIELD(struct pvn_extra, u.gso.pad, struct netif_extra_info, u.gso.pad);
	FIELD(struct pvn_extra, u.gso.features, struct netif_extra_info, u.gso.features);
	ARRAY(struct pvn_extra, u.mcast_addr, struct netif_extra_info, u.mcast.addr);
	FIELD(struct pvn_extra, u.hash.type, struct netif_extra_info, u.hash.type);
	FIELD(struct pvn_extra, u.hash.algorithm, struct netif_extra_info, u.hash.algorithm);
	ARRAY(struct pvn_extra, u.hash.value, struct netif_extra_info, u.hash.value);
	ARRAY(struct pvn_extra, u.pad, struct netif_extra_info, u.pad);
}

static void control(void)
{
	SIZE(struct pvn_ctrl_req, struct xen_netif_ctrl_request);
	FIELD(struct pvn_ctrl_req, id, struct xen_netif_ctrl_request, id);
	FIELD(struct pvn_ctrl_req, type, struct xen_netif_ctrl_request, type);
	ARRAY(struct pvn_ctrl_req, data, struct xen_netif_ctrl_request, data);
	SIZE(struct pvn_ctrl_rsp, struct xen_netif_ctrl_response);
	FIELD(struct pvn_ctrl_rsp, id, struct xen_netif_ctrl_response, id);
	FIELD(struct pvn_ctrl_rsp, type, struct xen_netif_ctrl_response, type);
	FIELD(struct pvn_ctrl_rsp, status, struct xen_netif_ctrl_response, status);
	FIELD(struct pvn_ctrl_rsp, data, struct xen_netif_ctrl_response, data);
	SIZE(struct pvn_gref, struct xen_netif_gref);
	FIELD(struct pvn_gref, ref, struct xen_netif_gref, ref);
	FIELD(struct pvn_gref, flags, struct xen_netif_gref, flags);
	FIELD(struct pvn_gref, status, struct xen_netif_gref, status);
	EXPECT_EQ(PVN_CTRL_RING_SLOTS, __CONST_RING_SIZE(xen_netif_ctrl, 4096));
}

static void rings(void)
{
	EXPECT_EQ(offsetof(struct pvn_sring, req_prod),
		  offsetof(struct netif_tx_sring, req_prod));
	EXPECT_EQ(offsetof(struct pvn_sring, req_event),
		  offsetof(struct netif_tx_sring, req_event));
	EXPECT_EQ(offsetof(struct pvn_sring, rsp_prod),
		  offsetof(struct netif_tx_sring, rsp_prod));
	EXPECT_EQ(offsetof(struct pvn_sring, rsp_event),
		  offsetof(struct netif_tx_sring, rsp_event));
	EXPECT_EQ(sizeof(struct pvn_sring), offsetof(struct netif_tx_sring, ring));
	EXPECT_EQ(sizeof(struct pvn_sring), offsetof(struct netif_rx_sring, ring));
	EXPECT_EQ(PVN_TX_RING_SLOTS, __CONST_RING_SIZE(netif_tx, 4096));
	EXPECT_EQ(PVN_RX_RING_SLOTS, __CONST_RING_SIZE(netif_rx, 4096));
}

static void constants(void)
{
	static const struct {
		const char *name;
		long long ours, theirs;
	} c[] = {
#define SAME(a, b) { #a, a, b }
		SAME(PVN_SLOTS_MIN, XEN_NETIF_NR_SLOTS_MIN),
		SAME(PVN_MAX_PACKET, XEN_NETIF_MAX_TX_SIZE),
		SAME(PVN_TXF_CSUM_BLANK, NETTXF_csum_blank),
		SAME(PVN_TXF_DATA_VALIDATED, NETTXF_data_validated),
		SAME(PVN_TXF_MORE_DATA, NETTXF_more_data),
		SAME(PVN_TXF_EXTRA_INFO, NETTXF_extra_info),
		SAME(PVN_RXF_DATA_VALIDATED, NETRXF_data_validated),
		SAME(PVN_RXF_CSUM_BLANK, NETRXF_csum_blank),
		SAME(PVN_RXF_MORE_DATA, NETRXF_more_data),
		SAME(PVN_RXF_EXTRA_INFO, NETRXF_extra_info),
		SAME(PVN_RSP_DROPPED, NETIF_RSP_DROPPED),
		SAME(PVN_RSP_ERROR, NETIF_RSP_ERROR),
		SAME(PVN_RSP_OKAY, NETIF_RSP_OKAY),
		SAME(PVN_RSP_NULL, NETIF_RSP_NULL),
		SAME(PVN_EXTRA_NONE, XEN_NETIF_EXTRA_TYPE_NONE),
		SAME(PVN_EXTRA_GSO, XEN_NETIF_EXTRA_TYPE_GSO),
		SAME(PVN_EXTRA_MCAST_ADD, XEN_NETIF_EXTRA_TYPE_MCAST_ADD),
		SAME(PVN_EXTRA_MCAST_DEL, XEN_NETIF_EXTRA_TYPE_MCAST_DEL),
		SAME(PVN_EXTRA_HASH, XEN_NETIF_EXTRA_TYPE_HASH),
		SAME(PVN_EXTRA_XDP, XEN_NETIF_EXTRA_TYPE_MAX),	/* Linux' next one */
		SAME(PVN_EXTRAF_MORE, XEN_NETIF_EXTRA_FLAG_MORE),
		SAME(PVN_GSO_NONE, XEN_NETIF_GSO_TYPE_NONE),
		SAME(PVN_GSO_TCPV4, XEN_NETIF_GSO_TYPE_TCPV4),
		SAME(PVN_GSO_TCPV6, XEN_NETIF_GSO_TYPE_TCPV6),
		SAME(PVN_CTRL_GET_GREF_MAPPING_SIZE, XEN_NETIF_CTRL_TYPE_GET_GREF_MAPPING_SIZE),
		SAME(PVN_CTRL_ADD_GREF_MAPPING, XEN_NETIF_CTRL_TYPE_ADD_GREF_MAPPING),
		SAME(PVN_CTRL_DEL_GREF_MAPPING, XEN_NETIF_CTRL_TYPE_DEL_GREF_MAPPING),
		SAME(PVN_CTRL_STATUS_SUCCESS, XEN_NETIF_CTRL_STATUS_SUCCESS),
		SAME(PVN_CTRL_STATUS_NOT_SUPPORTED, XEN_NETIF_CTRL_STATUS_NOT_SUPPORTED),
		SAME(PVN_CTRL_STATUS_INVALID_PARAMETER, XEN_NETIF_CTRL_STATUS_INVALID_PARAMETER),
		SAME(PVN_CTRL_STATUS_BUFFER_OVERFLOW, XEN_NETIF_CTRL_STATUS_BUFFER_OVERFLOW),
		SAME(PVN_GREF_READONLY, XEN_NETIF_CTRLF_GREF_readonly),
		SAME(PVN_ST_UNKNOWN, XenbusStateUnknown),
		SAME(PVN_ST_INITIALISING, XenbusStateInitialising),
		SAME(PVN_ST_INIT_WAIT, XenbusStateInitWait),
		SAME(PVN_ST_INITIALISED, XenbusStateInitialised),
		SAME(PVN_ST_CONNECTED, XenbusStateConnected),
		SAME(PVN_ST_CLOSING, XenbusStateClosing),
		SAME(PVN_ST_CLOSED, XenbusStateClosed),
		SAME(PVN_ST_RECONFIGURING, XenbusStateReconfiguring),
		SAME(PVN_ST_RECONFIGURED, XenbusStateReconfigured),
#undef SAME
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		test_context("%s", c[i].name);
		EXPECT_EQ(c[i].ours, c[i].theirs);
	}
}

/* Our frontend and Xen's macros for a backend, on one page, over the wrap. */
static void against_xen_macros(void)
{
	netif_tx_sring_t *page = aligned_alloc(4096, 4096);
	netif_tx_back_ring_t back;
	struct pvn_ring front;
	u32 round, n, pending;
	int notify, more;

	memset(page, 0, 4096);
	pvn_sring_init(page);
	page->req_prod = 0xffffff80;
	page->rsp_prod = 0xffffff80;
	BACK_RING_ATTACH(&back, page, 0xffffff80, 4096);
	pvn_tx_ring_attach_front(&front, page);
	front.prod = 0xffffff80;
	front.pub = 0xffffff80;
	front.cons = 0xffffff80;

	for (round = 0; round < 2000; round++) {
		u32 event = page->req_event, old = front.prod;
		bool asked;

		n = rand_below(pvn_ring_unused(&front) + 1);
		for (pending = n; pending; pending--) {
			union pvn_tx_slot slot = { .req = { .gref = front.prod, .size = 77 } };

			pvn_tx_slot_write(&front, front.prod++, &slot);
		}
		asked = pvn_ring_publish(&front);
		EXPECT_EQ(asked, event - old - 1 < n);
		EXPECT_EQ(RING_HAS_UNCONSUMED_REQUESTS(&back), n);
		EXPECT(!RING_REQUEST_PROD_OVERFLOW(&back, page->req_prod));

		while (back.req_cons != page->req_prod) {
			struct netif_tx_request req;

			memcpy(&req, RING_GET_REQUEST(&back, back.req_cons), sizeof(req));
			EXPECT_EQ(req.gref, back.req_cons);
			EXPECT_EQ(req.size, 77);
			RING_GET_RESPONSE(&back, back.rsp_prod_pvt)->id = back.req_cons;
			back.rsp_prod_pvt++;
			back.req_cons++;
		}
		(void)!pvn_ring_arm(&front, 1 + rand_below(4));
		old = page->rsp_event - page->rsp_prod;
		RING_PUSH_RESPONSES_AND_CHECK_NOTIFY(&back, notify);
		EXPECT_EQ(notify, old - 1 < n);
		EXPECT_EQ(pvn_ring_pending(&front), n);
		while (n--) {
			struct pvn_tx_rsp rsp;

			pvn_tx_rsp_read(&front, front.cons, &rsp);
			EXPECT_EQ(rsp.id, (u16)front.cons);
			front.cons++;
		}
		if (rand_below(2))
			RING_FINAL_CHECK_FOR_REQUESTS(&back, more);
		(void)more;
	}
	free(page);
}

SUITE(abi,
	{ "tx slots", tx_slots },
	{ "rx slots", rx_slots },
	{ "extra info", extra },
	{ "control ring and grant list", control },
	{ "ring heads and sizes", rings },
	{ "constants", constants },
	{ "our ring against Xen's macros", against_xen_macros });
