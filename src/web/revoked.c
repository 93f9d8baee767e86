/* revoked.c - a ring of digests. */
#include "web/revoked.h"

#include <string.h>

void revoked_add(struct revoked *r, const unsigned char digest[DIGEST_LEN], bool knows,
                 int64_t now_ms)
{
	struct revoked_row *row = &r->rows[r->next];

	memcpy(row->digest, digest, DIGEST_LEN);
	row->owed_until_ms = knows ? 0 : now_ms + REVOKED_OWED_MS;
	r->next = (r->next + 1) % REVOKED_MAX;
	if (r->count < REVOKED_MAX)
		r->count++;
}

/* REVOKED_MAX: it is none of them. */
static size_t find_revoked(const struct revoked *r, struct text secret)
{
	size_t hit = REVOKED_MAX;
	unsigned char digest[DIGEST_LEN];

	credentials_digest(secret, digest);
	for (size_t i = 0; i < r->count; i++)
		if (credentials_same(digest, r->rows[i].digest))
			hit = i;
	return hit;
}

bool revoked_has(const struct revoked *r, struct text secret)
{
	return find_revoked(r, secret) < REVOKED_MAX;
}

bool revoked_tell(struct revoked *r, struct text secret)
{
	size_t hit = find_revoked(r, secret);

	if (hit < REVOKED_MAX)
		r->rows[hit].owed_until_ms = 0;
	return hit < REVOKED_MAX;
}

bool revoked_owes(const struct revoked *r, int64_t now_ms)
{
	for (size_t i = 0; i < r->count; i++) {
		int64_t left_ms = r->rows[i].owed_until_ms - now_ms;

		if (left_ms > 0 && left_ms <= REVOKED_OWED_MS)
			return true;
	}
	return false;
}
