// SPDX-License-Identifier: GPL-2.0
/* Reading and writing keys in xenstore. */
#include <linux/export.h>

#include <pvnet/xenstore.h>

/**
 * pvn_key_put() - write a number
 * @keys: where
 * @key: name
 * @value: the number
 */
int pvn_key_put(struct pvn_keys *keys, const char *key, unsigned int value)
{
	return xenbus_printf(keys->xbt, keys->dir, key, "%u", value);
}
EXPORT_SYMBOL_GPL(pvn_key_put);

static int put_feature(void *keys, const char *key, unsigned int value)
{
	return pvn_key_put(keys, key, value);
}

/**
 * pvn_keys_put_features() - write what this end can take
 * @keys: where
 * @side: this end
 * @features: PVN_F_*
 */
int pvn_keys_put_features(struct pvn_keys *keys, enum pvn_side side, u32 features)
{
	return pvn_features_write(side, features, put_feature, keys);
}
EXPORT_SYMBOL_GPL(pvn_keys_put_features);

/**
 * pvn_keys_write() - write all keys of a device, or none
 * @xdev: the device; the keys go to its own directory
 * @put: writes them; called again when the transaction collided with another
 * @arg: for @put
 *
 * Context: process.
 */
int pvn_keys_write(struct xenbus_device *xdev,
		   int (*put)(struct pvn_keys *keys, const void *arg), const void *arg)
{
	struct pvn_keys keys = { .dir = xdev->nodename };
	int err;

	do {
		err = xenbus_transaction_start(&keys.xbt);
		if (err)
			return err;
		err = put(&keys, arg);
		if (err) {
			xenbus_transaction_end(keys.xbt, 1);
			return err;
		}
		err = xenbus_transaction_end(keys.xbt, 0);
	} while (err == -EAGAIN);
	return err;
}
EXPORT_SYMBOL_GPL(pvn_keys_write);

static unsigned int get_feature(void *dir, const char *key)
{
	return xenbus_read_unsigned(dir, key, 0);
}

/**
 * pvn_peer_features() - what the other end says that it can take
 * @xdev: the device
 * @peer: which end that is
 *
 * Context: process.
 * Return: PVN_F_*, as written.
 */
u32 pvn_peer_features(struct xenbus_device *xdev, enum pvn_side peer)
{
	return pvn_features_read(peer, get_feature, (void *)xdev->otherend);
}
EXPORT_SYMBOL_GPL(pvn_peer_features);
