/* device.h - who we are to an OpenClaw gateway: an Ed25519 key of our own.
 *
 * A gateway that wants to know the device behind a token gets its challenge back,
 * signed.  The key is made once and kept in DATA/openclaw-device.json, mode 0600,
 * with the tokens that gateways gave this device.
 */
#ifndef SOURCE_DEVICE_H
#define SOURCE_DEVICE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

#define DEVICE_ID_LEN 64        /* hexadecimal SHA-256 of the public key */
#define DEVICE_KEY_LEN 43       /* 32 bytes in base64url, no padding */
#define DEVICE_SIGNATURE_LEN 86 /* 64 bytes likewise */

struct device;

/* Makes the key when there is none yet.  A file that others can read is refused. */
struct device *device_load(const char *data_dir, struct error *why);
void device_destroy(struct device *device);

/* Has a gateway of this machine ever wanted one? */
bool device_exists(const char *data_dir);

const char *device_id(const struct device *device);
const char *device_public_key(const struct device *device);
void device_sign(const struct device *device, struct text payload,
                 char out[DEVICE_SIGNATURE_LEN + 1]);

/* The token that the gateway at this URL gave us, or NULL. */
const char *device_token(const struct device *device, const char *url);
/* A NULL token is forgotten. */
bool device_keep_token(struct device *device, const char *url, const char *token,
                       struct error *why);

#endif
