/* found.c - which sources take the token of OpenClaw's own configuration. */
#include "source/found.h"

#include <stdlib.h>

#include "net/url.h"
#include "source/inside.h"

#define FOUND_LOCAL_ID "local:" FOUND_OPENCLAW /* the one that is found on this machine */

static char *found_look(void)
{
	return transport_find(TEXT(FOUND_OPENCLAW))->own_credential();
}

static bool takes(const struct source *s)
{
	return !s->credential &&
	       (s->takes_found || (s->is_local && strcmp(s->id, FOUND_LOCAL_ID) == 0));
}

static void found_note(struct sources *all, bool is_there)
{
	if (all->token_found == is_there)
		return;
	all->token_found = is_there;
	for (struct source *s = sources_next(all, NULL); s; s = sources_next(all, s))
		if (takes(s))
			sources_mark(s);
}

static bool may_take(struct text url, struct text protocol, struct error *why)
{
	struct url to;

	if (!text_is(protocol, "openclaw"))
		return error_set(why, "only a source of the protocol openclaw takes its token");
	return (url_parse(&to, url, NULL) && url_is_loopback(&to)) ||
	       error_set(why, "OpenClaw's own token goes to a gateway of this machine only");
}

bool found_is_there(struct sources *all, struct error *why)
{
	char *token = found_look();
	bool is_there = token != NULL;

	if (token)
		explicit_bzero(token, strlen(token));
	free(token);
	found_note(all, is_there);
	return is_there ||
	       error_set(why, "OpenClaw's own configuration names no token, or is not there");
}

enum back_answer found_agree(struct sources *all, const struct source *s,
                             const struct source_wish *wish, struct error *why)
{
	struct text url = wish->url.len ? wish->url : text_of(s ? s->url : NULL);
	struct text protocol = wish->protocol;

	if (!wish->credential_from.len)
		return BACK_DONE;
	if (!protocol.len && s && !s->is_guessed)
		protocol = text_of(s->protocol);
	if (!protocol.len || text_is(protocol, "auto"))
		protocol = text_of(source_detect(url));
	if (!may_take(url, protocol, why))
		return BACK_INVALID;
	return found_is_there(all, why) ? BACK_DONE : BACK_CONFLICT;
}

char *found_token(struct source *s)
{
	char *token;

	if (!takes(s))
		return NULL;
	token = found_look();
	found_note(s->all, token != NULL);
	return token;
}

const char *found_from(const struct source *s)
{
	if (s->credential)
		return "user";
	return takes(s) && s->all->token_found ? FOUND_OPENCLAW : NULL;
}
