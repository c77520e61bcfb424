/* SPDX-License-Identifier: GPL-2.0 */
/* Keys in xenstore, for both ends (kernel only). */
#ifndef _PVNET_XENSTORE_H
#define _PVNET_XENSTORE_H

#include <xen/xenbus.h>

#include <pvnet/core.h>

/**
 * struct pvn_keys - where keys are being written
 * @xbt: the transaction
 * @dir: the directory
 */
struct pvn_keys {
	struct xenbus_transaction xbt;
	const char *dir;
};

int pvn_key_put(struct pvn_keys *keys, const char *key, unsigned int value);
int pvn_keys_put_features(struct pvn_keys *keys, enum pvn_side side, u32 features);
int pvn_keys_write(struct xenbus_device *xdev,
		   int (*put)(struct pvn_keys *keys, const void *arg), const void *arg);
u32 pvn_peer_features(struct xenbus_device *xdev, enum pvn_side peer);

#endif
