/* reply.c - one turn, joined. */
#include "deliver/reply.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "deliver/reply_inside.h"

#define FINAL_NUMBER ((uint64_t)1 << 62) /* no block has it */
#define DRAFT_NUMBER (FINAL_NUMBER + 1)  /* of a draft whose agent failed */

/* ---- the context ---- */

static void say_news(struct reply *r, struct text whole, int64_t now_ms)
{
	struct text news = {whole.at + r->partial, whole.len - r->partial};

	if (!pipeline_say(r->pipeline, news, now_ms))
		r->context.streaming_enabled = false; /* the final has it */
	r->partial = whole.len;
}

/* It goes with the final. */
static void keep_media(struct reply *r, const struct payload *p)
{
	for (size_t i = 0; i < p->media_count; i++) {
		if (r->kept_count < PAYLOAD_MEDIA_MAX)
			r->kept[r->kept_count++] = p->media[i];
		else
			log_warn("deliver", "a file is left out: a message has at most %d",
			         PAYLOAD_MEDIA_MAX);
	}
	r->kept_is_voice |= p->is_voice;
}

/* The whole text comes each time: what is new of it goes into the pipeline, and media behind it. */
static void say_partial(struct streaming_context *c, const struct payload *partial, int64_t now_ms)
{
	struct reply *r = c->self;
	struct payload media = {.media = partial->media,
	                        .media_count = partial->media_count,
	                        .is_voice = partial->is_voice};

	r->live_is_stale |= c->draft_mode;
	if (r->pipeline && partial->text.len > r->partial)
		say_news(r, partial->text, now_ms);
	if (media.media_count && !(r->pipeline && pipeline_enqueue(r->pipeline, &media, now_ms)))
		keep_media(r, &media);
}

static void show_typing(struct streaming_context *c, bool shows)
{
	struct reply *r = c->self;

	r->options.type(r->options.self, shows);
}

static void start_tool(struct streaming_context *c, struct text tool, int64_t now_ms)
{
	struct reply *r = c->self;

	typing_tool_start(&c->typing_signaler, now_ms);
	if (r->progress)
		progress_tool(r->progress, tool, now_ms);
}

/* ---- the agent's callbacks ---- */

static void message_starts(void *self, int64_t now_ms)
{
	struct reply *r = self;

	r->partial = 0;
	if (r->pipeline)
		pipeline_begin_message(r->pipeline);
	typing_message_start(&r->context.typing_signaler, now_ms);
}

static void text_starts_now(void *self, int64_t now_ms)
{
	struct reply *r = self;

	if (r->text.len)
		buf_add(&r->text, TEXT("\n\n"));
}

static void text_grows(void *self, struct text delta, int64_t now_ms)
{
	struct reply *r = self;

	buf_add(&r->text, delta);
	typing_text_delta(&r->context.typing_signaler, delta, now_ms);
}

static bool has_media(const struct reply *r, struct text where)
{
	for (size_t i = 0; i < r->media_count; i++)
		if (text_is(where, r->media[i]))
			return true;
	return false;
}

/* Those that did not come before in this turn; they live as long as it does. */
static size_t take_media(struct reply *r, const struct payload *from,
                         struct text fresh[PAYLOAD_MEDIA_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < from->media_count && i < PAYLOAD_MEDIA_MAX; i++) {
		if (!r->options.takes_media || r->media_count >= REPLY_MEDIA_MAX ||
		    has_media(r, from->media[i]))
			continue;
		r->media[r->media_count] = text_dup(from->media[i]);
		fresh[count++] = text_of(r->media[r->media_count++]);
	}
	return count;
}

static void reply_grows(void *self, const struct payload *partial, int64_t now_ms)
{
	struct reply *r = self;
	struct text fresh[PAYLOAD_MEDIA_MAX];
	struct payload own = *partial;

	own.media_count = take_media(r, partial, fresh);
	own.media = fresh;
	if (r->context.streaming_enabled)
		r->context.on_partial(&r->context, &own, now_ms);
	else
		keep_media(r, &own);
}

