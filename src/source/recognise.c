/* recognise.c - what a URL would be as a source, by its looks alone: nobody is asked.
 *
 * The protocol is the one that a new source of this URL begins with.  It may turn out to be
 * another one, and what needs a credential and has none is taken for what its scheme says:
 * that is told as what it may become.
 */
#include <assert.h>
#include <stdio.h>

#include "base/put.h"
#include "net/url.h"
#include "source/inside.h"

#define NAMES_MAX 1000 /* that are tried before somebody has to think of one */

static const char *may_become(struct text url)
{
	const struct transport *t = transport_find(text_of(source_detect(url)));

	return t->needs_credential ? source_detect_by_scheme(url) : t->may_become;
}

static const struct source *find_url(const struct sources *all, struct text url)
{
	for (const struct source *s = sources_next(all, NULL); s; s = sources_next(all, s))
		if (s->url && text_is(url, s->url))
			return s;
	return NULL;
}

/* What people would call it: the host, or the file, or the port. */
static struct text call_it(struct text url, struct url *parsed)
{
	struct text path, query, last;

	if (url_parse(parsed, url, NULL))
		return text_of(parsed->host);
	text_cut(url, ':', &path);
	path = text_cut(path, '?', &query);
	last = path;
	while (path.at) {
		struct text part = text_cut(path, '/', &path);

		if (part.len)
			last = part;
	}
	return last;
}

static bool recognise_is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Of what an id may be made of, and not so long that no number fits behind it. */
static void recognise_make_id(struct text name, char id[SOURCE_ID_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < name.len && n < SOURCE_ID_MAX - 5; i++) {
		if (recognise_is_plain(name.at[i]))
			id[n++] = name.at[i];
		else if (n > 0 && id[n - 1] != '-')
			id[n++] = '-';
	}
	while (n > 0 && id[n - 1] == '-')
		n--;
	id[n] = '\0';
	assert(n < SOURCE_ID_MAX);
}

/* One that nobody has; false: think of one yourself. */
static bool find_id(const struct sources *all, struct text name, char id[SOURCE_ID_MAX + 1])
{
	size_t len;

	recognise_make_id(name, id);
	len = strlen(id);
	for (unsigned i = 2; len > 0 && i < NAMES_MAX; i++) {
		if (!sources_knows(all, text_of(id)) &&
		    wish_check(&(struct source_wish){.id = text_of(id)}, NULL))
			return true;
		snprintf(id + len, SOURCE_ID_MAX + 1 - len, "-%u", i);
	}
	return false;
}

static void recognise_add_text(struct buf *out, const char *name, struct text value)
{
	put_key(out, name);
	if (value.len)
		buf_add_json(out, value);
	else
		buf_add(out, TEXT("null"));
}

void sources_recognise(const struct sources *all, struct text url, struct buf *out)
{
	const struct source *known = find_url(all, url);
	char id[SOURCE_ID_MAX + 1];
	struct url parsed;
	struct text name = call_it(url, &parsed);

	recognise_add_text(out, "protocol", text_of(source_detect(url)));
	recognise_add_text(out, "mayBecome", text_of(may_become(url)));
	recognise_add_text(out, "category", text_of(known && known->is_local ? "local" : "remote"));
	recognise_add_text(out, "id", find_id(all, name, id) ? text_of(id) : TEXT(""));
	recognise_add_text(out, "name", name.len <= SOURCE_NAME_MAX ? name : TEXT(""));
	recognise_add_text(out, "known", known ? text_of(known->id) : TEXT(""));
}
