/* came_chat.c - frames `chat` of a gateway, and the text that is put back into them.
 *
 * The whole text so far comes with each delta.  It goes on so as long as that costs no more than
 * gateway.snapshot_rate; then it is left out, and follows when there is room.
 */
#include "gateway/came_chat.h"

#include "base/put.h"
#include "base/utf8.h"
#include "gateway/came.h"
#include "net/loop.h"
#include "run/said.h"
#include "signal/signal.h"

#define DETAIL_MAX 300 /* letters of what is told of a fault */

static uint64_t now_of(const struct telling *t)
{
	return loop_now_ms(t->g->options.loop);
}

/* ---- members ---- */

static bool is_among(struct text word, const char *const *words)
{
	while (*words && !text_is(word, *words))
		words++;
	return *words != NULL;
}

/* A part that lost its text has it again. */
static void put_part(struct buf *out, yyjson_val *part, struct text text)
{
	static const char *const none[] = {NULL};
	bool is_bare = text_is(json_text_at(part, "type"), "text") && !yyjson_obj_get(part, "text");

	if (!is_bare) {
		put_key(out, NULL);
		json_add(out, part);
		return;
	}
	put_object(out, NULL);
	json_add_members(out, part, none, ' ');
	put_text(out, "text", text);
	put_end(out);
}

static void put_message(struct buf *out, yyjson_val *message, struct text text)
{
	static const char *const content[] = {"content", NULL};
	yyjson_val *list = yyjson_obj_get(message, "content"), *part;
	yyjson_arr_iter each = yyjson_arr_iter_with(list);

	if (!yyjson_is_arr(list)) {
		put_key(out, "message");
		json_add(out, message);
		return;
	}
	put_object(out, "message");
	put_list(out, "content");
	while ((part = yyjson_arr_iter_next(&each)))
		put_part(out, part, text);
	put_list_end(out);
	json_add_members(out, message, content, ',');
	put_end(out);
}

static void put_detail(struct buf *out, yyjson_val *detail)
{
	static const char *const words[] = {"provider",
	                                    "model",
	                                    "failoverReason",
	                                    "providerRuntimeFailureKind",
	                                    "providerErrorType",
	                                    "providerErrorMessagePreview",
	                                    NULL};
	uint64_t status = yyjson_get_uint(yyjson_obj_get(detail, "httpStatus"));

	if (!yyjson_is_obj(detail))
		return;
	put_object(out, "errorDetail");
	for (const char *const *word = words; *word; word++)
		if (yyjson_is_str(yyjson_obj_get(detail, *word)))
			put_text(out, *word, utf8_cut(json_text_at(detail, *word), DETAIL_MAX));
	if (status >= 100 && status <= 599)
		put_u64(out, "httpStatus", status);
	put_end(out);
}

/* What the protocol has in an end. */
static void put_end_members(struct buf *out, const struct telling *t, struct text state)
{
	static const char *const kinds[] = {"refusal",        "timeout", "rate_limit",
	                                    "context_length", "unknown", NULL};
	yyjson_val *payload = t->came.payload, *usage = yyjson_obj_get(payload, "usage");
	bool is_new = t->came.protocol > GATEWAY_OLDEST, is_error = text_is(state, "error");

	if (usage && !(is_new && text_is(state, "aborted"))) {
		put_key(out, "usage");
		json_add(out, usage);
	}
	came_put_given(out, payload, "stopReason");
	if (!is_new || !text_is(state, "final"))
		came_put_given(out, payload, "errorMessage");
	if (is_new && is_error && is_among(json_text_at(payload, "errorKind"), kinds))
		came_put_given(out, payload, "errorKind");
	if (is_new && is_error)
		put_detail(out, yyjson_obj_get(payload, "errorDetail"));
	if (is_new && text_is(state, "final") && yyjson_is_true(yyjson_obj_get(payload, "yielded")))
		put_bool(out, "yielded", true);
}

/* ---- frames ---- */

