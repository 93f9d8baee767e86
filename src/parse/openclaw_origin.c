/* openclaw_origin.c - what a signal does not say of the frame that it came as.
 *
 * A client of the same protocol gets the frame again (gateway/came.c): what the signal says
 * itself, and a text that grows with each frame, are left out.  How long that was is kept: `said`
 * bytes of the run's text were told then, the frame has the first `text` of these, and the last
 * `delta` of those are new in it.  One signal of a frame has it; an `event` is the frame itself.
 */
#include "base/put.h"
#include "parse/inside.h"
#include "parse/openclaw_frame.h"
#include "parse/openclaw_past.h"

#define SHORT_MAX KIB       /* of a text that was not told, and comes again with each frame */
#define STATE_MAX (4 * KIB) /* of what nobody asks for */

static bool is_rest(const struct openclaw_frame *f)
{
	return strcmp(f->giving, OPENCLAW_REST) == 0;
}

static bool is_of_run(const struct openclaw_frame *f)
{
	return text_is(f->event, "agent") || text_is(f->event, "chat");
}

/* Words are told by the frames that have them; others tell the rest of them at a run's end. */
static bool openclaw_origin_fits(const struct openclaw_frame *f)
{
	struct text state = json_text_at(f->payload, "state");
	bool is_words = strcmp(f->giving, "text_delta") == 0;

	if (is_rest(f))
		return true;
	if (text_is(f->event, "agent"))
		return is_words == text_is(json_text_at(f->payload, "stream"), "assistant");
	if (text_is(state, "delta"))
		return is_words;
	return !is_words && strcmp(f->giving, "token_usage") != 0;
}

/* ---- agent ---- */

static bool is_long(yyjson_val *value)
{
	struct buf out;
	bool is_full;

	buf_init(&out, SHORT_MAX);
	is_full = !json_add(&out, value) || out.full;
	buf_finish(&out);
	return is_full;
}

static void put_data(struct buf *out, const struct openclaw_frame *f, bool is_said)
{
	struct text stream = json_text_at(f->payload, "stream");
	bool has_words = text_is(stream, "assistant") || text_is(stream, "thinking");
	const char *without[3] = {NULL};

	if (has_words && (is_said || !is_rest(f)))
		memcpy(without, (const char *[]){"text", "delta"}, 2 * sizeof(*without));
	else if (has_words && f->all.at)
		without[0] = "text";
	else if (text_is(stream, "tool") && is_long(yyjson_obj_get(f->data, "partialResult")))
		without[0] = "partialResult";
	put_object(out, "data");
	json_add_members(out, f->data, without, ' ');
	put_end(out);
}

/* ---- chat ---- */

/* The one part of a message that is text, or NULL. */
static yyjson_val *text_part(yyjson_val *message)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(message, "content"));
	yyjson_val *part, *found = NULL;

	while ((part = yyjson_arr_iter_next(&each))) {
		if (!text_is(json_text_at(part, "type"), "text"))
			continue;
		if (found || !yyjson_is_str(yyjson_obj_get(part, "text")))
			return NULL;
		found = part;
	}
	return found;
}

static void put_bare_message(struct buf *out, yyjson_val *message)
{
	static const char *const content[] = {"content", NULL}, *const text[] = {"text", NULL};
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(message, "content"));
	yyjson_val *part, *bare = text_part(message);
	bool is_first = true;

	put_object(out, "message");
	put_list(out, "content");
	while ((part = yyjson_arr_iter_next(&each))) {
		if (!is_first)
			buf_add_char(out, ',');
		is_first = false;
		if (part != bare) {
			json_add(out, part);
			continue;
		}
		buf_add_char(out, '{');
		json_add_members(out, part, text, ' ');
		buf_add_char(out, '}');
	}
	put_list_end(out);
	json_add_members(out, message, content, ',');
	put_end(out);
}

/* An end has all of its message, once. */
static void put_message(struct buf *out, const struct openclaw_frame *f, bool is_said)
{
	yyjson_val *message = yyjson_obj_get(f->payload, "message");

	if (is_said && text_part(message)) {
		put_bare_message(out, message);
	} else if (message &&
	           (!text_is(json_text_at(f->payload, "state"), "delta") || !is_long(message))) {
		put_key(out, "message");
		json_add(out, message);
	}
}

/* ---- all ---- */

static void put_frame(struct buf *out, const struct openclaw_frame *f, bool is_said)
{
	static const char *const told[] = {"runId", "sessionKey", "agentId", "seq",
	                                   "ts",    "data",       "message", NULL};
	static const char *const words[] = {"runId", "sessionKey", "agentId",   "seq", "ts",
	                                    "data",  "message",    "deltaText", NULL};

	put_object(out, "payload");
	if (f->data)
		put_data(out, f, is_said);
	put_message(out, f, is_said);
	json_add_members(out, f->payload, is_said ? words : told,
	                 out->at[out->len - 1] == '{' ? ' ' : ',');
	put_end(out);
}

static void put_rest(struct buf *out, const struct openclaw_frame *f)
{
	static const char *const told[] = {"message", NULL}, *const none[] = {NULL};
	bool is_message = openclaw_event_of(f->event) == OPENCLAW_SESSION_MESSAGE;
	size_t before = out->len;

	put_object(out, "payload");
	json_add_members(out, f->payload, is_message ? told : none, ' ');
	put_end(out);
	if (out->len - before > STATE_MAX)
		out->len = before;
}

void openclaw_begin_origin(struct buf *out, unsigned protocol)
{
	put_object(out, NULL);
	put_word(out, "dialect", "gateway");
	if (protocol)
		put_u64(out, "protocol", protocol);
}

static void put_origin(struct buf *out, const struct openclaw_frame *f, bool has_frame)
{
	bool is_said = f->all.at && openclaw_run_has_said(f->run, f->all);

	if (!has_frame)
		return;
	if (f->is_again)
		put_bool(out, "again", true);
	if (is_said && !f->has_payload) {
		put_u64(out, "said", f->run->said.len);
		put_u64(out, "text", f->all.len);
		put_u64(out, "delta", f->fresh);
	}
	if (f->has_payload)
		return;
	put_object(out, "frame");
	put_text(out, "event", f->event);
	if (is_of_run(f) && !f->is_stale)
		put_frame(out, f, is_said);
	else if (!f->is_stale)
		put_rest(out, f);
	put_end(out);
}

void openclaw_frame_origin(struct openclaw_frame *f)
{
	bool is_due = f->gateway->protocol && f->run_id.len && !f->is_past && is_of_run(f);
	bool has_frame = !f->has_origin && openclaw_origin_fits(f);
	struct buf out;

	f->has_due = is_due;
	if (!is_due && !is_rest(f))
		return;
	f->has_origin = f->has_origin || has_frame;
	buf_init(&out, parse_options(f->p)->event_max);
	openclaw_begin_origin(&out, f->gateway->protocol);
	put_origin(&out, f, has_frame);
	put_end(&out);
	openclaw_frame_metadata(f);
	if (!out.full)
		make_raw(&f->p->make, "origin", buf_text(&out));
	buf_finish(&out);
}
