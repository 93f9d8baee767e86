/* order.c - a queue for each session, and what has to be there before what. */
#include "source/claude/order.h"

#include <stdlib.h>
#include <yyjson.h>

#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "net/loop.h"
#include "signal/json.h"

#define WAIT_MS 2000
#define SESSIONS_MAX 1024 /* one more, and all that waits passes */
#define OPEN_MAX 1024     /* tools or messages of a session; one more, and all are forgotten */
#define WAITING_MAX 4096
#define WAITING_BYTES (64 * MIB)
#define PAYLOAD_MAX (64 * MIB)

enum payload_kind {
	FREE,    /* it waits for nothing of its own */
	CALL,    /* of a tool */
	RESULT,  /* of a tool */
	PIECE,   /* of a message */
	PROMPT,  /* a turn begins */
	TURN_END /* its tools and its message have ended */
};

/* What a payload says; its texts are the reader's, or those of an item. */
struct fields {
	enum payload_kind kind;
	struct text session, agent, prompt, tool, message;
	uint64_t index;
	bool is_final, ends_session;
};

struct order_item {
	struct link in_session; /* order_session.waiting */
	struct fields fields;   /* its texts are in `texts` */
	struct buf texts, bytes;
	struct hook_payload payload;
	int tag;
	uint64_t since_ms;
};

struct order_session {
	struct map calls;    /* "AGENT/TOOL": called, and no result yet */
	struct map messages; /* by "AGENT/MESSAGE": struct order_message; not final yet */
	struct link waiting; /* the oldest first */
};

struct order_message {
	uint64_t next;
};

struct order {
	struct order_options options;
	struct map sessions;
	struct json_reader reader;
	struct deadline tick;
	size_t waiting, waiting_bytes;
};

/* ---- reading ---- */

static enum payload_kind order_kind_of(struct text event)
{
	static const struct {
		const char *name;
		enum payload_kind kind;
	} kinds[] = {
		{"PreToolUse", CALL},           {"PostToolUse", RESULT},
		{"PostToolUseFailure", RESULT}, {"MessageDisplay", PIECE},
		{"UserPromptSubmit", PROMPT},   {"Stop", TURN_END},
		{"StopFailure", TURN_END},      {"SubagentStop", TURN_END},
		{"SessionEnd", TURN_END},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (text_is(event, kinds[i].name))
			return kinds[i].kind;
	return FREE;
}

static void read_fields(struct order *o, struct text bytes, struct fields *f)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(&o->reader, bytes, NULL));
	struct text event = json_text(yyjson_obj_get(root, "hook_event_name"));

	*f = (struct fields){
		.kind = order_kind_of(event),
		.session = json_text(yyjson_obj_get(root, "session_id")),
		.agent = json_text(yyjson_obj_get(root, "agent_id")),
		.prompt = json_text(yyjson_obj_get(root, "prompt_id")),
		.tool = json_text(yyjson_obj_get(root, "tool_use_id")),
		.message = json_text(yyjson_obj_get(root, "message_id")),
		.index = yyjson_get_uint(yyjson_obj_get(root, "index")),
		.is_final = yyjson_is_true(yyjson_obj_get(root, "final")),
		.ends_session = text_is(event, "SessionEnd"),
	};
	if ((f->kind == CALL || f->kind == RESULT) && !f->tool.len)
		f->kind = FREE;
	if (f->kind == PIECE && !f->message.len)
		f->kind = FREE;
}

/* The caller finishes it. */
static struct text order_key_of(struct buf *key, struct text agent, struct text id)
{
	buf_init(key, agent.len + id.len + 1);
	buf_add(key, agent);
	buf_add_char(key, '/');
	buf_add(key, id);
	return buf_text(key);
}

/* ---- what is open ---- */

static void forget_messages(struct order_session *s)
{
	struct text key;
	void *message;

	for (size_t at = 0; map_next(&s->messages, &at, &key, &message);)
		free(message);
	map_finish(&s->messages);
	map_init(&s->messages);
}

static void forget_calls(struct order_session *s)
{
	map_finish(&s->calls);
	map_init(&s->calls);
}

static bool has_of(const struct map *map, struct text agent)
{
	struct text key;
	void *value;

	for (size_t at = 0; map_next(map, &at, &key, &value);)
		if (key.len > agent.len && key.at[agent.len] == '/' &&
		    memcmp(key.at, agent.len ? agent.at : "", agent.len) == 0)
			return true;
	return false;
}

