/* openclaw_key.h - the key of a device: for the device and for who checks it.
 *
 * It is Ed25519.  A device is called by the hash of its public key.
 */
#ifndef PARSE_OPENCLAW_KEY_H
#define PARSE_OPENCLAW_KEY_H

#include "base/text.h"

#define OPENCLAW_KEY_BYTES 32
#define OPENCLAW_SIGNATURE_BYTES 64
#define OPENCLAW_DEVICE_ID 64 /* hexadecimal digits */

/* A public key as devices write it: its bytes in base64, of either alphabet, or PEM. */
bool openclaw_key_read(struct text spelt, unsigned char key[OPENCLAW_KEY_BYTES]);

void openclaw_key_id(const unsigned char key[OPENCLAW_KEY_BYTES], char id[OPENCLAW_DEVICE_ID + 1]);

/* False: this OpenSSL has no Ed25519. */
bool openclaw_key_public(const unsigned char seed[OPENCLAW_KEY_BYTES],
                         unsigned char key[OPENCLAW_KEY_BYTES]);
bool openclaw_key_sign(const unsigned char seed[OPENCLAW_KEY_BYTES], struct text words,
                       unsigned char signature[OPENCLAW_SIGNATURE_BYTES]);

bool openclaw_key_signed(const unsigned char key[OPENCLAW_KEY_BYTES], struct text words,
                         const unsigned char signature[OPENCLAW_SIGNATURE_BYTES]);

#endif
