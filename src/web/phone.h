/* phone.h - the way in for devices of the same network: a listener with TLS, its certificate, and
 * the URL that a phone is to open.
 *
 * Where the configuration has a listener that other machines can reach, devices come in there.
 * Else one is opened for them, with a certificate of our own making (DATA/phone.pem), when the
 * owner pairs one; it is closed when no device is left and those that were revoked know it
 * (revoked.h), and when none came.
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
	struct deadline unpaired; /* then the codes have lapsed for which it was opened */
	struct deadline untold;   /* then it is looked whether the revoked ones know by now */
	struct deadline unsaved;  /* then a removal is written that could not be */
	char *voucher;            /* of our own certificate while it is open, as PEM, or NULL */
	char print[ISSUE_PRINT_LEN + 1];
};

#define PHONE_URL_MAX 512

struct phone_invitation {
	char url[PHONE_URL_MAX];         /* with a new code */
	char print[ISSUE_PRINT_LEN + 1]; /* of what vouches for our own certificate, or empty */
	bool print_changed;              /* who trusted the one of before has to trust this one */
};

/* Opens the way in, if it is not open.  host: by which the device is to call us, or empty. */
bool phone_invite(struct web *web, const struct device_wish *wish, struct text host,
                  struct phone_invitation *out, struct error *why);

/* There may be devices: is there a way in for them?  Says in the log why not.  A certificate that
 * is not over is used as it is: devices trust it. */
void phone_start(struct web *web);

void phone_lost_one(struct web *web); /* a device was revoked, or a code is none any more */
void phone_told_one(struct web *web); /* one that was revoked knows it */
void phone_forget(struct web *web);   /* it is closed */
void phone_is_late(struct deadline *deadline);
void phone_finish(struct web *web);

/* The listener was opened for devices: it takes its own address for a Host. */
bool phone_is_at(const struct web *web, const struct listen *listen);

/* What vouches for our certificate, as PEM; empty: none is in use. */
struct text phone_voucher(const struct web *web);

#endif
