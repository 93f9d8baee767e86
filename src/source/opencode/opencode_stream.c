/* opencode_stream.c - events of the stream, one after the other.
 *
 * A long text is told a piece in each turn of the loop.  Until it is told, the events behind it
 * wait.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "net/loop.h"
#include "signal/json.h"
#include "source/opencode/opencode_parts.h"

#define EVENTS_SLICE_NS 1000000
#define OURS_MAX (256 * KIB)       /* an event that concerns us: such are short */
#define EVENTS_BYTES_MAX (8 * MIB) /* that wait; beyond it all are taken at once */

struct opencode_event {
	struct link in_line; /* opencode_line.events */
	size_t len;
	char data[];
};

/* ---- one of them ---- */

/* What it asks is the way back's business, states are of who makes up for what was missed. */
static bool concerns_us(struct text type)
{
	return text_starts(type, TEXT("permission.")) || text_starts(type, TEXT("question.")) ||
	       text_is(type, "session.status") || text_is(type, "session.idle");
}

/* Of a picture that somebody gave it nothing is told. */
static bool is_too_long(struct opencode_line *o, struct text data)
{
	if (data.len <= OPENCODE_READ_MAX)
		return false;
	if (!memmem(data.at, data.len, "\"type\":\"file\"", 13))
		source_bad(o->source, "an event that is too long");
	return true;
}

/* True: there is more of it. */
static bool opencode_stream_take(struct opencode_line *o, struct text data)
{
	struct text type = opencode_event_type(data);
	yyjson_val *root, *inner;

	if (opencode_says_nothing(type) || is_too_long(o, data))
		return false;
	if (opencode_feed(o->memory, data))
		return true;
	if (data.len > OURS_MAX || !concerns_us(type))
		return false;
	root = yyjson_doc_get_root(json_read(&o->reader, data, NULL));
	inner = yyjson_obj_get(root, "payload");
	if (yyjson_is_obj(inner))
		root = inner;
	opencode_hear(o, json_text_at(root, "type"), yyjson_obj_get(root, "properties"));
	return false;
}

/* ---- those that wait ---- */

static void forget_event(struct opencode_line *o, struct opencode_event *e)
{
	list_remove(&e->in_line);
	assert(o->event_bytes >= e->len);
	o->event_bytes -= e->len;
	free(e);
}

/* The first of them, or a piece of it. */
static void take_first(struct opencode_line *o)
{
	struct opencode_event *e = list_of(o->events.next, struct opencode_event, in_line);
	bool has_more;

	o->is_taking = true;
	has_more = opencode_stream_take(o, (struct text){e->data, e->len});
	o->is_taking = false;
	if (!has_more || o->is_over)
		forget_event(o, e);
}

static bool take_slice(struct turn *turn)
{
	struct opencode_line *o = list_of(turn, struct opencode_line, events_turn);
	uint64_t until_ns = clock_mono_ns() + EVENTS_SLICE_NS;

	while (!list_is_empty(&o->events) && !o->is_over) {
		take_first(o);
		if (clock_mono_ns() >= until_ns)
			break;
	}
	if (!list_is_empty(&o->events) && !o->is_over)
		return true;
	opencode_drop_events(o);
	return false;
}

void opencode_flush_events(struct opencode_line *o)
{
	while (!o->is_taking && !list_is_empty(&o->events))
		take_first(o);
}

void opencode_drop_events(struct opencode_line *o)
{
	while (!o->is_taking && !list_is_empty(&o->events))
		forget_event(o, list_of(o->events.next, struct opencode_event, in_line));
	if (o->events_turn.end)
		loop_remove_turn(&o->events_turn);
	o->events_turn.end = NULL;
}

static void wait_in_line(struct opencode_line *o, struct text data)
{
	struct opencode_event *e = must_alloc(sizeof(*e) + data.len);

	e->len = data.len;
	memcpy(e->data, data.at, data.len);
	list_add(&o->events, &e->in_line);
	o->event_bytes += e->len;
	if (!o->events_turn.end) {
		o->events_turn.end = take_slice;
		list_init(&o->events_turn.in_loop);
		loop_add_turn(source_loop(o->source), &o->events_turn);
	}
	if (o->event_bytes > EVENTS_BYTES_MAX)
		opencode_flush_events(o);
}

void opencode_got_event(void *self, const struct parse_event *event)
{
	struct opencode_line *o = self;

	if (o->is_over || !event->data.len)
		return;
	if (!list_is_empty(&o->events) || opencode_stream_take(o, event->data))
		wait_in_line(o, event->data);
}
