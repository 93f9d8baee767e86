/* envelope.c - our own envelope: WebSocket messages, events of a stream, lines.
 *
 * An object with a string `type` is a signal, whatever the type.  It is carried
 * through as it was written: what is missing or null is filled in behind, and a
 * member of the wrong kind makes it bad.  One with an `op` is none, because that is
 * how another box talks of other things, such as prompts.  Any other JSON becomes
 * the payload of a signal `event`; only `{"meta":...}` does not, because that is the
 * emitter's word to us and not about an agent.
 *
 * Lines of a program (`jsonl`) are read with more mercy, because it was not written for
 * us: where there is no payload the other members are it, and a time may be text.
 *
 * Where a member is in the text is known from where its key is (signal/json.h).
 */
#include "base/clock.h"
#include "base/map.h"
#include "base/random.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/time.h"

#define DEPTH_MAX 64 /* what the bus takes */

enum envelope_member {
	MEMBER_ID,
	MEMBER_TYPE,
	MEMBER_TIMESTAMP,
	MEMBER_SOURCE,
	MEMBER_PAYLOAD,
	MEMBER_FILLED, /* those before this one are in every envelope */
	MEMBER_CORRELATION = MEMBER_FILLED,
	MEMBER_METADATA,
	MEMBERS,
};

static const char *const names[MEMBERS] = {
	[MEMBER_ID] = "id",
	[MEMBER_TYPE] = "type",
	[MEMBER_TIMESTAMP] = "timestamp",
	[MEMBER_SOURCE] = "source",
	[MEMBER_PAYLOAD] = "payload",
	[MEMBER_CORRELATION] = "correlationId",
	[MEMBER_METADATA] = "metadata",
};

/* One message, and what it has of an envelope. */
struct envelope_message {
	struct text raw;
	yyjson_val *root;
	yyjson_val *values[MEMBERS]; /* NULL: not there, or null where that is filled */
	bool seen[MEMBERS];
	bool has_null; /* one to be filled is written as null */
};

static enum envelope_member envelope_member_of(yyjson_val *key)
{
	enum envelope_member member = 0;

	while (member < MEMBERS && !text_is(json_text(key), names[member]))
		member++;
	return member;
}

static const char *envelope_wanted(enum envelope_member member, yyjson_val *given)
{
	if (member == MEMBER_TIMESTAMP)
		return "a number";
	if (yyjson_is_str(given) && member != MEMBER_PAYLOAD && member != MEMBER_METADATA)
		return "a string without U+0000";
	return member == MEMBER_PAYLOAD || member == MEMBER_METADATA ? "an object" : "a string";
}

static bool envelope_is_wanted(enum envelope_member member, yyjson_val *value)
{
	double number;

	if (member == MEMBER_TIMESTAMP)
		return json_number(value, &number);
	if (member == MEMBER_PAYLOAD || member == MEMBER_METADATA)
		return yyjson_is_obj(value);
	return yyjson_is_str(value) && !memchr(yyjson_get_str(value), '\0', yyjson_get_len(value));
}

/* --- envelopes ------------------------------------------------------------------ */

static bool see_member(struct parse *p, struct envelope_message *m, yyjson_val *key)
{
	enum envelope_member member = envelope_member_of(key);
	yyjson_val *value = yyjson_obj_iter_get_val(key);

	if (member == MEMBERS)
		return true;
	if (m->seen[member]) {
		parse_bad(p, "%s: given twice", names[member]);
		return false;
	}
	m->seen[member] = true;
	if (member < MEMBER_FILLED && yyjson_is_null(value)) {
		m->has_null = true;
		return true;
	}
	if (!envelope_is_wanted(member, value)) {
		parse_bad(p, "%s: %s is needed", names[member], envelope_wanted(member, value));
		return false;
	}
	m->values[member] = value;
	return true;
}

static bool envelope_see_members(struct parse *p, struct envelope_message *m)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(m->root);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)))
		if (!see_member(p, m, key))
			return false;
	return true;
}

/* Among those that are none of ours: the bus refuses these too. */
static bool has_other_twice(const struct envelope_message *m)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(m->root);
	bool twice = false;
	yyjson_val *key;
	struct map seen;

	map_init(&seen);
	while (!twice && (key = yyjson_obj_iter_next(&iter))) {
		if (envelope_member_of(key) != MEMBERS)
			continue;
		twice = map_get(&seen, json_text(key)) != NULL;
		map_set(&seen, json_text(key), key);
	}
	map_finish(&seen);
	return twice;
}