struct came_chat {
	struct buf out, joined;
	struct gateway_event event;
	struct text state;
};

static void chat_begin(struct came_chat *c, const struct telling *t)
{
	*c = (struct came_chat){
		.event = {OPENCLAW_CHAT, GATEWAY_OF_RUNS, .protocol = t->came.protocol,
	                  .session = text_of(t->run->key)},
		.state = json_text_at(t->came.payload, "state"),
	};
	buf_init(&c->joined, TELLING_MAX);
	buf_init(&c->out, TELLING_MAX);
	put_object(&c->out, NULL);
	telling_put_run(&c->out, t->run, 2 * t->run->seq + 1, t->came.protocol);
	put_text(&c->out, "state", c->state);
	if (t->came.protocol > GATEWAY_OLDEST)
		came_put_given(&c->out, t->came.payload, "spawnedBy");
}

static void chat_give(struct came_chat *c, const struct telling *t)
{
	put_end(&c->out);
	c->event.payload = buf_text(&c->out);
	if (!c->out.full)
		telling_give(t, &c->event);
}

static void chat_finish(struct came_chat *c)
{
	buf_finish(&c->out);
	buf_finish(&c->joined);
}

static void tell_status(struct telling *t)
{
	static const char *const phases[] = {"preparing_workspace",      "naming_worktree",
	                                     "creating_worktree",        "running_setup",
	                                     "provisioning_environment", "preparing_context",
	                                     "starting_model",           NULL};
	struct came_chat c;

	if (t->came.protocol == GATEWAY_OLDEST ||
	    !is_among(json_text_at(t->came.payload, "phase"), phases))
		return;
	chat_begin(&c, t);
	came_put_given(&c.out, t->came.payload, "phase");
	chat_give(&c, t);
	chat_finish(&c);
}

static void tell_end(struct telling *t)
{
	yyjson_val *message = yyjson_obj_get(t->came.payload, "message");
	struct came_chat c;

	chat_begin(&c, t);
	if (message)
		put_message(&c.out, message, came_text(t, &c.joined));
	put_end_members(&c.out, t, c.state);
	chat_give(&c, t);
	chat_finish(&c);
}

/* ---- deltas ---- */

/* Bytes of it that nobody was told; 0: all of it was told.  A screen that asked what is said has
 * more than the frames before this one had. */
static size_t fresh_of(struct telling *t, bool replaces)
{
	struct told_run *run = t->run;
	int64_t end = run->heard - (int64_t)(t->came.said - t->came.text);
	int64_t fresh = (int64_t)t->came.delta;

	if (t->ear)
		return t->came.delta;
	if (run->knows_chat && !replaces) {
		fresh = end - run->chat_at;
		if (fresh > (int64_t)t->came.text)
			fresh = (int64_t)t->came.text;
	}
	if (fresh <= 0)
		return 0;
	run->chat_at = end;
	run->knows_chat = true;
	return (size_t)fresh;
}

static unsigned pause_of(const struct telling *t, size_t len)
{
	return pace_pause(len, t->g->options.config->snapshot_rate,
	                  gateway_watchers_of(t->g, text_of(t->run->key)), 0);
}

static void owe(struct telling *t)
{
	struct told_run *run = t->run;
	uint64_t now = now_of(t);

	run->came_owed = came_bit(t);
	if (list_is_empty(&run->in_dirty))
		list_add(&t->g->dirty, &run->in_dirty);
	pace_set(t->g->pace, run->came_due > now ? (unsigned)(run->came_due - now) : 1);
}

/* May the whole text go with it? */
static bool takes_message(struct telling *t, size_t len)
{
	uint64_t now;

	if (t->ear)
		return len <= TELLING_TEXT_MAX;
	now = now_of(t);
	if (t->run->came_due > now) {
		owe(t);
		return false;
	}
	t->run->came_due = now + pause_of(t, len);
	t->run->came_owed = 0;
	return true;
}

