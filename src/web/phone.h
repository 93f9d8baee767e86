/* phone.h - the way in for devices of the same network: a listener with TLS, its certificate, and
 * the URL that a phone is to open.
 *
 * Where the configuration has a listener that other machines can reach, devices come in there.
 * Else one is opened for them, with a certificate of our own making (DATA/phone.pem), when the
 * owner pairs one; it is closed when no device is left, and when none came.
 */
#ifndef WEB_PHONE_H
#define WEB_PHONE_H

#include "base/error.h"
#include "net/issue.h"
#include "net/loop.h"
#include "web/devices.h"

struct listen;
struct listens;
struct web;

/* A part of struct web. */
struct phone {
	struct listens *door;     /* all that listen, and where devices come in */
	struct deadline unpaired; /* then nobody came for whom a door was opened */
	bool is_inviting;         /* until then */
	char *voucher;            /* of our own certificate, as PEM, or NULL */
	char print[ISSUE_PRINT_LEN + 1];
};

#define PHONE_URL_MAX 512

/* Opens the way in, if it is not open, and writes a URL with a new code.  host: by which the
 * device is to call us, or empty. */
bool phone_invite(struct web *web, const struct device_wish *wish, struct text host,
                  char url[PHONE_URL_MAX], struct error *why);

/* There may be devices: is there a way in for them?  Says in the log why not. */
void phone_start(struct web *web);

void phone_lost_one(struct web *web); /* a device was revoked */
void phone_is_late(struct deadline *deadline);

/* The listener was opened for devices: it takes its own address for a Host. */
bool phone_is_at(const struct web *web, const struct listen *listen);

/* What vouches for our certificate, as PEM, and its fingerprint; empty: we made none. */
struct text phone_voucher(const struct web *web);
const char *phone_print(const struct web *web);

#endif
