/* SPDX-License-Identifier: GPL-2.0 */
/* Since Linux 6.13 a timer gets its function when it is set up. */
#ifndef _PVNET_COMPAT_HRTIMER_H
#define _PVNET_COMPAT_HRTIMER_H

#include_next <linux/hrtimer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
