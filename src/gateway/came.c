/* came.c - frames of a gateway, from signals that came as such. */
#include "gateway/came.h"

#include <stdio.h>

#include "base/put.h"
#include "base/utf8.h"
#include "gateway/came_chat.h"
#include "run/said.h"
#include "signal/signal.h"

static bool came_is_good(const struct telling_came *came)
{
	struct text stream = json_text_at(came->payload, "stream");

	if (text_is(came->event, "chat"))
		return json_text_at(came->payload, "state").len > 0;
	return text_is(came->event, "agent") && stream.len > 0 && stream.len < CAME_STREAM_MAX;
}

static uint64_t origin_number(yyjson_val *origin, const char *name)
{
	return yyjson_get_uint(yyjson_obj_get(origin, name));
}

static void find_text(struct telling_came *came, yyjson_val *origin)
{
	came->said = origin_number(origin, "said");
	came->text = origin_number(origin, "text");
	came->delta = origin_number(origin, "delta");
	came->has_text = came->text > 0 && came->text <= came->said && came->delta <= came->text;
}

/* A signal of the type `event` has the payload itself. */
void came_find(struct telling *t)
{
	yyjson_val *metadata = yyjson_obj_get(t->s->envelope, "metadata");
	yyjson_val *origin = yyjson_obj_get(metadata, "origin");
	yyjson_val *frame = yyjson_obj_get(origin, "frame");
	bool is_itself = text_is(t->s->type, "event");
	struct telling_came came = {
		.protocol = (unsigned)origin_number(origin, "protocol"),
		.event = is_itself && !frame ? json_text_at(t->payload, "eventCategory")
	                                     : json_text_at(frame, "event"),
		.payload = is_itself && !frame ? t->payload : yyjson_obj_get(frame, "payload"),
		.settles = json_text_at(origin, "settles"),
		.reason = json_text_at(origin, "stopReason"),
	};

	if (!text_is(json_text_at(origin, "dialect"), "gateway") ||
	    came.protocol < GATEWAY_OLDEST || came.protocol > GATEWAY_NEWEST)
		return;
	find_text(&came, origin);
	if (yyjson_is_true(yyjson_obj_get(origin, "again")) || !came_is_good(&came))
		came.payload = NULL;
	t->came = came;
}

unsigned came_bit(const struct telling *t)
{
	return t->came.protocol ? 1U << t->came.protocol : 0;
}

static struct text stream_of(const struct telling *t)
{
	return text_is(t->came.event, "agent") ? json_text_at(t->came.payload, "stream") : TEXT("");
}

bool came_begins(const struct telling *t)
{
	return text_is(stream_of(t), "lifecycle") &&
	       text_is(json_text_at(yyjson_obj_get(t->came.payload, "data"), "phase"), "start");
}

/* ---- the text so far ---- */

static bool has_words(const struct said_message *m)
{
	return m->role == SAID_ASSISTANT && !m->part && said_text(&m->text).len;
}

/* The first of the messages that together have so many bytes; all: how many they have. */
static const struct link *first_with(const struct said *said, size_t wanted, size_t *all)
{
	const struct link *l, *first = &said->messages;

	*all = 0;
	for (l = said->messages.prev; l != &said->messages && *all < wanted; l = l->prev) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (!has_words(m))
			continue;
		first = l;
		*all += said_text(&m->text).len;
	}
	return first;
}

/* One alone stays where it is. */
static void join(struct text *text, struct buf *joined, struct text more)
{
	if (!text->len) {
		*text = more;
		return;
	}
	if (!joined->len)
		buf_add(joined, *text);
	buf_add(joined, more);
	*text = buf_text(joined);
}

/* A gateway goes on in one text over what are several messages here, and begins another one within
 * a message, as it likes: it is the end of all that was said. */
struct text came_text(const struct telling *t, struct buf *joined)
{
	size_t all, said = t->came.said, len = t->came.text;
	struct text text = {NULL, 0};

