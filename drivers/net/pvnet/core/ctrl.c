// SPDX-License-Identifier: GPL-2.0
/* Control messages of the frontend, checked on private copies. */
#include <linux/export.h>

#include <pvnet/core.h>

/**
 * pvn_ctrl_check() - can this message be carried out?
 * @req: copy of the message
 * @nr_queues: of the connection
 *
 * Only the messages on grant mappings are known (netif.h, 8 to 10). A list has
 * at most as many entries as a page holds, and an empty one makes no sense.
 *
 * Return: PVN_CTRL_STATUS_*.
 */
u32 pvn_ctrl_check(const struct pvn_ctrl_req *req, u32 nr_queues)
{
	switch (req->type) {
	case PVN_CTRL_GET_GREF_MAPPING_SIZE:
		break;
	case PVN_CTRL_ADD_GREF_MAPPING:
	case PVN_CTRL_DEL_GREF_MAPPING:
		if (!req->data[2] || req->data[2] > PVN_GREF_LIST_MAX)
			return PVN_CTRL_STATUS_INVALID_PARAMETER;
		break;
	default:
		return PVN_CTRL_STATUS_NOT_SUPPORTED;
	}
	if (req->data[0] >= nr_queues)
		return PVN_CTRL_STATUS_INVALID_PARAMETER;
	return PVN_CTRL_STATUS_SUCCESS;
}
EXPORT_SYMBOL_GPL(pvn_ctrl_check);

/**
 * pvn_gref_list_ok() - is a list fit to be mapped?
 * @list: copy of the list
 * @nr: entries
 *
 * Duplicates are found when they are entered. The status of an entry is the
 * backend's to write, so what stands there does not matter.
 */
bool pvn_gref_list_ok(const struct pvn_gref *list, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (list[i].flags & ~PVN_GREF_READONLY)
			return false;
	return true;
}
EXPORT_SYMBOL_GPL(pvn_gref_list_ok);
