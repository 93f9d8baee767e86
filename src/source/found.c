/* found.c - which sources take the credential that a producer's own configuration names. */
#include "source/found.h"

#include <assert.h>
#include <stdlib.h>

#include "net/url.h"
#include "source/inside.h"

const struct transport *found_giver(struct text from)
{
	const struct transport *t = transport_find(from);

	return t && t->own_credential ? t : NULL;
}

bool found_is_from(struct text from, struct error *why)
{
	struct buf names;

	if (found_giver(from))
		return true;
	buf_init(&names, KIB);
	for (const struct transport *const *t = transports; *t; t++)
		if ((*t)->own_credential)
			buf_print(&names, "%s%s", names.len ? " or " : "", (*t)->protocol);
	error_set(why, "a credential can be taken from %.*s only", TEXT_ARG(buf_text(&names)));
	buf_finish(&names);
	return false;
}

/* Whose it takes; NULL: nobody's. */
static const struct transport *takes_from(const struct source *s)
{
	if (s->credential)
		return NULL;
	if (s->takes_from)
		return s->takes_from;
	return s->is_local ? found_giver(text_of(s->protocol)) : NULL;
}

static unsigned found_bit(const struct transport *giver)
{
	unsigned bit = 1;

	for (const struct transport *const *t = transports; *t != giver; t++)
		bit <<= 1;
	assert(bit);
	return bit;
}

static void found_note(struct sources *all, const struct transport *giver, bool is_there)
{
	unsigned bit = found_bit(giver);

	if (((all->found & bit) != 0) == is_there)
		return;
	all->found ^= bit;
	for (struct source *s = sources_next(all, NULL); s; s = sources_next(all, s))
		if (takes_from(s) == giver)
			sources_mark(s);
}

static bool may_take(const struct transport *giver, struct text url, struct text protocol,
                     struct error *why)
{
	struct url to;

	if (!text_is(protocol, giver->protocol))
		return error_set(why, "only a source of the protocol %s takes its %s",
		                 giver->protocol, giver->credential);
	return (url_parse(&to, url, NULL) && url_is_loopback(&to)) ||
	       error_set(why, "%s's own %s goes to an address of this machine only", giver->owner,
	                 giver->credential);
}

static bool found_is_there(struct sources *all, const struct transport *giver)
{
	char *token = giver->own_credential();
	bool is_there = token != NULL;

	if (token)
		explicit_bzero(token, strlen(token));
	free(token);
	found_note(all, giver, is_there);
	return is_there;
}

void found_look(struct sources *all)
{
	for (const struct transport *const *t = transports; *t; t++)
		if ((*t)->own_credential)
			found_is_there(all, *t);
}

enum back_answer found_agree(struct sources *all, const struct source *s,
                             const struct source_wish *wish, struct error *why)
{
	const struct transport *giver = found_giver(wish->credential_from);
	struct text url = wish->url.len ? wish->url : text_of(s ? s->url : NULL);
	struct text protocol = wish->protocol;

	if (!giver)
		return BACK_DONE;
	if (!protocol.len && s && !s->is_guessed)
		protocol = text_of(s->protocol);
	if (!protocol.len || text_is(protocol, "auto"))
		protocol = text_of(source_detect(url));
	if (!may_take(giver, url, protocol, why))
		return BACK_INVALID;
	if (found_is_there(all, giver))
		return BACK_DONE;
	error_set(why, "%s's own configuration names no %s, or is not there", giver->owner,
	          giver->credential);
	return BACK_CONFLICT;
}

char *found_token(struct source *s)
{
	const struct transport *giver = takes_from(s);
	char *token;

	if (!giver)
		return NULL;
	token = giver->own_credential();
	found_note(s->all, giver, token != NULL);
	return token;
}

const char *found_from(const struct source *s)
{
	const struct transport *giver = takes_from(s);

	if (s->credential)
		return "user";
	return giver && s->all->found & found_bit(giver) ? giver->protocol : NULL;
}
