/* stage_run.c - the stages from the agent to the end of a request. */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "config/config.h"
#include "deliver/desk_files.h"
#include "deliver/desk_live.h"
#include "deliver/stages.h"
#include "deliver/tell.h"
#include "run/sessions.h"

#define RECORD_TEXT_MAX (4 * KIB) /* of a text in nex.request */
#define ASK_PATIENCE_MS 30000     /* for an agent that is not there, as after a start */

/* ---- those of one session ---- */

struct nexus *stages_ahead(const struct nexus *x)
{
	list_each(&x->desk->live, l) {
		struct nexus *other = list_of(l, struct nexus, in_desk);

		if (other == x)
			return NULL;
		if (other->reply && other->request.stage < NEXUS_FINALIZE &&
		    text_equal(nexus_word(&other->request, NEXUS_SESSION),
		               nexus_word(&x->request, NEXUS_SESSION)))
			return other;
	}
	return NULL;
}

bool stages_stop(const struct nexus *x, struct error *why)
{
	const struct back *back = &x->desk->options.back;
	enum back_answer answer;

	if (!x->request.words[NEXUS_TURN] || reply_has_ended(x->reply))
		return error_set(why, "nothing runs");
	answer = back->cancel(back->self, nexus_word(&x->request, NEXUS_TURN),
	                      &(struct back_ear){NULL, NULL}, why);
	if (answer != BACK_DONE && answer != BACK_TAKEN)
		return false;
	reply_cancel(x->reply);
	return true;
}

/* ---- assemble ---- */

static void reply_sends(void *self, enum dispatch_kind kind, uint64_t number,
                        const struct payload *payload)
{
	static const char *const kinds[] = {
		[DISPATCH_TOOL] = "tool", [DISPATCH_BLOCK] = "block", [DISPATCH_FINAL] = "final"};
	struct nexus *x = self;

	if (kind == DISPATCH_FINAL && desk_live_finish(x, "final", number, payload))
		return;
	x->is_refused = !desk_send(x, kinds[kind], number, payload);
}

/* A block that may have left stays in custody, and is looked after there. */
static bool reply_gives_up(void *self, uint64_t number)
{
	struct nexus *x = self;
	bool may_have_left;

	if (!x->letter || x->letter_number != number)
		return true;
	may_have_left = outbox_give_up(x->desk->outbox, text_of(x->letter));
	free(may_have_left ? x->late : x->letter);
	if (may_have_left)
		x->late = x->letter;
	x->letter = NULL;
	return may_have_left;
}

/* For who reads the box's own signals. */
static void tell_typing(const struct nexus *x, bool shows)
{
	struct buf out;

	deliver_begin(&out, "nex.typing");
	put_word(&out, "request", x->request.id);
	put_text(&out, "account", nexus_word(&x->request, NEXUS_ACCOUNT));
	put_text(&out, "peer", nexus_word(&x->request, NEXUS_PEER));
	put_bool(&out, "typing", shows);
	deliver_tell(x->desk->options.bus, &out);
}

static void reply_types(void *self, bool shows)
{
	const struct nexus *x = self;
	const struct outbox_line *line = &x->account->line;
	struct channel_message where = {.peer = nexus_word(&x->request, NEXUS_PEER),
	                                .thread = nexus_word(&x->request, NEXUS_THREAD)};

	if (line->channel && line->kind->type)
		line->kind->type(line->channel, &where, shows);
	else if (line->kind->traits.can_type)
		tell_typing(x, shows);
}

static enum stage_step fail(struct nexus *x, const char *reason, const char *words)
{
	nexus_set(&x->request, NEXUS_ERROR, text_of(words));
	nexus_set(&x->request, NEXUS_STOP, TEXT("error"));
	stages_exit(x, NEXUS_FAILED, reason);
	return STAGE_EXITS;
}

