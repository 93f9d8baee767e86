/* usage_seen.h - the file of old responses: DATA/usage-seen.
 *
 * A mark, the seed of the hashes, then hashes of eight bytes, little end first.  It only grows,
 * and never has one that DATA/usage has not had before: a hash here says that the response is in
 * the sums that are on the disk.
 */
#ifndef BOX_USAGE_SEEN_H
#define BOX_USAGE_SEEN_H

#include <stdint.h>

#include "base/error.h"

struct seen_ids;

/* Of a file with another seed nothing is loaded: it belongs to other sums. */
bool usage_seen_load(const char *path, uint64_t seed, struct seen_ids *seen, struct error *why);

struct usage_seen_news {
	uint64_t seed;
	uint32_t kept; /* that are in the file */
	uint64_t *hashes;
	uint32_t count;
};
/* Behind those that are kept.  On the disk when it returns. */
bool usage_seen_write(const char *path, const struct usage_seen_news *news, struct error *why);

#endif
