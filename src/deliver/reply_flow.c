/* reply_flow.c - the words of a turn as they come, for a chat in which what is shown stays. */
#include "deliver/reply_inside.h"

#define FLOW_EVERY_MS 1000 /* somebody may wait for the chat while the agent is silent */

static bool flows(const struct reply *r)
{
	return r->options.mode == CHANNEL_STREAMS;
}

void reply_flow_init(struct reply *r)
{
	struct normal_options normal = r->options.dispatch.normal;
	struct chunk_limit limit;

	normal.limit = r->options.draft.limit;
	limit = normal_limit(&normal);
	flow_init(&r->flow, &limit);
	r->flow_due_ms = INT64_MAX;
}

void reply_flow_finish(struct reply *r)
{
	flow_finish(&r->flow);
}

/* ---- what there is to say ---- */

/* The message as the final would have it, so that one goes on as the other began.  False: it is
 * not for people. */
static bool make_message(struct reply *r, struct buf *out)
{
	struct buf text;
	bool good;

	buf_init(&text, r->text.len + 4 * KIB);
	flow_put(&r->flow, buf_text(&r->text), &text);
	good = normal_text(&r->options.dispatch.normal, &(struct payload){.text = buf_text(&text)},
	                   out) == NORMAL_TAKEN;
	buf_finish(&text);
	return good;
}

static void end_message(struct reply *r)
{
	struct buf whole;

	r->flow.is_full = true;
	buf_init(&whole, 3 * r->text.len + 8 * KIB);
	r->flow_ends = make_message(r, &whole) &&
	               r->options.stream(r->options.self, REPLY_FLOW_ENDS, buf_text(&whole));
	if (!r->flow_ends)
		reply_flow_lost(r);
	buf_finish(&whole);
}

static void show_message(struct reply *r, struct text text, int64_t now_ms)
{
	bool goes_on = true;

	if (!r->flow_is_open)
		r->flow_is_open = r->options.stream(r->options.self, REPLY_FLOW_BEGINS, text);
	else
		goes_on = r->options.stream(r->options.self, REPLY_FLOW_SAYS, text);
	if (!r->flow_is_open)
		reply_flow_lost(r);
	else if (r->flow.is_full || (!goes_on && r->step == REPLY_RUNS))
		end_message(r);
	r->flow_due_ms = now_ms + FLOW_EVERY_MS;
}

void reply_flow_work(struct reply *r, int64_t now_ms)
{
	struct text turn = buf_text(&r->text);
	struct buf message;

	if (!flows(r) || !r->context.streaming_enabled || r->flow_ends || r->step > REPLY_FLUSHED ||
	    (!r->flow_is_open && r->flow.at == 0 && normal_may_be_silent(turn)))
		return;
	flow_show(&r->flow, turn, r->step == REPLY_FLUSHED);
	if (!r->flow.shown)
		return;
	buf_init(&message, 3 * turn.len + 8 * KIB);
	if (make_message(r, &message))
		show_message(r, buf_text(&message), now_ms);
	else if (r->flow.is_full)
		reply_flow_lost(r);
	buf_finish(&message);
}

int64_t reply_flow_due(const struct reply *r)
{
	return r->flow_is_open && !r->flow_ends && r->step == REPLY_RUNS ? r->flow_due_ms
	                                                                 : INT64_MAX;
}

/* ---- what became of it ---- */

void reply_flow_settle(struct reply *r, enum pipeline_sent sent)
{
	if (!r->flow_ends)
		return;
	r->flow_is_open = r->flow_ends = false;
	if (sent == PIPELINE_ACCEPTED || sent == PIPELINE_UNKNOWN)
		flow_next(&r->flow, buf_text(&r->text));
	if (sent != PIPELINE_ACCEPTED)
		reply_flow_lost(r);
}

/* The final has it. */
void reply_flow_lost(struct reply *r)
{
	r->flow_is_open = r->flow_ends = false;
	r->context.streaming_enabled = false;
}

bool reply_flow_waits(const struct reply *r)
{
	return flows(r) && r->context.streaming_enabled && (r->flow_ends || r->flow.is_full);
}

void reply_flow_put(struct reply *r, struct buf *out)
{
	struct text turn = buf_text(&r->text);

	if (!r->flow_is_open && turn.len > r->flow.at) {
		buf_add(out, buf_text(&r->flow.head));
		buf_add(out, (struct text){turn.at + r->flow.at, turn.len - r->flow.at});
		return;
	}
	flow_show(&r->flow, turn, true);
	flow_put(&r->flow, turn, out);
}
