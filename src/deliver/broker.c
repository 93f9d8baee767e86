/* broker.c - from the signals of a run to the callbacks of its agent. */
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/utf8.h"
#include "deliver/attached.h"
#include "deliver/streaming.h"
#include "signal/json.h"
#include "signal/signal.h"

#define WHY_MAX (4 * KIB)

void broker_init(struct broker *b, const struct agent_streaming_callbacks *callbacks, void *self)
{
	*b = (struct broker){.callbacks = callbacks, .self = self};
	hearing_init(&b->hearing);
	buf_init(&b->message, BROKER_MESSAGE_MAX);
	buf_init(&b->why, WHY_MAX);
}

void broker_finish(struct broker *b)
{
	hearing_finish(&b->hearing);
	buf_finish(&b->message);
	buf_finish(&b->why);
}

/* ---- a message ---- */

#define CALL(b, name, ...) \
	do { \
		if ((b)->callbacks->name) \
			(b)->callbacks->name((b)->self, __VA_ARGS__); \
	} while (0)

static void begin_message(struct broker *b)
{
	if (b->in_message)
		return;
	b->in_message = true;
	buf_clear(&b->message);
	b->is_cut = false;
	CALL(b, on_assistant_message_start, b->now_ms);
}

static void end_text(struct broker *b)
{
	if (!b->in_text)
		return;
	b->in_text = false;
	CALL(b, on_text_end, buf_text(&b->message), b->now_ms);
}

static void end_message(struct broker *b)
{
	end_text(b);
	if (!b->in_message)
		return;
	b->in_message = false;
	CALL(b, on_assistant_message_end, b->now_ms);
}

static void tell_delta(struct broker *b, struct text delta)
{
	struct payload reply;

	if (!delta.len)
		return;
	buf_add(&b->message, delta);
	CALL(b, on_text_delta, delta, b->now_ms);
	reply = (struct payload){.text = buf_text(&b->message)};
	CALL(b, on_partial_reply, &reply, b->now_ms);
}

/* What does not fit is left out with all that follows it, and said to be. */
static void say(struct broker *b, struct text delta)
{
	size_t room;

	if (!delta.len)
		return;
	begin_message(b);
	if (!b->in_text) {
		b->in_text = true;
		CALL(b, on_text_start, b->now_ms);
	}
	if (b->is_cut)
		return;
	room = BROKER_MESSAGE_MAX - sizeof(PAYLOAD_CUT_NOTE) - b->message.len;
	b->is_cut = delta.len > room;
	tell_delta(b, b->is_cut ? utf8_cut(delta, room) : delta);
	if (b->is_cut)
		tell_delta(b, TEXT(PAYLOAD_CUT_NOTE));
}

/* ---- media ---- */

static void add_media(struct broker *b, yyjson_val *url)
{
	struct text where = json_text(url);

	if (!url || b->media_count >= PAYLOAD_MEDIA_MAX)
		return;
	if (attached_fits(where))
		b->media[b->media_count++] = where;
	else
		log_warn("deliver",
		         "a file of an agent is left out: what names it is no line of "
		         "1 to %d bytes",
		         CHANNEL_WHERE_MAX);
}

/* mediaUrls are the payload's own: none is looked for in a text.  Those of subagents are not for
 * the person. */
static void read_media(struct broker *b, const struct signal *s)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	yyjson_val *metadata = yyjson_obj_get(s->envelope, "metadata");
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(payload, "mediaUrls"));
	yyjson_val *one;

	b->media_count = 0;
	if ((s->kind != KIND_TEXT_DELTA && s->kind != KIND_COMPLETION &&
	     !text_is(s->type, "agent.media")) ||
	    json_text_at(metadata, "agent_id").len)
		return;
	b->is_voice = yyjson_is_true(yyjson_obj_get(payload, "audioAsVoice"));
	add_media(b, yyjson_obj_get(payload, "mediaUrl"));
	while ((one = yyjson_arr_iter_next(&it)))
		add_media(b, one);
}

/* Behind what was said with them. */
static void give_media(struct broker *b)
{
	struct payload reply = {.text = buf_text(&b->message),
	                        .media = b->media,
	                        .media_count = b->media_count,
	                        .is_voice = b->is_voice};

	if (b->media_count)
		CALL(b, on_partial_reply, &reply, b->now_ms);
	b->media_count = 0;
}

/* ---- events ---- */

static void hear_said(struct broker *b, const struct run_event *e)
{
	if (!e->is_thought) {
		say(b, e->text);
		return;
	}
	begin_message(b);
	CALL(b, on_reasoning_stream, e->text, b->now_ms);
}

/* A reply that did not come in pieces is said at once; one that says the same again is not. */
static void hear_replied(struct broker *b, const struct run_event *e)
{
	bool was_said = text_equal(text_trim(e->text), text_trim(buf_text(&b->message)));

	if (!b->in_text && !was_said && !b->is_cut && !e->is_note)
		say(b, e->text);
	end_message(b);
	if (e->has_call)
		CALL(b, on_tool_start, e->tool, e->input, b->now_ms);
}

static void hear_failed(struct broker *b, const struct run_event *e)
{
	buf_clear(&b->why);
	buf_add(&b->why, (struct text){e->text.at, e->text.len < WHY_MAX ? e->text.len : WHY_MAX});
}

/* What subagents say is not said to the person. */
static void hear_event(void *self, const struct run_event *e)
{
	struct broker *b = self;

	if (e->part.len)
		return;
	b->call = e->call;
	b->tool_failed = e->has_failed;
	if (e->kind == RUN_SAID)
		hear_said(b, e);
	else if (e->kind == RUN_REPLIED)
		hear_replied(b, e);
	else if (e->kind == RUN_RETURNED)
		CALL(b, on_tool_end, e->tool, e->output, b->now_ms);
	else if (e->kind == RUN_FAILED)
		hear_failed(b, e);
}

/* An ask ends in one completion or error; those of its subagents have other tasks. */
static enum broker_end end_of(const struct signal *s, struct text run)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	struct text task = json_text_at(payload, "taskId");

	if (s->kind == KIND_COMPLETION && (!task.len || text_equal(task, run)))
		return yyjson_is_false(yyjson_obj_get(payload, "success")) ? BROKER_FAILED
		                                                           : BROKER_COMPLETED;
	if (s->kind == KIND_ERROR && !text_is(json_text_at(payload, "severity"), "warning"))
		return BROKER_FAILED;
	return BROKER_GOES_ON;
}

void broker_hear(struct broker *b, const struct signal *s, struct text run, int64_t now_ms)
{
	if (b->end != BROKER_GOES_ON)
		return;
	b->now_ms = now_ms;
	read_media(b, s);
	hear_signal(&b->hearing, s, hear_event, b);
	give_media(b);
	b->end = end_of(s, run);
	if (b->end != BROKER_GOES_ON)
		end_message(b);
}

/* ---- the context ---- */

void streaming_note_sent(struct streaming_context *c, struct text message)
{
	c->sent_message_ids =
		must_grow(c->sent_message_ids, (c->sent_count + 1) * sizeof(*c->sent_message_ids));
	c->sent_message_ids[c->sent_count++] = text_dup(message);
}

void streaming_finish(struct streaming_context *c)
{
	for (size_t i = 0; i < c->sent_count; i++)
		free(c->sent_message_ids[i]);
	free(c->sent_message_ids);
	c->sent_message_ids = NULL;
	c->sent_count = 0;
}
