/* run_show.c - what a hub of the run dialect shows: what of it is known, and what is news.
 *
 * One that we meet shows what it remembers first: where it stands, an open prompt, and its
 * last events.  The run is named by `runner/started`, which may be among the last of these,
 * so all of it is held back for a moment.
 *
 * When we come back, after a line that broke or in another life of the box, we say since
 * which event we want to hear.  A hub that has no ear for that shows its last events again.
 * Either way what it shows is held back until our place is found in it (run_place.h), and
 * what is before that is known.  Where it is not found, the hub counts anew, or forgot what
 * we missed: that is told as a gap.
 *
 * An answer that another screen gave is only heard of as an event without the prompt's
 * id.  So what is open is kept by its invokeid.
 */
#include "source/run/run_hub.h"

#include <stdlib.h>

#include "source/transport.h"

#define HELD_MS 250
#define SEEK_MS 1000      /* of silence, until our place is not in what was shown */
#define SEEK_ALL_MS 10000 /* of all of it, where there is no silence */

/* ---- prompts ---- */

/* False: it is open already, and was only shown again. */
static bool note_prompt(struct run_hub *hub, yyjson_val *root, uint32_t mark)
{
	struct run_memory *m = hub->memory;
	struct text id = json_text(yyjson_obj_get(root, "prompt-id"));
	struct run_asked *a = run_memory_find(m, id);

	if (a && a->mark == mark) {
		source_asks_again(hub->source, run_memory_run(m));
		return false;
	}
	if (a)
		run_memory_close(m, a);
	a = run_memory_ask(m, id, json_text(yyjson_obj_get(root, "invokeid")));
	a->mark = mark;
	source_asks_again(hub->source, run_memory_run(m)); /* it may have been answered before us */
	return run_memory_find(m, id) && !run_memory_left_open(m, id);
}

/* Somebody answered: us, or who stands before another screen. */
static void note_answered(struct run_hub *hub, yyjson_val *data)
{
	struct text invoke = json_text(yyjson_obj_get(data, "invokeid"));

	list_each(&hub->memory->prompts, l) {
		struct run_asked *a = list_of(l, struct run_asked, in_memory);

		if (invoke.len && !text_is(invoke, a->invoke))
			continue;
		source_withdrew(hub->source, text_of(a->id), "it was answered on another screen");
		run_memory_close(hub->memory, a);
		return;
	}
}

/* ---- frames ---- */

enum hub_frame_kind { FRAME_OTHER, FRAME_EVENT, FRAME_PROMPT, FRAME_GAP };

static enum hub_frame_kind run_show_kind_of(yyjson_val *root)
{
	yyjson_val *kind = yyjson_obj_get(root, "kind");

	if (yyjson_equals_str(kind, "prompt"))
		return FRAME_PROMPT;
	if (yyjson_equals_str(kind, "gap"))
		return FRAME_GAP;
	return !kind || yyjson_equals_str(kind, "event") ? FRAME_EVENT : FRAME_OTHER;
}

static struct text started_session(yyjson_val *root)
{
	if (!yyjson_equals_str(yyjson_obj_get(root, "event"), "runner/started"))
		return (struct text){NULL, 0};
	return json_text(yyjson_obj_get(yyjson_obj_get(root, "data"), "session-id"));
}

static bool is_answered(yyjson_val *root)
{
	yyjson_val *event = yyjson_obj_get(root, "event");

	return yyjson_equals_str(event, "human-input/answer") ||
	       yyjson_equals_str(event, "human-input/cancelled");
}

/* NULL: it has none. */
static const uint64_t *seq_of(yyjson_val *root, uint64_t *seq)
{
	yyjson_val *number = yyjson_obj_get(root, "seq");

	*seq = yyjson_get_uint(number);
	return yyjson_is_uint(number) ? seq : NULL;
}

static void run_show_tell_gap(struct run_hub *hub, uint64_t missed, const char *why)
{
	source_tell_gap(hub->source, &(struct source_gap){.missed = missed, .why = why});
}

/* ---- events ---- */

/* Up to the event that is our place: what is before it is known, and of itself what was
 * told.  A parser without a memory hears of it all the same. */
