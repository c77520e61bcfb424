/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of the notification layer, for `perf trace -e 'pvnet:*'` and
 * bpftrace. A channel is known by its irq, as in /proc/interrupts.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pvnet

#if !defined(_PVNET_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _PVNET_TRACE_H

#include <linux/tracepoint.h>

/* A producer has published slots up to @prod; @raised: with an event. */
TRACE_EVENT(pvnet_notify,
	TP_PROTO(unsigned int irq, u32 prod, bool raised),
	TP_ARGS(irq, prod, raised),
	TP_STRUCT__entry(
		__field(unsigned int, irq)
		__field(u32, prod)
		__field(bool, raised)
	),
	TP_fast_assign(
		__entry->irq = irq;
		__entry->prod = prod;
		__entry->raised = raised;
	),
	TP_printk("irq=%u prod=%u raised=%d", __entry->irq, __entry->prod, __entry->raised)
);

/* A consumer asks for the @k-th slot from @cons; with @pending of at least @k it does not sleep. */
TRACE_EVENT(pvnet_arm,
	TP_PROTO(unsigned int irq, u32 cons, u32 k, u32 pending),
	TP_ARGS(irq, cons, k, pending),
	TP_STRUCT__entry(
		__field(unsigned int, irq)
		__field(u32, cons)
		__field(u32, k)
		__field(u32, pending)
	),
	TP_fast_assign(
		__entry->irq = irq;
		__entry->cons = cons;
		__entry->k = k;
		__entry->pending = pending;
	),
	TP_printk("irq=%u cons=%u k=%u pending=%u", __entry->irq, __entry->cons, __entry->k,
		  __entry->pending)
);

/* A consumer is awake, @took nanoseconds after it had asked for @k slots, with @slots there. */
TRACE_EVENT(pvnet_wake,
	TP_PROTO(unsigned int irq, u32 k, u32 slots, u64 took, bool expired),
	TP_ARGS(irq, k, slots, took, expired),
	TP_STRUCT__entry(
		__field(unsigned int, irq)
		__field(u32, k)
		__field(u32, slots)
		__field(u64, took)
		__field(bool, expired)
	),
	TP_fast_assign(
		__entry->irq = irq;
		__entry->k = k;
		__entry->slots = slots;
		__entry->took = took;
		__entry->expired = expired;
	),
	TP_printk("irq=%u k=%u slots=%u took=%llu expired=%d", __entry->irq, __entry->k,
		  __entry->slots, __entry->took, __entry->expired)
);

/* A consumer's timer has fired; @forward: early, it puts itself forward. */
TRACE_EVENT(pvnet_timer,
	TP_PROTO(unsigned int irq, bool forward),
	TP_ARGS(irq, forward),
	TP_STRUCT__entry(
		__field(unsigned int, irq)
		__field(bool, forward)
	),
	TP_fast_assign(
		__entry->irq = irq;
		__entry->forward = forward;
	),
	TP_printk("irq=%u forward=%d", __entry->irq, __entry->forward)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH pvnet
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
