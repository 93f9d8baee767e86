/* devices.h - devices of clients that were paired with this box, and stay so.
 *
 * A device is a key: its id is the hash of it, and it signs each connect.  Its owner let it in,
 * or it came with a token once; then it is bound to that token: its scopes are at most the
 * token's, and it ends with it.  Of its own token there is only the digest here, in
 * DATA/gateway-devices.json.
 *
 * What takes something from a device is on the disk when the call returns, or owed; the rest is
 * written when somebody asks for it (gateway_devices_save), and at the end.
 */
#ifndef GATEWAY_DEVICES_H
#define GATEWAY_DEVICES_H

#include <stdint.h>
#include <yyjson.h>

#include "base/buf.h"
#include "base/error.h"

#define GATEWAY_DEVICES_MAX 64
#define GATEWAY_DIGEST 32 /* SHA-256 */
#define GATEWAY_SECRET 43 /* characters of a device's token: 256 bits */
#define GATEWAY_DEVICE_NAME 48
#define GATEWAY_DEVICE_ID 64 /* hexadecimal digits */

/* What a device says of itself; for people, so it is short and can be shown. */
struct gateway_self {
	char id[GATEWAY_DEVICE_ID + 1], key[GATEWAY_SECRET + 1];
	char client[32], mode[16], platform[64], family[64], label[64];
};

struct gateway_device {
	char name[GATEWAY_DEVICE_NAME]; /* by which its owner knows it */
	struct gateway_self self;
	unsigned scopes; /* enum scope */
	bool is_bound, has_secret;
	unsigned char mark[GATEWAY_DIGEST];   /* of the token that it is bound to */
	unsigned char digest[GATEWAY_DIGEST]; /* of its own */
	uint32_t number;                      /* of this life; never 0 */
	int64_t paired_ms, seen_ms;
};

struct gateway_devices;

/* NULL: the file can be got at by others, or is not one of ours. */
struct gateway_devices *gateway_devices_open(const char *data, struct error *why);
void gateway_devices_destroy(struct gateway_devices *devices);

/* Of a connect whose device was checked; false: it has none. */
bool gateway_self_read(yyjson_val *params, struct gateway_self *out);
bool gateway_self_same(const struct gateway_self *a, const struct gateway_self *b);
void gateway_self_put(struct buf *out, const struct gateway_self *self); /* members */

/* A name that no device has: the client's, with digits behind it. */
void gateway_devices_name(const struct gateway_devices *devices, const struct gateway_self *self,
                          char name[GATEWAY_DEVICE_NAME]);

/* Each may be NULL, and is good until one is added or removed. */
struct gateway_device *gateway_devices_at(struct gateway_devices *devices, size_t i);
struct gateway_device *gateway_devices_of_id(struct gateway_devices *devices, struct text id);
struct gateway_device *gateway_devices_of_name(struct gateway_devices *devices, struct text name);

/* Without scopes or a secret.  Of bound ones the one that was seen longest ago makes room for
 * another; NULL: all are their owner's choice. */
struct gateway_device *gateway_devices_add(struct gateway_devices *devices,
                                           const struct gateway_self *self, int64_t now_ms);

/* A new token of its own, in the place of one that it had. */
void gateway_devices_give_secret(struct gateway_devices *devices, struct gateway_device *device,
                                 char secret[GATEWAY_SECRET + 1]);
bool gateway_device_has(const struct gateway_device *device, struct text secret);

void gateway_devices_touch(struct gateway_devices *devices); /* one of them is another */
bool gateway_devices_save(struct gateway_devices *devices, struct error *why); /* if so */
void gateway_devices_remove(struct gateway_devices *devices, struct gateway_device *device);

#endif
