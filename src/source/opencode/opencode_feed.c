/* opencode_feed.c - answers of routes, as the events that they would have been.
 *
 * An answer may be long: its items are fed for a moment of each turn.
 */
#include <assert.h>

#include "base/clock.h"
#include "base/put.h"
#include "source/known.h"
#include "source/opencode/opencode_parts.h"

#define FEED_SLICE_NS 1000000
#define MESSAGES_LIMIT 50
#define PARTS_LIMIT 256 /* of all messages of an answer */

/* ---- events that might have been ---- */

/* at_ms: 0, now. */
static void begin_event(struct buf *out, const char *type, double at_ms)
{
	put_object(out, NULL);
	put_word(out, "type", type);
	if (at_ms > 0)
		put_u64(out, "at", (uint64_t)at_ms);
	put_object(out, "properties");
}

/* Ends it; one that did not fit is passed over. */
static bool feed_event(struct opencode_line *o, struct buf *event)
{
	bool has_more;

	put_end(event);
	has_more = !event->full && opencode_feed(o->memory, buf_text(event));
	buf_finish(event);
	return has_more;
}

bool opencode_feed_value(struct opencode_line *o, const char *type, const char *key,
                         yyjson_val *value)
{
	yyjson_val *time = yyjson_obj_get(value, "time");
	yyjson_val *state_time = yyjson_obj_get(yyjson_obj_get(value, "state"), "time");
	static const char *const names[] = {"end", "completed", "start", "created"};
	double at_ms = 0;
	struct buf event;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !(at_ms > 0); i++)
		if (!json_number(yyjson_obj_get(time, names[i]), &at_ms))
			json_number(yyjson_obj_get(state_time, names[i]), &at_ms);
	buf_init(&event, OPENCODE_READ_MAX);
	begin_event(&event, type, at_ms > 0 && at_ms < 1e14 ? at_ms : 0);
	put_key(&event, key);
	if (!json_add(&event, value))
		event.full = true;
	put_end(&event);
	return feed_event(o, &event);
}

void opencode_feed_status(struct opencode_line *o, struct text session, const char *status)
{
	struct buf event;

	buf_init(&event, 4 * KIB);
	begin_event(&event, "session.status", 0);
	put_text(&event, "sessionID", session);
	put_object(&event, "status");
	put_word(&event, "type", status);
	put_end(&event);
	put_end(&event);
	feed_event(o, &event);
}

/* ---- some at a time ---- */

void opencode_stop_slices(struct opencode_line *o)
{
	struct opencode_slices *s = &o->slices;

	if (!s->doc)
		return;
	loop_remove_turn(&s->turn);
	yyjson_doc_free(s->doc);
	*s = (struct opencode_slices){0};
}

static bool feed_slice(struct turn *turn)
{
	struct opencode_line *o = list_of(turn, struct opencode_line, slices.turn);
	struct opencode_slices *s = &o->slices;
	uint64_t until_ns = clock_mono_ns() + FEED_SLICE_NS;
	void (*done)(struct opencode_line * o) = s->done;

	while (s->doc && (s->item || (s->left && (s->item = yyjson_arr_iter_next(&s->each))))) {
		if (!s->feed(o, s->item)) {
			s->item = NULL;
			s->left--;
		}
		if (clock_mono_ns() >= until_ns)
			return s->doc != NULL;
	}
	if (!s->doc)
		return false; /* the connection was lost meanwhile */
	opencode_stop_slices(o);
	done(o);
	return false;
}

void opencode_feed_slices(struct opencode_line *o, const struct opencode_call *call,
                          const struct opencode_slices *how)
{
	struct opencode_slices *s = &o->slices;

	assert(!s->doc && *call->doc);
	*s = *how;
	s->doc = *call->doc;
	*call->doc = NULL;
	s->turn.end = feed_slice;
	list_init(&s->turn.in_loop);
	loop_add_turn(source_loop(o->source), &s->turn);
}

/* ---- messages ---- */

/* Where to begin: behind the last that was told, or with what was asked last. */
static size_t first_new(yyjson_val *list, struct text last)
{
	size_t count = yyjson_arr_size(list), asked = count;
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *one;

	for (size_t i = 0; (one = yyjson_arr_iter_next(&each)); i++) {
		yyjson_val *info = yyjson_obj_get(one, "info");

		if (last.len && text_equal(json_text_at(info, "id"), last))
			return i + 1;
		if (text_is(json_text_at(info, "role"), "user"))
			asked = i;
	}
	return last.len ? 0 : asked;
}

static void feed_failure(struct opencode_line *o, yyjson_val *info)
{
	yyjson_val *error = yyjson_obj_get(info, "error");
	struct buf event;

	if (!yyjson_is_obj(error))
		return;
	buf_init(&event, 256 * KIB);
	begin_event(&event, "session.error", 0);
	put_text(&event, "sessionID", json_text_at(info, "sessionID"));
	put_key(&event, "error");
	if (!json_add(&event, error))
		event.full = true;
	put_end(&event);
	feed_event(o, &event);
}

/* Its role is known before its parts are, that it is whole after them. */
static bool feed_message(struct opencode_line *o, yyjson_val *message)
{
	struct opencode_slices *s = &o->slices;
	yyjson_val *info = yyjson_obj_get(message, "info"), *part;

	if (!s->is_begun) {
		s->is_begun = true;
		s->parts = yyjson_arr_iter_with(yyjson_obj_get(message, "parts"));
		if (text_is(json_text_at(info, "role"), "user"))
			opencode_feed_value(o, "message.updated", "info", info);
		return true;
	}
	part = s->part                       ? s->part
	       : s->part_count < PARTS_LIMIT ? yyjson_arr_iter_next(&s->parts)
	                                     : NULL;
	if (part) {
		s->part_count += !s->part;
		s->part =
			opencode_feed_value(o, "message.part.updated", "part", part) ? part : NULL;
		return true;
	}
	if (yyjson_arr_iter_has_next(&s->parts))
		source_bad(o->source, "opencode gives too many parts");
	opencode_feed_value(o, "message.updated", "info", info);
	feed_failure(o, info);
	s->is_begun = false;
	return false;
}

void opencode_feed_messages(struct opencode_line *o, const struct opencode_call *call,
                            yyjson_val *list)
{
	struct opencode_slices how = {.each = yyjson_arr_iter_with(list),
	                              .feed = feed_message,
	                              .done = opencode_next_step};
	struct opencode_seen seen = {0};
	struct text session = text_of(call->what);
	size_t count = yyjson_arr_size(list), first;

	opencode_find(o->memory->parse, session, &seen);
	first = first_new(list, seen.last);
	/* Not every server knows the limit.  The newest come last. */
	if (count > first + MESSAGES_LIMIT)
		first = count - MESSAGES_LIMIT;
	if (first < count && !seen.is_busy)
		opencode_feed_status(o, session, "busy");
	for (size_t i = 0; i < first; i++)
		yyjson_arr_iter_next(&how.each);
	how.left = count - first;
	opencode_feed_slices(o, call, &how);
}
