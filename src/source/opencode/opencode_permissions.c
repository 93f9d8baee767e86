/* opencode_permissions.c - what opencode wants to be allowed, and what people say to it. */
#include <stdio.h>

#include "base/put.h"
#include "source/opencode/opencode_parts.h"

/* ---- known ones ---- */

static struct opencode_permission *find_permission(struct opencode_memory *m, struct text id)
{
	for (size_t i = 0; i < m->asked_count && i < OPENCODE_ASKED_MAX; i++)
		if (text_is(id, m->asked[i].id))
			return &m->asked[i];
	return NULL;
}

static struct opencode_permission *note_permission(struct opencode_memory *m, yyjson_val *asked)
{
	struct text id = json_text_at(asked, "id"), session = json_text_at(asked, "sessionID");
	struct opencode_permission *p;

	if (!opencode_is_name(id) || !opencode_is_name(session))
		return NULL;
	p = find_permission(m, id);
	if (!p) {
		p = &m->asked[m->asked_count++ % OPENCODE_ASKED_MAX];
		*p = (struct opencode_permission){0};
		memcpy(p->id, id.at, id.len);
		memcpy(p->session, session.at, session.len);
	}
	p->is_listed = true;
	return p;
}

static void hear_permission_reply(struct opencode_line *o, yyjson_val *properties)
{
	struct text id = json_text_at(properties, "requestID");
	struct text word = json_text_at(properties, "reply");
	struct opencode_permission *p = find_permission(o->memory, id);
	char decision[32];

	snprintf(decision, sizeof(decision), "%.*s", word.len < 30 ? (int)word.len : 30,
	         word.len ? word.at : "");
	source_decided(o->source, &(struct source_decision){
					  .id = id,
					  .is_elsewhere = !p || strcmp(p->sent, decision) != 0,
					  .decision = decision,
				  });
	if (p)
		p->is_listed = false;
}

void opencode_hear_permission(struct opencode_line *o, struct text type, yyjson_val *properties)
{
	if (text_is(type, "permission.asked"))
		note_permission(o->memory, properties);
	else if (text_is(type, "permission.replied"))
		hear_permission_reply(o, properties);
}

/* ---- at each connection ---- */

static void feed_permission(struct opencode_line *o, yyjson_val *asked)
{
	struct buf event;

	buf_init(&event, OPENCODE_EVENT_MAX);
	put_object(&event, NULL);
	put_word(&event, "type", "permission.asked");
	put_key(&event, "properties");
	if (!json_add(&event, asked))
		event.full = true;
	put_end(&event);
	if (!event.full)
		opencode_feed(o->memory, buf_text(&event));
	buf_finish(&event);
}

void opencode_unlist_permissions(struct opencode_memory *m)
{
	for (size_t i = 0; i < OPENCODE_ASKED_MAX; i++)
		m->asked[i].is_listed = false;
}

void opencode_list_permission(struct opencode_line *o, yyjson_val *asked, const struct map *shown)
{
	struct opencode_permission *p = note_permission(o->memory, asked);

	if (p && !p->sent[0] && !map_get(shown, text_of(p->id)))
		feed_permission(o, asked);
}

bool opencode_asks_permission(struct opencode_memory *m, struct text prompt)
{
	const struct opencode_permission *p = find_permission(m, prompt);

	return p && p->is_listed;
}

/* ---- answers ---- */

static void reply_taken(struct opencode_line *o, const struct opencode_call *call,
                        yyjson_val *answer)
{
	struct text id = text_of(call->what);
	struct opencode_permission *p = find_permission(o->memory, id);
	char remark[320];

	if (answer) {
		source_decided(o->source, &(struct source_decision){
						  .id = id, .decision = p ? p->sent : "once"});
		return;
	}
	if (call->status == 404 || call->status == 400) {
		source_withdrew(o->source, id, "opencode does not ask for it any more");
		return;
	}
	if (p)
		p->sent[0] = '\0';
	snprintf(remark, sizeof(remark), "opencode did not take that answer: %s", call->why);
	source_bad(o->source, remark);
}

static const char *reply_word(struct text value)
{
	static const char *const words[] = {"once", "always", "reject"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (value.len > 2 && text_is((struct text){value.at + 1, value.len - 2}, words[i]))
			return words[i];
	return NULL;
}

/* Nothing is said for nobody: it waits for whoever answers there. */
bool opencode_answer_permission(struct opencode_line *o, const struct back_outcome *reply,
                                struct error *why)
{
	struct opencode_permission *p = find_permission(o->memory, reply->id);
	const char *word = reply_word(reply->value);
	struct opencode_seen seen = {0};
	char route[OPENCODE_ID_MAX + 32];
	struct buf body;
	bool sent;

	if (!word)
		return true;
	if (o->is_over || !o->is_live)
		return error_set(why, "opencode is not connected");
	if (!p)
		return o->is_synced || error_set(why, "what opencode asks is not known yet");
	opencode_find(o->memory->parse, text_of(p->session), &seen);
	snprintf(route, sizeof(route), "/permission/%s/reply", p->id);
	buf_init(&body, KIB);
	put_object(&body, NULL);
	put_word(&body, "reply", word);
	put_end(&body);
	snprintf(p->sent, sizeof(p->sent), "%s", word);
	sent = opencode_call(o, &(struct opencode_asked){.route = route,
	                                                 .directory = seen.directory,
	                                                 .body = buf_text(&body),
	                                                 .what = reply->id,
	                                                 .take = reply_taken});
	buf_finish(&body);
	if (!sent)
		p->sent[0] = '\0';
	return sent || error_set(why, "it is more than opencode takes now");
}