	if (!t->said || !t->came.has_text)
		return TEXT("");
	for (const struct link *l = first_with(t->said, said, &all); l != &t->said->messages;
	     l = l->next) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (has_words(m))
			join(&text, joined, said_text(&m->text));
	}
	if (all < said) { /* its beginning is gone */
		len = len > said - all ? len - (said - all) : 0;
		said = all;
	}
	text = (struct text){text.at + (text.len - said), said};
	while (text.len && len && ((unsigned char)text.at[0] & 0xc0) == 0x80) {
		text.at++;
		text.len--;
		len--;
	}
	return utf8_cut(text, len);
}

/* ---- agent ---- */

static void came_put_words(struct buf *out, struct telling *t, yyjson_val *given)
{
	static const char *const without[] = {"text", "delta", NULL};
	bool is_thought = t->s->kind == KIND_THINKING;
	struct text text = telling_text_now(t), delta = json_text_at(t->payload, "content");
	struct buf joined;

	buf_init(&joined, TELLING_MAX);
	if (t->came.has_text) {
		text = came_text(t, &joined);
		delta = telling_tail(text, t->came.delta);
	} else if (is_thought) {
		text = buf_text(&t->run->thought);
	}
	if (is_thought ? !t->run->thought.full : text.len <= telling_text_max(t))
		put_text(out, "text", text);
	put_text(out, "delta", delta);
	json_add_members(out, given, without, ',');
	buf_finish(&joined);
}

static void put_data(struct buf *out, struct telling *t)
{
	static const char *const none[] = {NULL};
	yyjson_val *given = yyjson_obj_get(t->came.payload, "data");

	put_object(out, "data");
	if (t->s->kind == KIND_TEXT_DELTA || t->s->kind == KIND_THINKING || t->came.has_text)
		came_put_words(out, t, given);
	else
		json_add_members(out, given, none, ' ');
	put_end(out);
}

static void tell_agent(struct telling *t)
{
	yyjson_val *payload = t->came.payload, *heartbeat = yyjson_obj_get(payload, "isHeartbeat");
	bool is_tool = text_is(stream_of(t), "tool");
	struct gateway_event e = {OPENCLAW_AGENT, is_tool ? GATEWAY_OF_TOOLS : GATEWAY_OF_RUNS,
	                          .protocol = t->came.protocol, .session = text_of(t->run->key)};
	struct buf out;

	buf_init(&out, TELLING_MAX);
	put_object(&out, NULL);
	telling_put_run(&out, t->run, 2 * t->run->seq + 1, e.protocol);
	put_u64(&out, "ts", (uint64_t)t->run->at_ms);
	put_text(&out, "stream", stream_of(t));
	put_data(&out, t);
	if (e.protocol > GATEWAY_OLDEST) {
		if (yyjson_is_bool(heartbeat))
			put_bool(&out, "isHeartbeat", yyjson_get_bool(heartbeat));
		came_put_given(&out, payload, "sessionId");
		came_put_given(&out, payload, "spawnedBy");
	}
	put_end(&out);
	e.payload = buf_text(&out);
	if (!out.full)
		telling_give(t, &e);
	buf_finish(&out);
}

void came_put_given(struct buf *out, yyjson_val *payload, const char *name)
{
	struct text value = json_text_at(payload, name);

	if (value.len)
		put_text(out, name, value);
}

void came_tell(struct telling *t)
{
	t->but = ~came_bit(t);
	if (t->came.protocol && telling_is_heard(t, t->came.protocol)) {
		if (t->came.settles.len)
			came_settle(t);
		else if (t->came.payload && text_is(t->came.event, "chat"))
			came_tell_chat(t);
		else if (t->came.payload)
			tell_agent(t);
	}
	t->but = 0;
}

/* Phases of a run's life are of their protocol: others take them for ends. */
void came_tell_others(struct telling *t)
{
	struct text name = stream_of(t);
	char stream[CAME_STREAM_MAX];
	struct buf data;

	if (!name.len || text_is(name, "lifecycle"))
		return;
	snprintf(stream, sizeof(stream), "%.*s", TEXT_ARG(name));
	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	json_add_members(&data, yyjson_obj_get(t->came.payload, "data"), (const char *[]){NULL},
	                 ' ');
	put_end(&data);
	if (!data.full)
		telling_agent(t, stream, text_is(name, "tool") ? GATEWAY_OF_TOOLS : GATEWAY_OF_RUNS,
		              buf_text(&data));
	buf_finish(&data);
}
