/* SPDX-License-Identifier: GPL-2.0 */
/* `ethtool -S` from the counter lists of stats.h, for both ends. */
#ifndef _PVNET_ETHTOOL_H
#define _PVNET_ETHTOOL_H

#include <linux/types.h>

#include <pvnet/stats.h>

/**
 * struct pvn_stat_group - counters of one struct
 * @name: their names
 * @count: how many
 * @prefix: put before each name
 */
struct pvn_stat_group {
	const char *const *name;
	size_t count;
	const char *prefix;
};

#define PVN_STAT_GROUP(type, list, _prefix) {				\
	.name = (const char *const []) { list(PVN_STAT_NAME) },		\
	.count = PVN_STAT_COUNT(type),					\
	.prefix = _prefix,						\
}

int pvn_stats_count(const struct pvn_stat_group *group, size_t nr, unsigned int queues);
void pvn_stats_strings(const struct pvn_stat_group *group, size_t nr,
		       unsigned int queues, u8 *data);
u64 *pvn_stats_values(const struct pvn_stat_group *group, size_t nr,
		      const void *const *from, u64 *data);

#endif
