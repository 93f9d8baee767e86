/* revoked.h - secrets of devices that were revoked of late, so that such a device is told so and is
 * not taken for a stranger.
 *
 * In memory alone, as digests; the newest ones.  A word is owed to a device until it has asked
 * once, and for REVOKED_OWED_MS at most: as long is its way in kept open.
 */
#ifndef WEB_REVOKED_H
#define WEB_REVOKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "web/credentials.h"

#define REVOKED_MAX 64
#define REVOKED_OWED_MS (2 * 60 * 1000) /* a page in the background looks once a minute */

/* Made of zeros. */
struct revoked {
	struct revoked_row {
		unsigned char digest[DIGEST_LEN];
		int64_t owed_until_ms; /* 0: it knows */
	} rows[REVOKED_MAX];
	size_t count, next;
};

/* knows: it revoked itself. */
void revoked_add(struct revoked *r, const unsigned char digest[DIGEST_LEN], bool knows,
                 int64_t now_ms);

/* Is it the secret of one of them?  If it is told, it knows then. */
bool revoked_has(const struct revoked *r, struct text secret);
bool revoked_tell(struct revoked *r, struct text secret);

/* Is a word owed?  A clock that is put back ends that, too. */
bool revoked_owes(const struct revoked *r, int64_t now_ms);

#endif