static bool envelope_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Where the quote of this key is in the text. */
static size_t envelope_start_of(const struct parse *p, yyjson_val *key)
{
	return (size_t)(yyjson_get_str(key) - p->json.copy.at) - 1;
}

/* Copies the member that begins at `start` and whose successor, a key or nothing,
 * begins at `next`: between them are one comma or brace, and white space. */
static void envelope_add_span(struct parse *p, struct text raw, size_t start, size_t next)
{
	while (envelope_is_space(raw.at[next - 1]))
		next--;
	next--;
	while (envelope_is_space(raw.at[next - 1]))
		next--;
	if (p->make.has_member)
		buf_add_char(&p->out, ',');
	p->make.has_member = true;
	buf_add(&p->out, (struct text){raw.at + start, next - start});
}

/* What was written, without nulls that are to be filled. */
static void envelope_add_given(struct parse *p, const struct envelope_message *m)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(m->root);
	yyjson_val *key = yyjson_obj_iter_next(&iter);

	while (key) {
		yyjson_val *next = yyjson_obj_iter_next(&iter);
		yyjson_val *value = yyjson_obj_iter_get_val(key);

		if (!yyjson_is_null(value) || envelope_member_of(key) >= MEMBER_FILLED)
			envelope_add_span(p, m->raw, envelope_start_of(p, key),
			                  next ? envelope_start_of(p, next) : m->raw.len);
		key = next;
	}
}

static void envelope_add_missing(struct parse *p, const struct envelope_message *m)
{
	const struct parse_options *options = parse_options(p);
	char uuid[RANDOM_UUID_LEN];

	if (!m->values[MEMBER_ID]) {
		random_uuid(uuid);
		make_text(&p->make, "id", (struct text){uuid, sizeof(uuid)});
	}
	if (!m->values[MEMBER_TIMESTAMP])
		make_u64(&p->make, "timestamp",
		         (uint64_t)(options->now_ms ? options->now_ms() : clock_wall_ms()));
	if (!m->values[MEMBER_SOURCE])
		make_text(&p->make, "source", options->source);
	if (!m->values[MEMBER_PAYLOAD])
		make_raw(&p->make, "payload", TEXT("{}"));
	if (!m->values[MEMBER_CORRELATION])
		make_given(&p->make, "correlationId", options->correlation);
}

/* Between tokens only: inside a string they would not be JSON. */
static void envelope_blank_newlines(struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if (b->at[i] == '\n' || b->at[i] == '\r')
			b->at[i] = ' ';
}

static void give_envelope(struct parse *p, struct envelope_message *m)
{
	if (!envelope_see_members(p, m))
		return;
	if (has_other_twice(m)) {
		parse_bad(p, "a member is given twice");
		return;
	}
	buf_clear(&p->out);
	p->make.has_member = false;
	buf_add_char(&p->out, '{');
	if (m->has_null) {
		envelope_add_given(p, m);
	} else {
		buf_add(&p->out, (struct text){m->raw.at + 1, m->raw.len - 2});
		p->make.has_member = true;
	}
	envelope_add_missing(p, m);
	buf_add_char(&p->out, '}');
	envelope_blank_newlines(&p->out);
	if (p->out.full)
		parse_bad(p, "a signal larger than 1 MiB");
	else
		p->options.signal(p->options.self, buf_text(&p->out));
}

/* --- anything else -------------------------------------------------------------- */

static struct text first_text(yyjson_val *object, const char *name, const char *otherwise)
{
	struct text found = json_text_at(object, name);

	return found.len ? found : json_text_at(object, otherwise);
}

/* A number of the object; 0 when it has none. */
static double envelope_first_number(yyjson_val *object, const char *name, const char *otherwise)
{
	double number = 0;

	if (!json_number(yyjson_obj_get(object, name), &number))
		json_number(yyjson_obj_get(object, otherwise), &number);
	return number;
}

static void give_event(struct parse *p, const struct envelope_message *m, struct text name)
{
	parse_begin_as(p, &(struct make_head){
				  .type = "event",
				  .id = json_text_at(m->root, "id"),
				  .source = first_text(m->root, "source", "event"),
				  .correlation = first_text(m->root, "correlationId", "runId"),
				  .at_ms = envelope_first_number(m->root, "timestamp", "ts"),
			  });
	if (yyjson_is_obj(m->root))
		buf_add(&p->out, (struct text){m->raw.at + 1, m->raw.len - 2});
	else
		make_raw(&p->make, "value", m->raw);
	if (name.len) {
		make_metadata(&p->make);
		make_text(&p->make, "event", name);
	}
	envelope_blank_newlines(&p->out);
	parse_give(p);
}

