/* openclaw_claim.h - what a device signs when it connects to a gateway: for the device and for who
 * checks it; pure.
 */
#ifndef PARSE_OPENCLAW_CLAIM_H
#define PARSE_OPENCLAW_CLAIM_H

#include <stdint.h>

#include "base/buf.h"

/* What is signed.  Texts that are not there are empty. */
struct openclaw_claim {
	unsigned version; /* 2, or 3: with platform and family */
	struct text id, client, mode, role, scopes;
	int64_t signed_at;
	struct text token, nonce, platform, family;
};
void openclaw_claim_add(struct buf *out, const struct openclaw_claim *claim);

#endif
