/* routes.c - routes of the configuration, and what their conditions see. */
#include "deliver/routes.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "config/config.h"
#include "deliver/clause.h"

#define SEEN_MAX (2 * MIB)
#define SEEN_TEXT_MAX (256 * KIB) /* of what was said; a condition sees no more */

struct routes {
	struct clause *when; /* of each */
	size_t count;
	struct json_reader reader;
	struct buf seen, type;
	struct cue cue;
};

struct routes *routes_create(const struct config *config)
{
	struct routes *r = must_zero(1, sizeof(*r));

	r->count = config->route_count;
	r->when = must_zero(r->count, sizeof(*r->when));
	for (size_t i = 0; i < r->count; i++)
		clause_init(&r->when[i], config->routes[i].when);
	json_reader_init(&r->reader, SEEN_MAX);
	buf_init(&r->seen, SEEN_MAX);
	buf_init(&r->type, KIB);
	return r;
}

void routes_destroy(struct routes *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->count; i++)
		clause_finish(&r->when[i]);
	free(r->when);
	json_reader_finish(&r->reader);
	buf_finish(&r->seen);
	buf_finish(&r->type);
	free(r);
}

static void put_chat(const struct routes_seen *seen, struct buf *out)
{
	struct buf chat;

	if (!seen->account.len)
		return;
	buf_init(&chat, 4 * KIB);
	buf_add(&chat, seen->account);
	buf_add_char(&chat, ':');
	buf_add(&chat, seen->peer);
	put_text(out, "chat", buf_text(&chat));
	buf_finish(&chat);
}

static void put_place(struct text cwd, struct buf *out)
{
	size_t at = cwd.len;

	if (!cwd.len)
		return;
	while (at > 0 && cwd.at[at - 1] != '/')
		at--;
	put_text(out, "cwd", cwd);
	put_text(out, "project", (struct text){cwd.at + at, cwd.len - at});
}

/* Where both say something, what the box says is found first. */
static void put_seen(const struct routes_seen *seen, struct buf *out)
{
	struct text payload = text_of(seen->end->payload);

	put_object(out, NULL);
	put_word(out, "source", seen->end->source);
	put_word(out, "run", seen->end->run);
	if (seen->agent.len)
		put_text(out, "agent", seen->agent);
	put_text(out, "text", utf8_cut(seen->text, SEEN_TEXT_MAX));
	put_bool(out, "failed", seen->has_failed);
	put_chat(seen, out);
	put_place(text_of(seen->end->cwd), out);
	if (payload.len > 2) { /* its members, without the braces */
		buf_add_char(out, ',');
		buf_add(out, (struct text){payload.at + 1, payload.len - 2});
	}
	put_end(out);
}

bool routes_see(struct routes *r, const struct routes_seen *seen)
{
	buf_clear(&r->seen);
	buf_clear(&r->type);
	r->seen.full = false;
	put_seen(seen, &r->seen);
	buf_add(&r->type, utf8_cut(text_of(seen->end->type), KIB / 2));
	r->cue = (struct cue){.type = buf_text(&r->type)};
	if (!r->seen.full)
		r->cue.payload =
			yyjson_doc_get_root(json_read(&r->reader, buf_text(&r->seen), NULL));
	return r->cue.payload != NULL;
}

bool routes_fit(const struct routes *r, size_t i)
{
	return clause_holds(&r->when[i], &r->cue);
}