/* As JavaScript has it, which the emitter is written in. */
static bool is_truthy(yyjson_val *value)
{
	double number;

	if (json_number(value, &number))
		return number != 0;
	if (yyjson_is_str(value))
		return yyjson_get_len(value) > 0;
	return value && !yyjson_is_null(value) && !yyjson_is_false(value);
}

static bool envelope_is_envelope(yyjson_val *root)
{
	return yyjson_is_str(yyjson_obj_get(root, "type")) && !yyjson_obj_get(root, "op");
}

/* --- lines ----------------------------------------------------------------------- */

/* What a line has of an envelope, and is therefore no part of its payload. */
static bool is_of_envelope(enum envelope_member member, yyjson_val *value)
{
	if (member == MEMBER_TYPE)
		return true;
	if (member == MEMBER_TIMESTAMP && yyjson_is_str(value))
		return true;
	return member != MEMBERS && (envelope_is_wanted(member, value) || yyjson_is_null(value));
}

/* The members that are none of the envelope's. */
static void make_others(struct parse *p, yyjson_val *root)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(root);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter))) {
		yyjson_val *value = yyjson_obj_iter_get_val(key);

		if (!is_of_envelope(envelope_member_of(key), value))
			make_value(&p->make, json_text(key), value);
	}
}

/* With a payload the other members are remarks, without one they are it. */
static void give_line(struct parse *p, yyjson_val *root)
{
	yyjson_val *payload = yyjson_obj_get(root, "payload");
	yyjson_val *metadata = yyjson_obj_get(root, "metadata");
	yyjson_val *time = yyjson_obj_get(root, "timestamp");
	struct make_head head = {
		.type_text = json_text_at(root, "type"),
		.id = json_text_at(root, "id"),
		.source = json_text_at(root, "source"),
		.correlation = json_text_at(root, "correlationId"),
	};
	bool is_odd = !json_number(time, &head.at_ms) && yyjson_is_str(time) &&
	              !time_read(json_text(time), &head.at_ms);

	parse_begin_as(p, &head);
	if (yyjson_is_obj(payload))
		make_members(&p->make, payload);
	else
		make_others(p, root);
	if (is_odd || yyjson_is_obj(metadata) || yyjson_is_obj(payload))
		make_metadata(&p->make);
	if (yyjson_is_obj(metadata))
		make_members(&p->make, metadata);
	if (yyjson_is_obj(payload))
		make_others(p, root);
	if (is_odd)
		make_text(&p->make, "timestamp", json_text(time));
	parse_give(p);
}

static bool is_mendable(yyjson_val *root)
{
	return !yyjson_is_obj(yyjson_obj_get(root, "payload")) ||
	       yyjson_is_str(yyjson_obj_get(root, "timestamp"));
}

static void envelope_take_line(struct parse *p, const struct parse_event *event)
{
	struct text raw = text_trim(event->data);
	yyjson_val *root = raw.len && raw.at[0] == '{'
	                           ? yyjson_doc_get_root(json_read(&p->json, raw, NULL))
	                           : NULL;

	if (root && envelope_is_envelope(root) && is_mendable(root))
		give_line(p, root);
	else
		parse_envelope.event(p, event);
}

/* --- events ---------------------------------------------------------------------- */

static void envelope_take(struct parse *p, const struct parse_event *event)
{
	struct envelope_message m = {.raw = text_trim(event->data)};
	bool is_one;

	if (m.raw.len == 0 || text_is(m.raw, "[DONE]"))
		return;
	m.root = parse_json(p, m.raw);
	if (!m.root)
		return;
	is_one = envelope_is_envelope(m.root);
	if (make_depth(m.raw) + !is_one > DEPTH_MAX)
		parse_bad(p, "a signal of more than %d levels", DEPTH_MAX);
	else if (is_one)
		give_envelope(p, &m);
	else if (yyjson_is_null(m.root))
		parse_bad(p, "null says nothing");
	else if (!is_truthy(yyjson_obj_get(m.root, "meta")))
		give_event(p, &m, event->name);
	else if (p->options.meta)
		p->options.meta(p->options.self, m.raw);
}

const struct parse_kind parse_envelope = {
	.name = "envelope",
	.summary = "our own envelope: an event stream, or JSON lines",
	.framing = FRAMING_SSE,
	.event = envelope_take,
};

const struct parse_kind parse_jsonl = {
	.name = "jsonl",
	.summary = "JSON lines: our own envelope, or anything",
	.framing = FRAMING_LINES,
	.event = envelope_take_line,
};