/* The model that answered last in its session, or that the configuration names. */
static void name_model(struct nexus *x)
{
	const struct config *config = x->desk->config;
	struct text agent = nexus_word(&x->request, NEXUS_AGENT), model = {0}, rest, provider = {0};
	const struct run_session *session =
		x->desk->options.runs ? runs_session(x->desk->options.runs, agent,
	                                             nexus_word(&x->request, NEXUS_SESSION))
				      : NULL;

	for (size_t i = 0; i < config->source_count; i++)
		if (text_is(agent, config->sources[i].id)) {
			model = text_of(config->sources[i].model);
			provider = text_of(config->sources[i].protocol);
		}
	if (session)
		list_each(&list_of(session->runs.prev, struct run, in_session)->fold.invocations, l)
			if (list_of(l, struct invocation, in_fold)->model)
				model = text_of(list_of(l, struct invocation, in_fold)->model);
	if (text_find(model, '/') > 0) {
		provider = text_cut(model, '/', &rest);
		model = rest;
	}
	if (!model.len)
		return;
	x->names[0] = text_dup(model);
	x->names[1] = text_dup(provider);
	x->names[2] = provider.len ? must_print("%.*s/%.*s", TEXT_ARG(provider), TEXT_ARG(model))
	                           : text_dup(model);
}

enum stage_step stage_assemble(struct nexus *x, int64_t now_ms)
{
	const struct nexus_request *r = &x->request;
	struct reply_options options = {
		.self = x,
		.send = reply_sends,
		.give_up = reply_gives_up,
		.type = reply_types,
		.live = desk_live,
		.drop = desk_live_drop,
		.ready = desk_live_ready,
		.stream = desk_stream,
	};
	struct streaming_context target = {
		.channel = x->account->line.kind->name,
		.peer_id = r->words[NEXUS_PEER],
		.thread_id = r->words[NEXUS_THREAD],
		.reply_to_id = r->words[NEXUS_MESSAGE],
		.out_adapter = &x->account->line,
	};

	if (stages_ends(x))
		return STAGE_EXITS;
	if (!r->words[NEXUS_AGENT])
		return fail(x, "no agent", "no agent is configured for this chat");
	if (x->reply)
		return desk_fetch(x, now_ms) ? STAGE_DONE : STAGE_WAITS;
	name_model(x);
	desk_resolve(x, &options, &target.typing_signaler);
	x->reply = reply_create(&options, &target);
	x->live_mode = options.mode;
	x->request.is_streamed = options.mode == CHANNEL_BLOCKS || options.mode == CHANNEL_DRAFTS ||
	                         options.mode == CHANNEL_STREAMS;
	return desk_fetch(x, now_ms) ? STAGE_DONE : STAGE_WAITS;
}

/* ---- run agent ---- */

/* What the configuration says of the agent's model, and the turn before this one. */
static void note_agent(struct nexus *x)
{
	const struct config *config = x->desk->config;
	struct nexus_request *r = &x->request;
	struct text agent = nexus_word(r, NEXUS_AGENT);
	const struct run_session *session =
		x->desk->options.runs
			? runs_session(x->desk->options.runs, agent, nexus_word(r, NEXUS_SESSION))
			: NULL;

	for (size_t i = 0; i < config->source_count; i++)
		if (text_is(agent, config->sources[i].id))
			nexus_set(r, NEXUS_MODEL, text_of(config->sources[i].model));
	if (session)
		nexus_set(r, NEXUS_PARENT,
		          text_of(list_of(session->runs.prev, struct run, in_session)->id));
}

/* The run is called as the request is; one that is run again has another name.  False: it could
 * not be told now. */
static bool name_run(struct nexus *x, const struct received *r)
{
	char *run = r && r->words[RECEIVED_RUN] ? must_print("%.100s+", r->words[RECEIVED_RUN])
	                                        : must_dup(x->request.id);
	struct buf out;

	deliver_begin(&out, "nex.asking");
	put_word(&out, "request", x->request.id);
	put_word(&out, "run", run);
	x->run = run;
	if (deliver_tell(x->desk->options.bus, &out))
		return true;
	free(x->run);
	x->run = NULL;
	return false;
}

/* The name is on the disk before the agent is asked: who was perhaps asked is not asked again
 * as if nothing had been. */
static bool may_ask(struct nexus *x)
{
	const struct custody *custody = x->desk->options.custody;
	const struct received *r = custody_request(custody, text_of(x->request.id));

	if (!x->run && !name_run(x, r))
		return false;
	return !r || r->seq <= custody_durable(custody);
}

/* What was said, and below it a line for each file; these are whole. */
static void put_prompt(const struct nexus_request *r, struct buf *out)
{
	struct text said = nexus_word(r, NEXUS_CONTENT), files = nexus_word(r, NEXUS_FILES);

	if (said.len + files.len + 1 > BACK_PROMPT_MAX && files.len)
		said.len = chunk_reach(CHUNK_BYTES, said, BACK_PROMPT_MAX - files.len - 1);
	buf_add(out, said);
	if (said.len && files.len)
		buf_add_char(out, '\n');
	buf_add(out, files);
}

