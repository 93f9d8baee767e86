/* openclaw_claim.c - the words that are signed. */
#include "parse/openclaw_claim.h"

void openclaw_claim_add(struct buf *out, const struct openclaw_claim *c)
{
	buf_print(out, "v%u|%.*s|%.*s|%.*s|%.*s|%.*s|%lld|", c->version, TEXT_ARG(c->id),
	          TEXT_ARG(c->client), TEXT_ARG(c->mode), TEXT_ARG(c->role), TEXT_ARG(c->scopes),
	          (long long)c->signed_at);
	buf_add(out, c->token);
	buf_add_char(out, '|');
	buf_add(out, c->nonce);
	if (c->version >= 3)
		buf_print(out, "|%.*s|%.*s", TEXT_ARG(c->platform), TEXT_ARG(c->family));
}
