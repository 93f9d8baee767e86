/* wish.c - what people may say of a source, read and checked. */
#include <yyjson.h>

#include "base/near.h"
#include "base/utf8.h"
#include "net/url.h"
#include "source/found.h"
#include "source/inside.h"
#include "source/palette.h"

/* ---- reading ---- */

enum member_kind { KIND_TEXT, KIND_SWITCH, KIND_CREDENTIAL };

static const struct wish_member {
	const char *name;
	enum member_kind kind;
	size_t offset;
	bool stored_only; /* nobody may say it but sources.json */
} members[] = {
	{"id", KIND_TEXT, offsetof(struct source_wish, id)},
	{"name", KIND_TEXT, offsetof(struct source_wish, name)},
	{"url", KIND_TEXT, offsetof(struct source_wish, url)},
	{"protocol", KIND_TEXT, offsetof(struct source_wish, protocol)},
	{"model", KIND_TEXT, offsetof(struct source_wish, model)},
	{"color", KIND_TEXT, offsetof(struct source_wish, color)},
	{"credential", KIND_CREDENTIAL, offsetof(struct source_wish, credential)},
	{"credentialFrom", KIND_TEXT, offsetof(struct source_wish, credential_from)},
	{"connect", KIND_SWITCH, offsetof(struct source_wish, connect)},
	{"local", KIND_SWITCH, offsetof(struct source_wish, is_local), .stored_only = true},
};
#define MEMBERS (sizeof(members) / sizeof(*members))

static const struct wish_member *wish_find_member(struct text name, bool is_stored,
                                                  struct error *why)
{
	struct near near;

	near_init(&near, name);
	for (size_t i = 0; i < MEMBERS; i++) {
		if (members[i].stored_only && !is_stored)
			continue;
		if (text_is(name, members[i].name))
			return &members[i];
		near_offer(&near, members[i].name);
	}
	if (near_best(&near))
		error_set(why, "a source has no '%.*s', did you mean '%s'?", TEXT_ARG(name),
		          near_best(&near));
	else
		error_set(why, "a source has no '%.*s'", TEXT_ARG(name));
	return NULL;
}

static bool read_member(struct source_wish *wish, const struct wish_member *m, yyjson_val *value,
                        struct error *why)
{
	struct text *text = (struct text *)(void *)((char *)wish + m->offset);
	bool *flag = (bool *)((char *)wish + m->offset);

	if (m->kind == KIND_SWITCH) {
		*flag = yyjson_get_bool(value);
		return yyjson_is_bool(value) ||
		       error_set(why, "'%s' must be true or false", m->name);
	}
	if (m->kind == KIND_CREDENTIAL && yyjson_is_null(value)) {
		wish->forgets_credential = true;
		return true;
	}
	if (!yyjson_is_str(value))
		return error_set(why, "'%s' must be a string", m->name);
	*text = (struct text){yyjson_get_str(value), yyjson_get_len(value)};
	return text->len > 0 || error_set(why, "'%s' is empty", m->name);
}

bool wish_read(struct source_wish *wish, yyjson_val *json, bool is_stored, struct error *why)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(json);
	yyjson_val *key;
	unsigned seen = 0;

	if (!yyjson_is_obj(json))
		return error_set(why, "a source is a JSON object");
	while ((key = yyjson_obj_iter_next(&it))) {
		struct text name = {yyjson_get_str(key), yyjson_get_len(key)};
		const struct wish_member *m = wish_find_member(name, is_stored, why);

		if (!m || !read_member(wish, m, yyjson_obj_iter_get_val(key), why))
			return false;
		if (seen >> (m - members) & 1)
			return error_set(why, "'%s' is given twice", m->name);
		seen |= 1u << (m - members);
		wish->says_connect |= m->offset == offsetof(struct source_wish, connect);
	}
	return wish_check(wish, why);
}

bool source_wish_read(struct source_wish *wish, yyjson_val *json, struct error *why)
{
	return wish_read(wish, json, false, why);
}

/* ---- checking ---- */

static bool wish_is_shown(struct text t)
{
	struct buf shown;
	bool same;

	buf_init(&shown, t.len * 4 + 4);
	utf8_add_shown(&shown, t);
	same = text_equal(buf_text(&shown), t);
	buf_finish(&shown);
	return same;
}

static bool check_words(struct text t, const char *what, size_t max, struct error *why)
{
	if (t.len > max)
		return error_set(why, "%s is longer than %zu bytes", what, max);
	return wish_is_shown(t) || error_set(why, "%s has control characters in it", what);
}