static enum stage_step ask_agent(struct nexus *x, int64_t now_ms)
{
	const struct back *back = &x->desk->options.back;
	const struct nexus_request *r = &x->request;
	char given[BACK_RUN_MAX + 1];
	struct back_ask ask = {.source = nexus_word(r, NEXUS_AGENT),
	                       .session = nexus_word(r, NEXUS_SESSION)};
	enum back_answer answer;
	struct error why;
	struct buf prompt;

	if (!x->asked_ms) {
		x->asked_ms = now_ms;
		note_agent(x);
	}
	if (!may_ask(x))
		return STAGE_WAITS;
	ask.run = text_of(x->run);
	map_set(&x->desk->by_run, ask.run, x);
	buf_init(&prompt, 4 * BACK_PROMPT_MAX);
	put_prompt(r, &prompt);
	ask.prompt = buf_text(&prompt);
	answer = back->ask(back->self, &ask, given, &why);
	buf_finish(&prompt);
	if (answer == BACK_CONFLICT && now_ms - x->asked_ms < ASK_PATIENCE_MS) {
		map_remove(&x->desk->by_run, ask.run);
		return STAGE_WAITS;
	}
	x->asked_ms = now_ms;
	nexus_set(&x->request, NEXUS_TURN, ask.run);
	if (answer == BACK_DONE)
		reply_begin(x->reply, now_ms);
	else
		reply_fail(x->reply, text_of(why.words), now_ms);
	return answer == BACK_DONE ? STAGE_WAITS : STAGE_DONE;
}

/* It waits for its turn, and can be asked together with x: it has no files of its own. */
static bool joins(const struct nexus *x, const struct nexus *other)
{
	const struct nexus_request *a = &x->request, *b = &other->request;

	return other->collects && !other->files && !other->stopped_by && b->stage == NEXUS_RUN &&
	       !b->words[NEXUS_TURN] &&
	       text_equal(nexus_word(a, NEXUS_SESSION), nexus_word(b, NEXUS_SESSION)) &&
	       text_equal(nexus_word(a, NEXUS_AGENT), nexus_word(b, NEXUS_AGENT));
}

/* Those behind it become a part of it.  Each says so at its end, and custody adds its text to
 * that of x.  True: some have not yet, or it is not on the disk. */
static bool collect(struct nexus *x)
{
	const struct custody *custody = x->desk->options.custody;
	const struct received *r = custody_request(custody, text_of(x->request.id));
	size_t size = r ? received_word(r, RECEIVED_TEXT).len : 0;
	bool waits = false;

	list_each(&x->desk->live, l) {
		struct nexus *other = list_of(l, struct nexus, in_desk);
		size_t more = nexus_word(&other->request, NEXUS_CONTENT).len + 1;

		if (other == x || !r)
			continue;
		if (!other->request.words[NEXUS_INTO] && joins(x, other) &&
		    size + more <= BACK_PROMPT_MAX) {
			nexus_set(&other->request, NEXUS_INTO, text_of(x->request.id));
			desk_stir(other);
		}
		if (text_is(nexus_word(&other->request, NEXUS_INTO), x->request.id)) {
			size += more;
			waits = true;
		}
	}
	if (!r || waits)
		return waits;
	nexus_set(&x->request, NEXUS_CONTENT, received_word(r, RECEIVED_TEXT));
	return r->seq > custody_durable(custody);
}

enum stage_step stage_run(struct nexus *x, int64_t now_ms)
{
	struct nexus *other;
	struct error why;

	if (x->request.words[NEXUS_TURN])
		return reply_has_ended(x->reply) ? STAGE_DONE : STAGE_WAITS;
	if (stages_ends(x))
		return STAGE_EXITS;
	if (x->request.words[NEXUS_INTO]) {
		stages_exit(x, NEXUS_COMPLETED, "it is asked with another");
		return STAGE_EXITS;
	}
	other = stages_ahead(x);
	if (!other)
		return x->collects && collect(x) ? STAGE_WAITS : ask_agent(x, now_ms);
	if (x->interrupts && !x->has_interrupted)
		x->has_interrupted = stages_stop(other, &why);
	return STAGE_WAITS;
}

/* ---- deliver ---- */

static void note_json(struct nexus *x, enum nexus_word word,
                      void (*put)(const struct chat_turn *t, struct buf *out))
{
	struct buf json;

	buf_init(&json, 4 * KIB);
	put(&x->turn, &json);
	nexus_set(&x->request, word, buf_text(&json));
	buf_finish(&json);
}

