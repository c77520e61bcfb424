// SPDX-License-Identifier: GPL-2.0
/* Groups of counters, to what ethtool wants: "qN_prefix_name", queue by queue. */
#include <linux/ethtool.h>
#include <linux/export.h>
#include <linux/string.h>

#include <pvnet/ethtool.h>

/**
 * pvn_stats_count() - how many counters there are
 * @group: the groups of one queue
 * @nr: how many groups
 * @queues: how many queues
 */
int pvn_stats_count(const struct pvn_stat_group *group, size_t nr, unsigned int queues)
{
	size_t count = 0, i;

	for (i = 0; i < nr; i++)
		count += group[i].count;
	return count * queues;
}
EXPORT_SYMBOL_GPL(pvn_stats_count);

/**
 * pvn_stats_strings() - their names
 * @group: the groups of one queue
 * @nr: how many groups
 * @queues: how many queues
 * @data: ETH_GSTRING_LEN bytes for each
 */
void pvn_stats_strings(const struct pvn_stat_group *group, size_t nr,
		       unsigned int queues, u8 *data)
{
	unsigned int q;
	size_t i, k;

	for (q = 0; q < queues; q++)
		for (i = 0; i < nr; i++)
			for (k = 0; k < group[i].count; k++)
				ethtool_sprintf(&data, "q%u_%s%s", q, group[i].prefix,
						group[i].name[k]);
}
EXPORT_SYMBOL_GPL(pvn_stats_strings);

/**
 * pvn_stats_values() - their values, of one queue
 * @group: the groups of one queue
 * @nr: how many groups
 * @from: for each group its struct
 * @data: where to put them
 *
 * Return: where the next queue's values go.
 */
u64 *pvn_stats_values(const struct pvn_stat_group *group, size_t nr,
		      const void *const *from, u64 *data)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		memcpy(data, from[i], group[i].count * sizeof(u64));
		data += group[i].count;
	}
	return data;
}
EXPORT_SYMBOL_GPL(pvn_stats_values);
