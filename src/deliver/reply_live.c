/* reply_live.c - the message of a turn that is edited: the text so far, or what is being done. */
#include <stdlib.h>

#include "base/must.h"
#include "deliver/reply_inside.h"
#include "signal/json.h"
#include "signal/signal.h"

static bool is_draft(const struct reply *r)
{
	return r->options.mode == CHANNEL_DRAFTS;
}

void reply_live_init(struct reply *r)
{
	struct draft_options options = r->options.draft;

	r->is_live = is_draft(r) || r->options.mode == CHANNEL_PROGRESS;
	if (!r->is_live)
		return;
	if (!is_draft(r)) {
		options.first_chars = 1;
		if (options.every_ms < PROGRESS_EVERY_MS)
			options.every_ms = PROGRESS_EVERY_MS;
		r->progress = must_zero(1, sizeof(*r->progress));
		progress_init(r->progress, r->options.dispatch.normal.names.identity_name);
	}
	draft_init(&r->live, &options);
}

void reply_live_finish(struct reply *r)
{
	if (!r->is_live)
		return;
	draft_finish(&r->live);
	if (r->progress)
		progress_finish(r->progress);
	free(r->progress);
}

/* ---- what there is to say ---- */

/* A signal that no callback is for. */
void reply_live_hear(struct reply *r, const struct signal *s, int64_t now_ms)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	struct text prompt = json_text_at(payload, "prompt");

	if (!r->progress)
		return;
	if (text_is(s->type, "agent.plan"))
		progress_plan(r->progress, payload, now_ms);
	else if (text_is(s->type, "prompt"))
		progress_ask(r->progress, TEXT(""), prompt, now_ms);
	else if (text_is(s->type, "answer") || text_is(s->type, "prompt.closed"))
		progress_answered(r->progress, TEXT(""));
	else if (s->kind != KIND_TOOL_CALL && s->kind != KIND_TOOL_RESULT)
		return;
	r->live_is_stale = true;
}

static void set_draft(struct reply *r)
{
	struct payload so_far = {.text = buf_text(&r->text)};
	struct buf text;

	if (normal_may_be_silent(so_far.text))
		return;
	buf_init(&text, 3 * so_far.text.len + 4 * KIB);
	if (normal_text(&r->options.dispatch.normal, &so_far, &text) == NORMAL_TAKEN)
		draft_set(&r->live, buf_text(&text));
	buf_finish(&text);
}

static void set_status(struct reply *r)
{
	struct buf text;

	buf_init(&text, 16 * KIB);
	progress_put(r->progress, &text);
	draft_set(&r->live, buf_text(&text));
	buf_finish(&text);
}

/* ---- time ---- */

static int64_t may_look_at(const struct reply *r)
{
	int64_t at = r->live.due_ms;

	if (is_draft(r))
		return at;
	if (!r->progress->has_work)
		return INT64_MAX;
	return at > r->progress->since_ms + PROGRESS_AFTER_MS
	               ? at
	               : r->progress->since_ms + PROGRESS_AFTER_MS;
}

int64_t reply_live_due(const struct reply *r)
{
	if (!r->is_live || r->step != REPLY_RUNS)
		return INT64_MAX;
	return r->live_is_stale && draft_is_idle(&r->live) && !r->live.has_ended
	               ? may_look_at(r)
	               : draft_due(&r->live);
}

static void take_step(struct reply *r, int64_t now_ms)
{
	int64_t ready = r->options.ready ? r->options.ready(r->options.self) : now_ms;
	struct draft_step step;
	struct buf piece;

	if (ready > now_ms) {
		draft_hold(&r->live, ready);
		return;
	}
	buf_init(&piece, 2 * DRAFT_TEXT_MAX);
	step = draft_next(&r->live, now_ms, &piece);
	if (step.act != DRAFT_WAITS && !r->options.live(r->options.self, &step)) {
		if (step.act == DRAFT_BEGINS)
			r->live.has_begun = false;
		draft_end(&r->live);
	}
	buf_finish(&piece);
}

void reply_live_work(struct reply *r, int64_t now_ms)
{
	if (now_ms < reply_live_due(r))
		return;
	if (r->live_is_stale) {
		r->live_is_stale = false;
		if (is_draft(r))
			set_draft(r);
		else
			set_status(r);
	}
	if (now_ms >= draft_due(&r->live))
		take_step(r, now_ms);
}

/* ---- what became of it ---- */

void reply_live_there(struct reply *r, unsigned count)
{
	draft_there(&r->live, count);
}

void reply_live_edited(struct reply *r, enum draft_edited how)
{
	draft_edit_done(&r->live, how);
	if (how == DRAFT_EDIT_FAILED && is_draft(r))
		r->context.streaming_enabled = false; /* the final has it */
}

void reply_live_lost(struct reply *r)
{
	if (r->flow_is_open) {
		reply_flow_lost(r);
		return;
	}
	draft_end(&r->live);
	r->live.has_begun = false;
	if (is_draft(r))
		r->context.streaming_enabled = false;
}

void reply_live_doubted(struct reply *r)
{
	r->is_doubted |= !r->progress;
	if (r->flow_is_open)
		reply_flow_lost(r);
	else
		draft_end(&r->live);
	if (is_draft(r))
		r->context.streaming_enabled = false;
}

void reply_live_drop(struct reply *r)
{
	if (!r->is_live || !r->live.has_begun)
		return;
	reply_live_lost(r);
	r->options.drop(r->options.self);
}