/* What its run said of itself. */
static void note_turn(struct nexus *x)
{
	struct nexus_request *r = &x->request;

	if (x->turn.model)
		nexus_set(r, NEXUS_MODEL, text_of(x->turn.model));
	nexus_set(r, NEXUS_PROVIDER, text_of(x->turn.provider));
	note_json(x, NEXUS_USAGE, turn_put_usage);
	note_json(x, NEXUS_BUDGET, turn_put_budget);
}

static struct text stop_of(const struct nexus *x)
{
	if (reply_was_stopped(x->reply))
		return TEXT("aborted");
	if (x->turn.timed_out)
		return TEXT("timeout");
	if (reply_has_failed(x->reply))
		return TEXT("error");
	return x->turn.ran_out ? TEXT("max_tokens") : TEXT("end_turn");
}

static void note_response(struct nexus *x, int64_t now_ms)
{
	struct nexus_request *r = &x->request;
	bool has_failed = reply_has_failed(x->reply), was_stopped = reply_was_stopped(x->reply);

	if (r->words[NEXUS_STOP])
		return;
	if (r->words[NEXUS_TURN])
		map_remove(&x->desk->by_run, nexus_word(r, NEXUS_TURN));
	nexus_set(r, NEXUS_TOOLS, reply_tools(x->reply));
	r->response_ms = now_ms - x->asked_ms;
	nexus_set(r, NEXUS_RESPONSE, reply_text(x->reply));
	nexus_set(r, NEXUS_STOP, stop_of(x));
	note_turn(x);
	if (!has_failed)
		return;
	nexus_set(r, NEXUS_ERROR, reply_why(x->reply));
	r->status = NEXUS_FAILED;
	r->trace[NEXUS_RUN].exit_reason = was_stopped ? "it was stopped" : "the agent failed";
}

/* A notice is one letter, which is sent once. */
static enum stage_step deliver_notice(struct nexus *x)
{
	struct payload payload = {.text = text_of(x->notice)};

	if (x->letter)
		return STAGE_WAITS;
	if (x->letters == 0) {
		desk_send(x, x->notice_kind ? x->notice_kind : "notice", 0, &payload);
		return STAGE_WAITS;
	}
	return STAGE_DONE;
}

static enum stage_step tell_lost(struct nexus *x, const char *words, struct text why)
{
	x->notice = must_dup(words);
	x->letters = 0;
	nexus_set(&x->request, NEXUS_ERROR, why);
	return deliver_notice(x);
}

/* An answer that may be lost is not passed over in silence: the person is told, or, after
 * a restart, the agent is asked again, as on_restart says. */
static enum stage_step make_good(struct nexus *x)
{
	const struct config_adapter *adapter = desk_config(x->account);
	const struct config_deliver *words = &x->desk->config->deliver;

	x->is_lost = false;
	if (x->reply)
		return tell_lost(x, words->lost, TEXT("nobody knows whether the answer arrived"));
	if (adapter && adapter->on_restart == CONFIG_RESTART_AGAIN) {
		nexus_set(&x->request, NEXUS_DELIVERY_ERROR, TEXT(""));
		return STAGE_AGAIN;
	}
	return tell_lost(x, words->restarted, TEXT("the box restarted"));
}

enum stage_step stage_deliver(struct nexus *x, int64_t now_ms)
{
	if (x->reply)
		note_response(x, now_ms);
	if (x->notice)
		return deliver_notice(x);
	if (x->letter || x->late || (x->reply && !reply_is_over(x->reply)))
		return STAGE_WAITS;
	return x->is_lost ? make_good(x) : STAGE_DONE;
}

/* ---- finalize ---- */

enum stage_step stage_finalize(struct nexus *x, int64_t now_ms)
{
	struct nexus_request *r = &x->request;
	enum nexus_status status = r->status;
	struct buf out;

	desk_live_drop(x); /* if it is there still */
	if (status == NEXUS_PROCESSING)
		r->status = r->words[NEXUS_DELIVERY_ERROR] ? NEXUS_FAILED : NEXUS_COMPLETED;
	deliver_begin(&out, "nex.request");
	nexus_put(r, RECORD_TEXT_MAX, &out);
	if (deliver_tell(x->desk->options.bus, &out))
		return STAGE_DONE;
	r->status = status;
	return STAGE_WAITS;
}