static void take_known(struct run_hub *hub, const uint64_t *seq, struct text frame)
{
	struct run_memory *m = hub->memory;
	bool is_there = seq && m->place.has_seq ? *seq == m->place.seq
	                                        : m->place.event == run_place_mark(frame);

	m->in_event = is_there;
	if (m->is_fresh)
		run_memory_parse(m, frame, is_there ? m->place.told : RUN_ALL);
	if (is_there && !m->place.has_seq)
		hub->catches_up = false;
}

/* Several pieces that were joined have the number of the last. */
static uint64_t first_of(yyjson_val *root, uint64_t seq)
{
	yyjson_val *joined = yyjson_obj_get(yyjson_obj_get(root, "data"), "coalesced");
	uint64_t n = yyjson_get_uint(joined);

	return n && n <= seq ? seq - n + 1 : seq;
}

static bool run_show_is_known(const struct run_hub *hub, const uint64_t *seq)
{
	const struct run_place *place = &hub->memory->place;

	return hub->catches_up && place->is_known &&
	       (!place->has_seq || !seq || *seq <= place->seq);
}

static void run_show_take_event(struct run_hub *hub, yyjson_val *root, struct text frame)
{
	struct run_memory *m = hub->memory;
	uint64_t number;
	const uint64_t *seq = seq_of(root, &number);

	if (run_show_is_known(hub, seq)) {
		take_known(hub, seq, frame);
		return;
	}
	if (hub->catches_up && m->place.has_seq && seq && first_of(root, *seq) > m->place.seq + 1)
		run_show_tell_gap(hub, first_of(root, *seq) - m->place.seq - 1,
		                  "the hub does not remember what came before");
	hub->catches_up = m->is_fresh = false;
	run_place_event(&m->place, seq, frame);
	run_memory_begin(m, started_session(root));
	if (is_answered(root))
		note_answered(hub, yyjson_obj_get(root, "data"));
	m->in_event = true;
	run_memory_parse(m, frame, 0);
}

/* ---- what has no number ---- */

/* A hub that is asked for more than it has says so; of what we know nothing is missed. */
static void take_gap(struct run_hub *hub, yyjson_val *root)
{
	struct run_place *place = &hub->memory->place;
	uint64_t from = yyjson_get_uint(yyjson_obj_get(root, "from"));
	uint64_t to = yyjson_get_uint(yyjson_obj_get(root, "to"));

	if (place->has_seq && from <= place->seq)
		from = place->seq + 1;
	if (to < from)
		return;
	run_show_tell_gap(hub, to - from + 1, "the hub does not remember it any more");
	if (place->has_seq)
		place->seq = to;
}

static void take_other(struct run_hub *hub, yyjson_val *root, struct text frame)
{
	struct run_memory *m = hub->memory;
	struct text kind = json_text(yyjson_obj_get(root, "kind"));

	if (hub->catches_up && run_place_has(&m->place, kind, frame))
		return;
	run_place_other(&m->place, kind, frame);
	run_memory_parse(m, frame, 0);
}

static void run_show_take(struct run_hub *hub, struct text frame)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(&hub->reader, frame, NULL));
	enum hub_frame_kind kind = run_show_kind_of(root);

	hub->memory->in_event = false;
	if (!yyjson_is_obj(root))
		source_bad(hub->source, "a frame that is no JSON object");
	else if (kind == FRAME_EVENT)
		run_show_take_event(hub, root, frame);
	else if (kind == FRAME_GAP)
		take_gap(hub, root);
	else if (kind == FRAME_OTHER)
		take_other(hub, root, frame);
	else if (note_prompt(hub, root, run_place_mark(frame)))
		run_memory_parse(hub->memory, frame, 0);
}

/* ---- what is held back ---- */

static void run_show_release(struct run_hub *hub)
{
	uint32_t len;

	for (size_t at = 0; at < hub->held.len; at += sizeof(len) + len) {
		memcpy(&len, hub->held.at + at, sizeof(len));
		run_show_take(hub, (struct text){hub->held.at + at + sizeof(len), len});
	}
	buf_finish(&hub->held);
	hub->events = 0;
}

/* Our place is in what is held, or behind it. */
static void run_show_go_on(struct run_hub *hub)
{
	bool was_fresh = hub->memory->is_fresh;

	hub->holds = hub->seeks = false;
	run_show_release(hub);
	if (was_fresh)
		run_memory_withdraw(hub->memory);
}