static uint64_t next_of(const struct order_session *s, const struct fields *f)
{
	struct buf key;
	const struct order_message *m =
		map_get(&s->messages, order_key_of(&key, f->agent, f->message));

	buf_finish(&key);
	return m ? m->next : 0;
}

static void note_piece(struct order_session *s, const struct fields *f)
{
	struct buf room;
	struct text key = order_key_of(&room, f->agent, f->message);
	struct order_message *m = map_get(&s->messages, key);

	if (f->is_final) {
		free(map_remove(&s->messages, key));
	} else {
		if (!m && s->messages.count >= OPEN_MAX)
			forget_messages(s);
		if (!m)
			map_set(&s->messages, key, m = must_zero(1, sizeof(*m)));
		m->next = f->index + 1;
	}
	buf_finish(&room);
}

static void note_call(struct order_session *s, const struct fields *f)
{
	struct buf room;
	struct text key = order_key_of(&room, f->agent, f->tool);

	if (s->calls.count >= OPEN_MAX)
		forget_calls(s);
	if (f->kind == CALL)
		map_set(&s->calls, key, s);
	else
		map_remove(&s->calls, key);
	buf_finish(&room);
}

static bool was_called(const struct order_session *s, const struct fields *f)
{
	struct buf room;
	bool was = map_get(&s->calls, order_key_of(&room, f->agent, f->tool)) != NULL;

	buf_finish(&room);
	return was;
}

/* After it passed. */
static void order_note(struct order_session *s, const struct fields *f)
{
	if (f->kind == CALL || f->kind == RESULT)
		note_call(s, f);
	else if (f->kind == PIECE)
		note_piece(s, f);
	else if (f->kind == PROMPT || (f->kind == TURN_END && !f->agent.len)) {
		forget_calls(s); /* of one that was interrupted no result comes */
		forget_messages(s);
	}
}

/* ---- who may pass ---- */

static bool bounds(const struct fields *f)
{
	return f->kind == PROMPT || f->kind == TURN_END;
}

/* Does it belong behind the end, or beginning, of a turn that waits? */
static bool is_behind(const struct fields *f, const struct fields *bound)
{
	if (bounds(f))
		return true;
	if (!f->prompt.len || !bound->prompt.len)
		return false;
	return text_equal(f->prompt, bound->prompt) == (bound->kind == PROMPT);
}

/* Those before it, up to `self`, or all if that is not in the queue. */
static bool waits_behind(const struct order_session *s, const struct fields *f,
                         const struct order_item *self)
{
	list_each(&s->waiting, l) {
		const struct order_item *other = list_of(l, struct order_item, in_session);

		if (other == self)
			return false;
		if (f->kind == TURN_END || (bounds(&other->fields) && is_behind(f, &other->fields)))
			return true;
	}
	return false;
}

static bool may_pass(const struct order_session *s, const struct fields *f,
                     const struct order_item *self)
{
	if (waits_behind(s, f, self))
		return false;
	switch (f->kind) {
	case RESULT:
		return was_called(s, f);
	case PIECE:
		return f->index <= next_of(s, f);
	case TURN_END:
		return !has_of(&s->calls, f->agent) && !has_of(&s->messages, f->agent);
	default:
		return true;
	}
}

/* ---- the queue ---- */

static void free_item(struct order *o, struct order_item *item)
{
	list_remove(&item->in_session);
	o->waiting--;
	o->waiting_bytes -= item->bytes.len;
	buf_finish(&item->texts);
	buf_finish(&item->bytes);
	free(item);
}

static void pass_item(struct order *o, struct order_session *s, struct order_item *item)
{
	order_note(s, &item->fields);
	o->options.pass(o->options.self, &item->payload, item->tag);
	free_item(o, item);
}

/* The first that may pass; NULL: none. */
static struct order_item *find_ready(const struct order_session *s)
{
	list_each(&s->waiting, l) {
		struct order_item *item = list_of(l, struct order_item, in_session);

		if (may_pass(s, &item->fields, item))
			return item;
	}
	return NULL;
}

static void order_settle(struct order *o, struct order_session *s)
{
	struct order_item *item;

	while ((item = find_ready(s)))
		pass_item(o, s, item);
}

static void free_session(struct order_session *s)
{
	forget_messages(s);
	map_finish(&s->messages);
	map_finish(&s->calls);
	free(s);
}

static struct order_session *need_session(struct order *o, struct text id)
{
	struct order_session *s = map_get(&o->sessions, id);

	if (s)
		return s;
	if (o->sessions.count >= SESSIONS_MAX)
		order_flush(o);
	s = must_zero(1, sizeof(*s));
	map_init(&s->calls);
	map_init(&s->messages);
	list_init(&s->waiting);
	map_set(&o->sessions, id, s);
	return s;
}