static void reasons(void *self, struct text text, int64_t now_ms)
{
	struct reply *r = self;

	typing_reasoning_delta(&r->context.typing_signaler, now_ms);
}

static void tool_starts(void *self, struct text tool, yyjson_val *params, int64_t now_ms)
{
	struct reply *r = self;

	reply_tool_begins(r, tool, params);
	r->context.on_tool_start(&r->context, tool, now_ms);
}

static void tool_ends(void *self, struct text tool, yyjson_val *result, int64_t now_ms)
{
	struct reply *r = self;

	if (r->progress)
		progress_tool(r->progress, TEXT(""), now_ms);
	reply_tool_ends(r, tool, result, now_ms);
}

static const struct agent_streaming_callbacks callbacks = {
	.on_assistant_message_start = message_starts,
	.on_text_start = text_starts_now,
	.on_text_delta = text_grows,
	.on_partial_reply = reply_grows,
	.on_reasoning_stream = reasons,
	.on_tool_start = tool_starts,
	.on_tool_end = tool_ends,
};

/* ---- life ---- */

struct reply *reply_create(const struct reply_options *options,
                           const struct streaming_context *target)
{
	struct reply *r = must_zero(1, sizeof(*r));
	struct pipeline_options pipeline = {
		.chunking = options->chunking,
		.coalescing = options->coalescing,
		.reply_to = text_of(target->reply_to_id),
	};

	r->options = *options;
	r->context = *target;
	r->context.self = r;
	r->context.on_partial = say_partial;
	r->context.on_typing = show_typing;
	r->context.on_tool_start = start_tool;
	r->context.draft_mode = options->mode == CHANNEL_DRAFTS;
	r->context.streaming_enabled = options->mode == CHANNEL_BLOCKS ||
	                               options->mode == CHANNEL_STREAMS || r->context.draft_mode;
	reply_live_init(r);
	reply_flow_init(r);
	if (options->mode == CHANNEL_BLOCKS)
		r->pipeline = pipeline_create(&pipeline);
	r->dispatch = dispatch_create(&options->dispatch);
	buf_init(&r->text, REPLY_TEXT_MAX);
	buf_init(&r->calls, REPLY_CALLS_MAX);
	broker_init(&r->broker, &callbacks, r);
	return r;
}

void reply_destroy(struct reply *r)
{
	if (!r)
		return;
	broker_finish(&r->broker);
	pipeline_destroy(r->pipeline);
	dispatch_destroy(r->dispatch);
	streaming_finish(&r->context);
	reply_live_finish(r);
	reply_flow_finish(r);
	buf_finish(&r->text);
	buf_finish(&r->calls);
	tool_news_finish(r->news);
	free(r->news);
	for (size_t i = 0; i < r->media_count; i++)
		free(r->media[i]);
	free(r);
}

struct streaming_context *reply_context(struct reply *r)
{
	return &r->context;
}

/* ---- sending ---- */

/* What follows a hole reads badly: the final has it. */
static void settle_block(struct reply *r, uint64_t number, enum pipeline_sent sent, int64_t now_ms)
{
	r->is_doubted |= sent == PIPELINE_UNKNOWN;
	pipeline_settle(r->pipeline, number, sent);
	if (pipeline_gave_up(r->pipeline))
		dispatch_drop_blocks(r->dispatch, now_ms);
}

/* Where too many wait already, the final has it. */
void reply_take_blocks(struct reply *r, int64_t now_ms)
{
	enum dispatch_refusal why;
	struct pipeline_block b;

	while (r->pipeline && pipeline_take(r->pipeline, &b))
		if (!dispatch_enqueue(r->dispatch,
		                      &(struct dispatch_item){DISPATCH_BLOCK, b.number, b.payload},
		                      now_ms, &why))
			settle_block(r, b.number,
			             why == DISPATCH_IS_FULL ? PIPELINE_ABSENT : PIPELINE_SKIPPED,
			             now_ms);
}