/* It is not there, and will not come: all of it is news. */
static void begin_anew(struct run_hub *hub)
{
	if (!hub->renamed)
		run_show_tell_gap(hub, 0, "the hub counts its events anew");
	hub->memory->place = (struct run_place){0};
	hub->memory->is_fresh = false;
	run_memory_begin(hub->memory, text_of(hub->renamed));
	run_show_go_on(hub);
}

/* Without an event nothing is known of our place: the next ones are held back as well. */
static void run_show_ran_out(struct deadline *deadline)
{
	struct run_hub *hub = list_of(deadline, struct run_hub, patience);

	if (!hub->holds)
		hub->catches_up = hub->catches_up && hub->memory->place.has_seq;
	else if (!hub->seeks)
		run_show_go_on(hub);
	else if (hub->events)
		begin_anew(hub);
	else
		run_show_release(hub);
}

/* It is known whose frames these are: the run begins here. */
static bool tells_run(struct run_hub *hub, yyjson_val *root)
{
	struct text session = started_session(root);

	if (session.len)
		run_memory_begin(hub->memory, session);
	return session.len;
}

enum place_finding { FOUND_NOTHING, FOUND_PLACE, FOUND_ANOTHER };

/* What an event says of our place.  A number that is ours with other bytes is of another
 * count, and so are numbers that end before ours. */
static enum place_finding seek_in_event(struct run_hub *hub, yyjson_val *root, struct text frame)
{
	const struct run_place *place = &hub->memory->place;
	bool is_same = run_place_mark(frame) == place->event;
	struct text session = started_session(root);
	uint64_t seq;

	hub->events++;
	if (session.len && !text_equal(session, run_memory_run(hub->memory))) {
		free(hub->renamed);
		hub->renamed = text_dup(session);
	}
	if (!place->has_seq || !seq_of(root, &seq))
		return is_same && !place->has_seq ? FOUND_PLACE : FOUND_NOTHING;
	if (seq == place->seq)
		return is_same ? FOUND_PLACE : FOUND_ANOTHER;
	return seq > place->seq ? FOUND_PLACE : FOUND_NOTHING;
}

static enum place_finding seek_in(struct run_hub *hub, yyjson_val *root, struct text frame)
{
	if (run_show_kind_of(root) == FRAME_EVENT)
		return seek_in_event(hub, root, frame);
	if (run_show_kind_of(root) == FRAME_GAP &&
	    yyjson_equals_str(yyjson_obj_get(root, "why"), "lost"))
		return FOUND_ANOTHER;
	return FOUND_NOTHING;
}

static void run_show_hold(struct run_hub *hub, struct text frame)
{
	uint32_t len = (uint32_t)frame.len;

	buf_add(&hub->held, (struct text){(const char *)&len, sizeof(len)});
	buf_add(&hub->held, frame);
}

static void wait_on(struct run_hub *hub)
{
	struct loop *loop = source_loop(hub->source);

	if (hub->seeks && loop_now_ms(loop) < hub->seek_by)
		deadline_set(loop, &hub->patience, SEEK_MS);
}

void run_show_hear(struct run_hub *hub, struct text frame)
{
	enum place_finding finding = FOUND_NOTHING;
	yyjson_val *root;

	if (!hub->holds) {
		run_show_take(hub, frame);
		return;
	}
	root = yyjson_doc_get_root(json_read(&hub->reader, frame, NULL));
	if (hub->held.len + sizeof(uint32_t) + frame.len > hub->held.max) {
		run_show_go_on(hub);
		run_show_take(hub, frame);
		return;
	}
	if (hub->seeks)
		finding = seek_in(hub, root, frame);
	else if (tells_run(hub, root))
		finding = FOUND_PLACE;
	run_show_hold(hub, frame);
	if (finding == FOUND_PLACE)
		run_show_go_on(hub);
	else if (finding == FOUND_ANOTHER)
		begin_anew(hub);
	else
		wait_on(hub);
}

void run_show_begin(struct run_hub *hub)
{
	struct loop *loop = source_loop(hub->source);

	hub->holds = hub->catches_up = true;
	hub->seeks = hub->memory->place.is_known;
	hub->seek_by = loop_now_ms(loop) + SEEK_ALL_MS;
	hub->patience.fire = run_show_ran_out;
	deadline_set(loop, &hub->patience, hub->seeks ? SEEK_MS : HELD_MS);
}

/* What is held while our place is sought comes again. */
void run_show_end(struct run_hub *hub)
{
	if (hub->holds && !hub->seeks)
		run_show_go_on(hub);
}