/* Ours have a colon in them, so that nobody's can be one of ours. */
static bool check_id(struct text id, struct error *why)
{
	static const char others[] = "._-";

	for (size_t i = 0; i < id.len; i++) {
		char c = id.at[i];
		bool plain =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		if (!plain && (c == '\0' || !strchr(others, c)))
			return error_set(why, "an id is of letters, digits, '.', '_' and '-'");
	}
	if (id.len > SOURCE_ID_MAX || (id.len && id.at[0] == '.'))
		return error_set(why, "an id has at most %d characters and no '.' in front",
		                 SOURCE_ID_MAX);
	return (!text_is(id, "signalbox") && !text_is(id, "demo") && !text_is(id, "stage")) ||
	       error_set(why, "'%.*s' is our own name", TEXT_ARG(id));
}

static bool is_read_by_transport(struct text url)
{
	for (const struct transport *const *t = transports; *t; t++)
		if ((*t)->reads_url && source_has_scheme((*t)->schemes, url))
			return true;
	return false;
}

static bool is_told_before(const struct transport *const *t)
{
	for (const struct transport *const *before = transports; before != t; before++)
		if ((*before)->schemes == (*t)->schemes)
			return true;
	return false;
}

bool source_check_scheme(struct text url, struct error *why)
{
	struct buf known;

	buf_init(&known, KIB);
	for (const struct transport *const *t = transports; *t; t++) {
		if (source_has_scheme((*t)->schemes, url)) {
			buf_finish(&known);
			return true;
		}
		for (const char *const *s = (*t)->schemes; s && *s && !is_told_before(t); s++)
			buf_print(&known, "%s%s", known.len ? ", " : "", *s);
	}
	error_set(why, "'%.*s' is no URL of a source; it begins with one of %.*s", TEXT_ARG(url),
	          TEXT_ARG(buf_text(&known)));
	buf_finish(&known);
	return false;
}

static bool check_url(struct text url, struct error *why)
{
	struct url parsed;

	if (url.len > SOURCE_URL_MAX)
		return error_set(why, "the URL is longer than %d bytes", SOURCE_URL_MAX);
	if (is_read_by_transport(url))
		return wish_is_shown(url) || error_set(why, "the URL has control characters in it");
	return url_parse(&parsed, url, why);
}

bool source_check_protocol(struct text protocol, struct error *why)
{
	struct buf known;

	if (text_is(protocol, "auto") || transport_find(protocol))
		return true;
	buf_init(&known, KIB);
	for (const struct transport *const *t = transports; *t; t++)
		buf_print(&known, "%s, ", (*t)->protocol);
	error_set(why, "no protocol '%.*s'; there are %.*sand auto", TEXT_ARG(protocol),
	          TEXT_ARG(buf_text(&known)));
	buf_finish(&known);
	return false;
}

/* One line of what may stand in a header. */
static bool check_credential(struct text t, struct error *why)
{
	if (t.len > SOURCE_CREDENTIAL_MAX)
		return error_set(why, "the credential is longer than %d bytes",
		                 SOURCE_CREDENTIAL_MAX);
	for (size_t i = 0; i < t.len; i++)
		if ((unsigned char)t.at[i] < 0x20 || (unsigned char)t.at[i] >= 0x7f)
			return error_set(why, "the credential is not one line of plain text");
	return true;
}

static bool check_origin(const struct source_wish *w, struct error *why)
{
	if (w->credential_from.len == 0)
		return true;
	if (!found_is_from(w->credential_from, why))
		return false;
	return (!w->credential.len && !w->forgets_credential) ||
	       error_set(why, "a credential is given or taken from elsewhere, not both");
}

bool wish_check(const struct source_wish *w, struct error *why)
{
	return (w->is_local || check_id(w->id, why)) &&
	       check_words(w->id, "the id", SOURCE_ID_MAX, why) &&
	       check_words(w->name, "the name", SOURCE_NAME_MAX, why) &&
	       check_words(w->model, "the model", SOURCE_MODEL_MAX, why) &&
	       (w->url.len == 0 || w->is_local || check_url(w->url, why)) &&
	       (w->protocol.len == 0 || w->is_local || source_check_protocol(w->protocol, why)) &&
	       (w->color.len == 0 || palette_is_color(w->color) ||
	        error_set(why, "a color looks like #5B8DEF")) &&
	       check_credential(w->credential, why) && check_origin(w, why);
}
