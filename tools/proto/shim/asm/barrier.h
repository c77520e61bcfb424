/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_BARRIER_H
#define _SHIM_BARRIER_H

#define virt_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define virt_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define virt_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)

#endif
