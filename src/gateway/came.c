/* came.c - frames of a gateway, from signals that came as such. */
#include "gateway/came.h"

#include <stdio.h>

#include "base/put.h"
#include "signal/signal.h"

#define STREAM_MAX 128

static struct text stream_of(const struct telling *t)
{
	return json_text_at(t->came.payload, "stream");
}

static bool came_is_chat(const struct telling *t)
{
	return text_is(t->came.event, "chat");
}

static bool came_is_good(const struct telling_came *came)
{
	if (text_is(came->event, "chat"))
		return json_text_at(came->payload, "phase").len > 0;
	return text_is(came->event, "agent") && json_text_at(came->payload, "stream").len > 0 &&
	       json_text_at(came->payload, "stream").len < STREAM_MAX;
}

/* A signal of the type `event` has the payload itself. */
void came_find(struct telling *t)
{
	yyjson_val *metadata = yyjson_obj_get(t->s->envelope, "metadata");
	yyjson_val *origin = yyjson_obj_get(metadata, "origin");
	yyjson_val *frame = yyjson_obj_get(origin, "frame");
	struct telling_came came = {
		.protocol = (unsigned)yyjson_get_uint(yyjson_obj_get(origin, "protocol")),
		.event = frame ? json_text_at(frame, "event")
	                       : json_text_at(t->payload, "eventCategory"),
		.payload = frame ? yyjson_obj_get(frame, "payload") : t->payload,
	};

	if (text_is(json_text_at(origin, "dialect"), "gateway") && came_is_good(&came) &&
	    came.protocol >= GATEWAY_OLDEST && came.protocol <= GATEWAY_NEWEST)
		t->came = came;
}

bool came_begins(const struct telling *t)
{
	return t->came.payload && text_is(stream_of(t), "lifecycle") &&
	       text_is(json_text_at(yyjson_obj_get(t->came.payload, "data"), "phase"), "start");
}

bool came_is_due(const struct telling *t)
{
	return t->came.payload && (!t->is_start || came_begins(t));
}

/* What the signal says of words, and what the frame has besides. */
static void put_words(struct buf *out, yyjson_val *rest, struct text data)
{
	static const char *const without[] = {"text", "delta", NULL};

	put_key(out, "data");
	buf_add(out, (struct text){data.at, data.len - 1});
	json_add_members(out, rest, without, ',');
	buf_add_char(out, '}');
}

static void put_given(struct buf *out, const char *key, struct text value)
{
	if (value.len)
		put_text(out, key, value);
}

void came_put_agent(struct buf *out, const struct telling *t, struct text data)
{
	yyjson_val *payload = t->came.payload, *given = yyjson_obj_get(payload, "data");
	yyjson_val *heartbeat = yyjson_obj_get(payload, "isHeartbeat");
	struct text stream = stream_of(t);

	put_text(out, "stream", stream);
	if (text_is(stream, "assistant") || text_is(stream, "thinking")) {
		put_words(out, given, data);
	} else {
		put_key(out, "data");
		if (yyjson_is_obj(given))
			json_add(out, given);
		else
			buf_add(out, TEXT("{}"));
	}
	if (t->came.protocol == GATEWAY_OLDEST)
		return;
	if (yyjson_is_bool(heartbeat))
		put_bool(out, "isHeartbeat", yyjson_get_bool(heartbeat));
	put_given(out, "sessionId", json_text_at(payload, "sessionId"));
	put_given(out, "spawnedBy", json_text_at(payload, "spawnedBy"));
}

static void tell_status(struct telling *t)
{
	struct gateway_event e = {OPENCLAW_CHAT, GATEWAY_OF_RUNS, .protocol = t->came.protocol,
	                          .session = text_of(t->run->key)};
	struct buf out;

	buf_init(&out, TELLING_MAX);
	put_object(&out, NULL);
	telling_put_run(&out, t->run, 2 * t->run->seq + 1, e.protocol);
	put_word(&out, "state", "status");
	put_text(&out, "phase", json_text_at(t->came.payload, "phase"));
	put_given(&out, "spawnedBy", json_text_at(t->came.payload, "spawnedBy"));
	put_end(&out);
	e.payload = buf_text(&out);
	if (!out.full && telling_is_heard(t, e.protocol))
		telling_give(t, &e);
	buf_finish(&out);
}

/* Phases of a run's life are of their protocol: others take them for ends. */
void came_tell(struct telling *t)
{
	struct text name = stream_of(t);
	bool is_tool = text_is(name, "tool");
	char stream[STREAM_MAX];
	struct buf data;

	if (came_is_chat(t)) {
		tell_status(t);
		return;
	}
	snprintf(stream, sizeof(stream), "%.*s", TEXT_ARG(name));
	if (text_is(name, "lifecycle"))
		t->but = ~(1U << t->came.protocol);
	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	json_add_members(&data, yyjson_obj_get(t->came.payload, "data"), (const char *[]){NULL},
	                 ' ');
	put_end(&data);
	if (!data.full)
		telling_agent(t, stream, is_tool ? GATEWAY_OF_TOOLS : GATEWAY_OF_RUNS,
		              buf_text(&data));
	buf_finish(&data);
	t->but = 0;
}
