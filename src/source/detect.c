/* detect.c - which protocol a URL speaks, by its looks alone. */
#include <assert.h>

#include "source/source.h"

const char *const source_schemes_http[] = {"http://", "https://", NULL};
const char *const source_schemes_ws[] = {"ws://", "wss://", NULL};

bool source_has_scheme(const char *const *schemes, struct text url)
{
	for (; schemes && *schemes; schemes++) {
		struct text scheme = text_of(*schemes);

		if (url.len >= scheme.len &&
		    text_equal_nocase((struct text){url.at, scheme.len}, scheme))
			return true;
	}
	return false;
}

static const struct transport *first_with_scheme(struct text url, bool reads_url)
{
	for (const struct transport *const *t = transports; *t; t++)
		if ((*t)->reads_url == reads_url && source_has_scheme((*t)->schemes, url))
			return *t;
	return NULL;
}

static const struct transport *first_that_recognises(struct text url)
{
	for (const struct transport *const *t = transports; *t; t++)
		if ((*t)->recognises && (*t)->recognises(url))
			return *t;
	return NULL;
}

/* A URL that is none is taken for one of http, and refused as such. */
const char *source_detect_by_scheme(struct text url)
{
	const struct transport *t = first_with_scheme(text_trim(url), false);

	if (!t)
		t = first_with_scheme(text_of(source_schemes_http[0]), false);
	assert(t);
	return t->protocol;
}

const char *source_detect(struct text url)
{
	struct text trimmed = text_trim(url);
	const struct transport *t = first_with_scheme(trimmed, true);

	if (!t)
		t = first_that_recognises(trimmed);
	return t ? t->protocol : source_detect_by_scheme(trimmed);
}
