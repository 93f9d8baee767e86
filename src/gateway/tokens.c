/* tokens.c - marks of tokens, counted. */
#include "gateway/tokens.h"

#include <stdlib.h>

#include "base/must.h"
#include "gateway/devices.h"
#include "gateway/inside.h"

struct gateway_token {
	unsigned char mark[GATEWAY_DIGEST];
	unsigned refs;
	struct link in_all; /* gateway.tokens */
};

static struct gateway_token *token_of(struct gateway *g, const unsigned char mark[GATEWAY_DIGEST])
{
	struct gateway_token *token;

	list_each(&g->tokens, l) {
		token = list_of(l, struct gateway_token, in_all);
		if (memcmp(token->mark, mark, GATEWAY_DIGEST) == 0)
			return token;
	}
	token = must_zero(1, sizeof(*token));
	memcpy(token->mark, mark, GATEWAY_DIGEST);
	list_add(&g->tokens, &token->in_all);
	return token;
}

void gateway_token_take(struct gateway_view *view, struct text secret)
{
	struct gateway *g = gateway_of(view);
	unsigned char mark[GATEWAY_DIGEST];

	gateway_token_drop(view);
	if (!g->options.token_mark(g->options.self, secret, mark))
		return;
	view->token = token_of(g, mark);
	view->token->refs++;
}

void gateway_token_drop(struct gateway_view *view)
{
	struct gateway_token *token = view->token;

	view->token = NULL;
	if (!token || --token->refs)
		return;
	list_remove(&token->in_all);
	free(token);
}

bool gateway_token_holds(const struct gateway_view *view)
{
	const struct gateway *g = gateway_of(view);
	unsigned scopes;

	if (!view->token)
		return true;
	return g->options.token_scopes(g->options.self, view->token->mark, &scopes) &&
	       !(view->client->scopes & ~scopes);
}
