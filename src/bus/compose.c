/* compose.c - the body that is stored, from pieces of the producer's text.
 *
 * What stays is copied as it was written, from behind its brace, and what is missing
 * follows in this order: id, source, payload, timestamp.  The timestamp is last, so
 * that two tries of the same text differ only in the tail.
 *
 * Where a member is in the text is known from where its key is (signal/json.h):
 * it begins at the quote before it, and ends before the comma that comes before
 * the next key, or before the brace.
 */
#include "base/clock.h"
#include "bus/inside.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Where the quote of this key is in the text. */
static size_t start_of(const struct admit *a, yyjson_val *key)
{
	return (size_t)(yyjson_get_str(key) - a->json.copy.at) - 1;
}

/* Where the member ends that stands before `next`: a key, or the end of the
 * object.  Between them is one comma or brace, and white space. */
static size_t end_before(const struct admit *a, size_t next)
{
	bool passed = false;

	for (;; next--) {
		char c = a->raw.at[next - 1];

		if (is_space(c))
			continue;
		if (passed)
			return next;
		passed = true;
	}
}

static void add_span(struct admit *a, size_t start, size_t end)
{
	buf_add(&a->body, (struct text){a->raw.at + start, end - start});
}

/* A walk over the members of an object, with the place of each in the text. */
struct member_walk {
	yyjson_obj_iter iter;
	yyjson_val *next;
	size_t end_of_object;

	yyjson_val *key; /* the member at hand */
	size_t start, end;
};

static void walk_begin(struct member_walk *w, yyjson_val *object, size_t end)
{
	w->iter = yyjson_obj_iter_with(object);
	w->next = yyjson_obj_iter_next(&w->iter);
	w->end_of_object = end;
}

static bool walk_on(struct member_walk *w, const struct admit *a)
{
	w->key = w->next;
	if (!w->key)
		return false;
	w->next = yyjson_obj_iter_next(&w->iter);
	w->start = start_of(a, w->key);
	w->end = end_before(a, w->next ? start_of(a, w->next) : w->end_of_object);
	return true;
}

static void add_comma(struct admit *a, bool *first)
{
	if (!*first)
		buf_add_char(&a->body, ',');
	*first = false;
}

/* "metadata":{...} without its `origin`; there is one, so there is a key. */
static void add_metadata(struct admit *a, const struct member_walk *member)
{
	struct member_walk w;
	bool first = true;
	size_t brace;

	walk_begin(&w, yyjson_obj_iter_get_val(member->key), member->end);
	brace = start_of(a, w.next);
	while (a->raw.at[brace] != '{')
		brace--;
	add_span(a, member->start, brace + 1);
	while (walk_on(&w, a)) {
		if (text_equal(json_text(w.key), TEXT("origin")))
			continue;
		add_comma(a, &first);
		add_span(a, w.start, w.end);
	}
	buf_add_char(&a->body, '}');
}

/* What is between start and end, where `source` is, with the prefix after the
 * quote of its value. */
static void add_prefixed(struct admit *a, size_t start, size_t end)
{
	size_t name = start_of(a, a->values[MEMBER_SOURCE]) + 1;

	add_span(a, start, name);
	buf_add(&a->body, a->from->prefix);
	add_span(a, name, end);
}

/* A null, or a name that is not to be believed: another value is filled in. */
static bool is_replaced(const struct admit *a, enum member member)
{
	const struct members *m = &a->members;

	switch (member) {
	case MEMBER_ID:
		return !m->id.at;
	case MEMBER_SOURCE:
		return !m->source.at;
	case MEMBER_TIMESTAMP:
		return !m->has_time;
	case MEMBER_PAYLOAD:
		return !m->has_payload;
	default:
		return false;
	}
}

/* Nothing is written for what must go. */
static void add_member(struct admit *a, const struct member_walk *w, bool *first)
{
	enum member member = member_of(json_text(w->key));

	if (member == MEMBER_SEQ || is_replaced(a, member))
		return;
	add_comma(a, first);
	if (member == MEMBER_SOURCE && a->from->prefix.len)
		add_prefixed(a, w->start, w->end);
	else if (member == MEMBER_METADATA && !a->from->keeps_origin &&
	         yyjson_obj_getn(a->values[member], "origin", 6))
		add_metadata(a, w);
	else
		add_span(a, w->start, w->end);
}

