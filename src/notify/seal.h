/* seal.h - the content of a push message, for one browser's eyes: RFC 8291, aes128gcm.  Pure.
 *
 * A push service passes it on and cannot read it.
 */
#ifndef NOTIFY_SEAL_H
#define NOTIFY_SEAL_H

#include "base/buf.h"
#include "notify/curve.h"

#define SEAL_AUTH 16
#define SEAL_SALT 16
#define SEAL_PLAIN_MAX 3072 /* services take 4096 bytes in all */

/* The browser's, as it told us. */
struct seal_keys {
	unsigned char point[CURVE_POINT];
	unsigned char auth[SEAL_AUTH];
};

/* Drawn for one message, and used for no other. */
struct seal_once {
	unsigned char secret[CURVE_SECRET];
	unsigned char salt[SEAL_SALT];
};
void seal_draw(struct seal_once *once);

/* False: the browser's point is none, or there is too much to say. */
bool seal_write(const struct seal_keys *keys, const struct seal_once *once, struct text plain,
                struct buf *out);

#endif
