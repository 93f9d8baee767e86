/* devices.h - phones and other browsers that were paired with this box, and stay so.
 *
 * Each has a secret of its own, which it got once, over TLS, for the code of `signalbox pair`.
 * Here is only the secret's digest, in DATA/devices.json, with the scopes that the owner chose.
 * The file is on the disk before a device is told that it is paired, or somebody that one is
 * not any more; when one was seen last is written along, and at the end.
 */
#ifndef WEB_DEVICES_H
#define WEB_DEVICES_H

#include "base/buf.h"
#include "web/credentials.h"

#define DEVICES_MAX 64
#define DEVICE_NAME_MAX 32 /* bytes, with a NUL; it stands in caller.name behind "device:" */

struct devices;

/* What a pairing gives; scopes 0: it is none. */
struct device_wish {
	char name[DEVICE_NAME_MAX];
	unsigned scopes;
};

/* NULL: the file can be got at by others, or is not one of ours. */
struct devices *devices_open(const char *data, struct error *why);
void devices_destroy(struct devices *devices);           /* NULL is fine */
bool devices_check(const char *data, struct error *why); /* could it be opened? */

size_t devices_count(const struct devices *devices);

/* Letters, digits, - and _, and not too long. */
bool devices_name_is_good(struct text name, struct error *why);

/* Makes its secret: TOKEN_LEN characters and a NUL.  A name that is taken gets a number, and the
 * wish has it then. */
bool devices_add(struct devices *devices, struct device_wish *wish, int64_t now_ms,
                 char secret[TOKEN_LEN + 1], struct error *why);

/* Whose secret is it?  Takes equally long for every wrong one. */
bool devices_find(struct devices *devices, struct text secret, int64_t now_ms,
                  struct caller *caller);
bool devices_has(const struct devices *devices, uint64_t id);

struct device_removal {
	bool by_itself;
	int64_t now_ms;
	uint64_t id; /* which it was: filled in */
};

/* It is no device any more from now on.  False: none has that name, and the id is 0; or the file
 * could not be written, so that it would be one again after a crash: that is owed then. */
bool devices_remove(struct devices *devices, struct text name, struct device_removal *removal,
                    struct error *why);
bool devices_owe(const struct devices *devices);
bool devices_pay(struct devices *devices, struct error *why); /* writes it */

/* Is it the secret of one that was removed, which is told so now?  Or is not?  Has one of those
 * still to be told?  See revoked.h */
bool devices_was_revoked(struct devices *devices, struct text secret);
bool devices_has_revoked(const struct devices *devices, struct text secret);
bool devices_owe_word(const struct devices *devices, int64_t now_ms);

/* Where a device is told of what matters, as its browser says it (RFC 8291): a URL, and keys in
 * base64url.  The texts end with a NUL in what devices_each_push() gives. */
struct device_push {
	struct text endpoint, point, auth;
	bool with_words; /* more than who and what */
};
#define DEVICE_ENDPOINT_MAX 1024
#define DEVICE_POINT_MAX 90
#define DEVICE_AUTH_MAX 26

bool devices_push_is_good(const struct device_push *push, struct error *why); /* not too long? */

/* NULL: nowhere any more.  False: there is no such device, or it could not be written, and all is
 * as before. */
bool devices_set_push(struct devices *devices, uint64_t id, const struct device_push *push,
                      struct error *why);
void devices_each_push(const struct devices *devices,
                       void (*fn)(void *self, const struct device_push *push), void *self);
void devices_forget_push(struct devices *devices, struct text endpoint);
/* Members: is it told, and with words? */
void devices_put_push(const struct devices *devices, uint64_t id, struct buf *out);

void devices_put(const struct devices *devices, struct buf *out); /* items of a list */
void devices_put_scopes(struct buf *out, unsigned scopes);        /* likewise, as "scopes" */

#endif