static void send_next(struct reply *r, int64_t now_ms)
{
	struct dispatch_item item;
	enum dispatch_step step;

	while ((step = dispatch_next(r->dispatch, now_ms, &item)) != DISPATCH_WAITS) {
		if (step == DISPATCH_SENDS)
			r->options.send(r->options.self, item.kind, item.number, item.payload);
		else
			settle_block(r, item.number,
			             r->options.give_up(r->options.self, item.number)
			                     ? PIPELINE_UNKNOWN
			                     : PIPELINE_ABSENT,
			             now_ms);
	}
	typing_sent(&r->context.typing_signaler, dispatch_is_idle(r->dispatch));
}

static bool enqueue_last(struct reply *r, uint64_t number, const struct payload *last,
                         int64_t now_ms)
{
	return dispatch_enqueue(r->dispatch, &(struct dispatch_item){DISPATCH_FINAL, number, last},
	                        now_ms, NULL);
}

/* Words for what failed, behind what was said of it: nobody who has seen nothing gets them. */
static bool enqueue_failed(struct reply *r, const struct payload *so_far, int64_t now_ms)
{
	struct payload words = {.text = text_of(r->options.failed)};
	bool is_shown = (r->context.draft_mode && r->live.has_begun) || r->flow_is_open ||
	                (r->is_doubted && !r->pipeline);
	bool has_draft = is_shown && enqueue_last(r, DRAFT_NUMBER, so_far, now_ms);

	if (r->is_cancelled)
		return has_draft;
	return (has_draft || r->sent || r->is_doubted) &&
	       enqueue_last(r, FINAL_NUMBER, &words, now_ms);
}

static void enqueue_text(struct reply *r, struct text text, int64_t now_ms)
{
	struct payload final = {.text = text,
	                        .media = r->kept,
	                        .media_count = r->kept_count,
	                        .is_voice = r->kept_is_voice,
	                        .reply_to = text_of(r->context.reply_to_id)};
	struct payload rest = final;
	bool is_any;

	if (r->has_failed)
		is_any = enqueue_failed(r, &final, now_ms);
	else
		is_any = (!r->pipeline || pipeline_final(r->pipeline, &final, &rest)) &&
		         enqueue_last(r, FINAL_NUMBER, &rest, now_ms);
	r->step = is_any ? REPLY_FINAL : REPLY_OVER;
	if (!is_any)
		reply_live_drop(r);
}

static void enqueue_final(struct reply *r, int64_t now_ms)
{
	struct buf rest;

	if (r->options.mode != CHANNEL_STREAMS) {
		enqueue_text(r, buf_text(&r->text), now_ms);
		return;
	}
	buf_init(&rest, r->text.len + 4 * KIB);
	reply_flow_put(r, &rest);
	enqueue_text(r, buf_text(&rest), now_ms);
	buf_finish(&rest);
}

static void end_run(struct reply *r, int64_t now_ms)
{
	r->step = REPLY_FLUSHED;
	if (r->pipeline && r->has_failed)
		pipeline_stop(r->pipeline);
	else if (r->pipeline)
		pipeline_flush(r->pipeline);
	if (r->has_failed)
		typing_stop(&r->context.typing_signaler, TYPING_IS_FAILED);
}

static void work_typing(struct reply *r, int64_t now_ms)
{
	enum typing_act act = typing_next(&r->context.typing_signaler, now_ms);

	if (act != TYPING_NOTHING)
		r->context.on_typing(&r->context, act == TYPING_SHOW);
}