/* What the producer gave, up to and without the closing brace. */
static void add_given(struct admit *a)
{
	bool first = true;
	struct member_walk w;

	if (a->wrapped) {
		buf_add(&a->body, TEXT("\"type\":\"event\",\"payload\":"));
		buf_add(&a->body, a->raw);
		return;
	}
	if (!a->cuts && a->from->prefix.len && a->members.source.at) {
		add_prefixed(a, 1, a->raw.len - 1);
		return;
	}
	if (!a->cuts) {
		add_span(a, 1, a->raw.len - 1);
		return;
	}
	walk_begin(&w, a->root, a->raw.len);
	while (walk_on(&w, a))
		add_member(a, &w, &first);
}

static void add_missing(struct admit *a, struct draft *out)
{
	if (is_replaced(a, MEMBER_ID)) {
		buf_add(&a->body, TEXT(",\"id\":\""));
		buf_add(&a->body, out->id);
		buf_add_char(&a->body, '"');
	}
	if (is_replaced(a, MEMBER_SOURCE)) {
		buf_add(&a->body, TEXT(",\"source\":"));
		buf_add_json(&a->body, out->source);
	}
	if (is_replaced(a, MEMBER_PAYLOAD))
		buf_add(&a->body, TEXT(",\"payload\":{}"));
}

/* A line stays a line.  Inside a string they would not be JSON, so these are between
 * tokens. */
static void blank_newlines(struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if (b->at[i] == '\n' || b->at[i] == '\r')
			b->at[i] = ' ';
}

#define FILLED ",\"timestamp\": "
#define FILLED_DIGITS 13 /* until the year 2286 */
#define FILLED_LEN (sizeof(FILLED) - 1 + FILLED_DIGITS + sizeof("}") - 1)

static void add_timestamp(struct admit *a, struct draft *out)
{
	int64_t now_ms = a->from->now_ms ? a->from->now_ms() : clock_wall_ms();
	size_t before = a->body.len;

	out->at_ms = (double)now_ms;
	buf_print(&a->body, FILLED "%lld}", (long long)now_ms);
	out->filled = a->body.len - before;
}

bool compose(struct admit *a, struct draft *out)
{
	buf_clear(&a->body);
	add_given(a);
	add_missing(a, out);
	if (is_replaced(a, MEMBER_TIMESTAMP))
		add_timestamp(a, out);
	else
		buf_add_char(&a->body, '}');
	blank_newlines(&a->body);
	out->body = buf_text(&a->body);
	return !a->body.full && !a->source.full;
}

/* --- the stamp --------------------------------------------------------------- */

/* Does it end as if its timestamp had been filled in? */
static bool looks_filled(struct text body)
{
	const char *at;

	if (body.len < FILLED_LEN)
		return false;
	at = body.at + body.len - FILLED_LEN;
	if (memcmp(at, FILLED, sizeof(FILLED) - 1) != 0)
		return false;
	for (size_t i = sizeof(FILLED) - 1; i < FILLED_LEN - 1; i++)
		if (at[i] < '0' || at[i] > '9')
			return false;
	return true;
}

struct text admit_stable(const struct draft *draft)
{
	return (struct text){draft->body.at, draft->body.len - draft->filled};
}

void admit_stamp(struct buf *out, uint64_t seq, const struct draft *draft)
{
	buf_add(out, TEXT("{\"seq\":"));
	buf_add_u64(out, seq);
	if (!draft->filled && looks_filled(draft->body))
		buf_add_char(out, ' ');
	buf_add_char(out, ',');
}

struct text admit_stable_line(struct text line)
{
	int comma = text_find(line, ',');
	struct text body;

	if (comma < 1)
		return (struct text){NULL, 0};
	body = (struct text){line.at + comma + 1, line.len - (size_t)comma - 1};
	if (line.at[comma - 1] != ' ' && looks_filled(body))
		body.len -= FILLED_LEN;
	return body;
}