/* The fields point into a reader that is used again: they are kept beside it. */
static void keep_fields(struct order_item *item, const struct fields *f)
{
	struct text *const texts[] = {&item->fields.session, &item->fields.agent,
	                              &item->fields.prompt, &item->fields.tool,
	                              &item->fields.message};
	size_t len = f->session.len + f->agent.len + f->prompt.len + f->tool.len + f->message.len;

	item->fields = *f;
	buf_init(&item->texts, len + 1);
	buf_reserve(&item->texts, len + 1); /* so that it does not move */
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *at = item->texts.at + item->texts.len;

		buf_add(&item->texts, *texts[i]);
		texts[i]->at = at;
	}
}

static void order_tick(struct deadline *deadline);

static void order_keep(struct order *o, struct order_session *s, const struct fields *f,
                       const struct hook_payload *payload, int tag)
{
	struct order_item *item = must_zero(1, sizeof(*item));

	keep_fields(item, f);
	buf_init(&item->bytes, payload->bytes.len + 1);
	buf_add(&item->bytes, payload->bytes);
	item->payload = *payload;
	item->payload.bytes = buf_text(&item->bytes);
	item->tag = tag;
	item->since_ms = loop_now_ms(o->options.loop);
	list_add(&s->waiting, &item->in_session);
	o->waiting++;
	o->waiting_bytes += item->bytes.len;
	if (o->waiting == 1)
		deadline_set(o->options.loop, &o->tick, DEADLINE_TICK_MS);
	if (o->waiting > WAITING_MAX || o->waiting_bytes > WAITING_BYTES)
		order_flush(o);
}

void order_take(struct order *o, const struct hook_payload *payload, int tag)
{
	struct order_session *s;
	struct fields f;

	read_fields(o, payload->bytes, &f);
	if (!f.session.len) {
		o->options.pass(o->options.self, payload, tag);
		return;
	}
	s = need_session(o, f.session);
	if (!may_pass(s, &f, NULL)) {
		order_keep(o, s, &f, payload, tag);
		return;
	}
	order_note(s, &f);
	o->options.pass(o->options.self, payload, tag);
	order_settle(o, s);
	if (f.ends_session && list_is_empty(&s->waiting))
		free_session(map_remove(&o->sessions, f.session));
}

/* ---- time ---- */

static void pass_old(struct order *o, struct order_session *s, uint64_t now_ms)
{
	while (!list_is_empty(&s->waiting)) {
		struct order_item *item = list_of(s->waiting.next, struct order_item, in_session);

		if (now_ms - item->since_ms < o->options.wait_ms)
			return;
		pass_item(o, s, item);
		order_settle(o, s);
	}
}

static void order_tick(struct deadline *deadline)
{
	struct order *o = list_of(deadline, struct order, tick);
	uint64_t now_ms = loop_now_ms(o->options.loop);
	struct text id;
	void *s;

	for (size_t at = 0; map_next(&o->sessions, &at, &id, &s);)
		pass_old(o, s, now_ms);
	if (o->waiting)
		deadline_set(o->options.loop, &o->tick, DEADLINE_TICK_MS);
}

/* ---- life ---- */

struct order *order_create(const struct order_options *options)
{
	struct order *o = must_zero(1, sizeof(*o));

	o->options = *options;
	if (!o->options.wait_ms)
		o->options.wait_ms = WAIT_MS;
	map_init(&o->sessions);
	json_reader_init(&o->reader, PAYLOAD_MAX);
	o->tick.fire = order_tick;
	return o;
}

static void drop_sessions(struct order *o, bool passes)
{
	struct text id;
	void *value;

	for (size_t at = 0; map_next(&o->sessions, &at, &id, &value);) {
		struct order_session *s = value;

		while (!list_is_empty(&s->waiting)) {
			struct order_item *item =
				list_of(s->waiting.next, struct order_item, in_session);

			if (passes)
				o->options.pass(o->options.self, &item->payload, item->tag);
			free_item(o, item);
		}
		free_session(s);
	}
	map_finish(&o->sessions);
	map_init(&o->sessions);
}

void order_flush(struct order *o)
{
	drop_sessions(o, true);
	deadline_clear(&o->tick);
}

void order_destroy(struct order *o)
{
	if (!o)
		return;
	drop_sessions(o, false);
	map_finish(&o->sessions);
	deadline_clear(&o->tick);
	json_reader_finish(&o->reader);
	free(o);
}