static void put_delta(struct came_chat *c, struct telling *t, size_t fresh)
{
	yyjson_val *payload = t->came.payload, *message = yyjson_obj_get(payload, "message");
	yyjson_val *usage = yyjson_obj_get(payload, "usage");
	struct text text = came_text(t, &c->joined);
	bool has_message = message && takes_message(t, text.len);

	if (t->came.protocol > GATEWAY_OLDEST) {
		put_text(&c->out, "deltaText",
		         t->came.has_text ? telling_tail(text, fresh)
		                          : json_text_at(payload, "deltaText"));
		if (yyjson_is_bool(yyjson_obj_get(payload, "replace")))
			put_bool(&c->out, "replace",
			         yyjson_get_bool(yyjson_obj_get(payload, "replace")));
	}
	if (usage) {
		put_key(&c->out, "usage");
		json_add(&c->out, usage);
	}
	if (has_message)
		put_message(&c->out, message, text);
	if (has_message || t->came.protocol > GATEWAY_OLDEST)
		chat_give(c, t);
}

static void came_tell_delta(struct telling *t)
{
	bool replaces = yyjson_is_true(yyjson_obj_get(t->came.payload, "replace"));
	size_t fresh = 0;
	struct came_chat c;

	t->run->text_seq = t->run->seq;
	if (t->came.has_text) {
		fresh = fresh_of(t, replaces);
		if (!fresh && t->came.delta)
			return;
	} else {
		t->run->knows_chat = false;
	}
	chat_begin(&c, t);
	c.event.may_drop = true;
	put_delta(&c, t, fresh);
	chat_finish(&c);
}

void came_tell_chat(struct telling *t)
{
	static const char *const ends[] = {"final", "aborted", "error", NULL};
	struct text state = json_text_at(t->came.payload, "state");

	if (text_is(state, "status"))
		tell_status(t);
	else if (text_is(state, "delta"))
		came_tell_delta(t);
	else if (is_among(state, ends))
		tell_end(t);
}

/* ---- what is told by us ---- */

static struct text last_error(const struct said *said)
{
	const struct said_message *m;

	if (!said || list_is_empty(&said->messages))
		return TEXT("");
	m = list_of(said->messages.prev, struct said_message, in_said);
	return m->role == SAID_ERROR ? said_text(&m->text) : TEXT("");
}

void came_settle(struct telling *t)
{
	bool is_error = text_is(t->came.settles, "error");
	struct chat_words words = {
		.state = is_error                              ? "error"
	                 : text_is(t->came.settles, "aborted") ? "aborted"
	                                                       : "final",
		.text = telling_last_words(t),
		.error = is_error ? last_error(t->said) : TEXT(""),
		.reason = t->came.reason,
	};

	telling_chat(t, &words);
}

void came_flush(struct telling *t)
{
	struct told_run *run = t->run;
	struct text text = telling_text_now(t);
	int64_t fresh = run->heard - run->chat_at;
	struct chat_words words = {.state = "delta", .is_delta = true, .text = text};
	unsigned but = t->but;

	if (!run->came_owed || t->ear)
		return;
	words.replaces = !run->knows_chat || fresh < 0 || fresh > (int64_t)text.len;
	if (!words.replaces)
		words.delta = telling_tail(text, (size_t)fresh);
	t->but = ~run->came_owed;
	if (text.len)
		telling_chat(t, &words);
	t->but = but;
	run->came_due = now_of(t) + pause_of(t, text.len);
	run->chat_at = run->heard;
	run->knows_chat = true;
	run->came_owed = 0;
}

void came_flush_due(struct telling *t, uint64_t now)
{
	if (t->run->came_owed && t->run->came_due <= now)
		came_flush(t);
}

void came_catch_up(struct telling *t)
{
	struct told_run *run = t->run;

	if (run->delta_but && (!run->knows_chat || run->chat_at < run->heard))
		run->came_owed = run->delta_but;
	came_flush(t);
}