void reply_work(struct reply *r, int64_t now_ms)
{
	if (r->pipeline)
		pipeline_tick(r->pipeline, now_ms);
	reply_take_blocks(r, now_ms);
	send_next(r, now_ms);
	reply_live_work(r, now_ms);
	reply_flow_work(r, now_ms);
	if (r->step == REPLY_FLUSHED && dispatch_is_idle(r->dispatch) && !r->live.editing &&
	    !reply_flow_waits(r)) {
		enqueue_final(r, now_ms);
		typing_sent(&r->context.typing_signaler, dispatch_is_idle(r->dispatch));
		typing_run_over(&r->context.typing_signaler);
		send_next(r, now_ms);
	}
	if (r->step == REPLY_FINAL && dispatch_is_idle(r->dispatch)) {
		r->step = REPLY_OVER;
		if (!r->context.draft_mode)
			reply_live_drop(r);
	}
	work_typing(r, now_ms);
}

int64_t reply_due(const struct reply *r)
{
	int64_t due = dispatch_due(r->dispatch);
	int64_t others[] = {r->pipeline ? pipeline_due(r->pipeline) : INT64_MAX, reply_live_due(r),
	                    reply_flow_due(r), typing_due(&r->context.typing_signaler)};

	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i] < due)
			due = others[i];
	return due;
}

void reply_settle(struct reply *r, uint64_t number, enum pipeline_sent sent, struct text messages,
                  int64_t now_ms)
{
	if (number != REPLY_FLOW_NUMBER && !dispatch_done(r->dispatch, number, now_ms))
		return;
	if (sent == PIPELINE_ACCEPTED) {
		r->sent++;
		for (struct text rest = messages; rest.at;)
			streaming_note_sent(&r->context, text_cut(rest, ' ', &rest));
	}
	if (number == REPLY_FLOW_NUMBER)
		reply_flow_settle(r, sent);
	if (r->pipeline && number < REPLY_TOOL_NUMBER)
		settle_block(r, number, sent, now_ms);
	reply_work(r, now_ms);
}

/* ---- the run ---- */

void reply_begin(struct reply *r, int64_t now_ms)
{
	typing_run_start(&r->context.typing_signaler, now_ms);
	reply_work(r, now_ms);
}

void reply_hear(struct reply *r, const struct signal *s, struct text run, int64_t now_ms)
{
	if (r->step != REPLY_RUNS)
		return;
	broker_hear(&r->broker, s, run, now_ms);
	if (r->is_live)
		reply_live_hear(r, s, now_ms);
	if (r->broker.end != BROKER_GOES_ON) {
		r->has_failed = r->broker.end == BROKER_FAILED;
		end_run(r, now_ms);
	}
}

void reply_fail(struct reply *r, struct text why, int64_t now_ms)
{
	if (r->step != REPLY_RUNS)
		return;
	buf_clear(&r->broker.why);
	buf_add(&r->broker.why, why);
	r->has_failed = true;
	end_run(r, now_ms);
}

void reply_cancel(struct reply *r)
{
	r->is_cancelled = true;
	typing_stop(&r->context.typing_signaler, TYPING_IS_CANCELLED);
}

void reply_note_heartbeat(struct reply *r)
{
	r->options.dispatch.normal.is_heartbeat = true;
	r->context.streaming_enabled = false; /* what it says may be for nobody: the final has it */
	dispatch_note_heartbeat(r->dispatch);
	typing_stop(&r->context.typing_signaler, TYPING_IS_DONE);
}

void reply_lose_channel(struct reply *r)
{
	typing_stop(&r->context.typing_signaler, TYPING_IS_LOST);
}

/* ---- asked ---- */

bool reply_is_over(const struct reply *r)
{
	return r->step == REPLY_OVER;
}

bool reply_has_ended(const struct reply *r)
{
	return r->step != REPLY_RUNS;
}

bool reply_has_failed(const struct reply *r)
{
	return r->has_failed;
}

bool reply_was_stopped(const struct reply *r)
{
	return r->has_failed && r->is_cancelled;
}

struct text reply_why(const struct reply *r)
{
	return buf_text(&r->broker.why);
}

struct text reply_text(const struct reply *r)
{
	return buf_text(&r->text);
}

struct text reply_tools(const struct reply *r)
{
	return buf_text(&r->calls);
}

unsigned reply_sent(const struct reply *r)
{
	return r->sent;
}
