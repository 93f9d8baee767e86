/* openclaw_ask.c - asking a gateway, stopping what was asked, and what the last life asked.
 *
 * The idempotencyKey of a chat.send is the gateway's id of the run.  What is to be stopped
 * is stopped when the gateway says so.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "parse/openclaw_past.h"
#include "source/openclaw/openclaw_run.h"

#define WORDS_MAX 160 /* bytes of a refusal that are passed on */

/* Sessions belong to an agent; a bare name is one of the default agent's. */
static char *session_key(const struct openclaw *o, struct text session)
{
	if (session.len == 0)
		return must_dup(o->main_session);
	if (text_starts(session, TEXT("agent:")))
		return text_dup(session);
	return must_print("agent:%s:%.*s", o->agent, TEXT_ARG(session));
}

/* One that is not over is as after a loss: the gateway is asked what became of it. */
void openclaw_recall_run(void *memory, struct text id, struct text at)
{
	struct openclaw_memory *m = memory;
	struct openclaw_place place;
	struct openclaw_run *run;

	if (!openclaw_take_place(m->parse, id, at, &place))
		return;
	if (place.at_ms > m->lost_at_ms)
		m->lost_at_ms = place.at_ms;
	if (place.is_over)
		return;
	if (!place.is_asked || id.len > BACK_RUN_MAX || m->run_count >= OPENCLAW_RUNS_MAX) {
		openclaw_hear_of(m, id, place.session);
		return;
	}
	run = openclaw_add_run(m, id, text_dup(place.session));
	run->started = run->is_cut = true;
	deadline_set(source_loop(m->source), &run->patience, source_silence_ms(m->source));
}

static void tell_asked(const struct openclaw_run *run, const struct back_ask *ask)
{
	struct openclaw_memory *m = run->memory;
	struct buf place, origin;

	/* Its beginning comes as a frame: screens of the same protocol wait for that. */
	buf_init(&origin, KIB);
	openclaw_begin_origin(&origin, m->line->protocol);
	put_end(&origin);
	buf_init(&place, OPENCLAW_PLACE_MAX);
	openclaw_expect(m->parse, openclaw_run_id(run), text_of(run->session_key));
	openclaw_add_place(m->parse, openclaw_run_id(run), clock_wall_ms(), &place);
	source_dispatch(m->source, ask,
	                &(struct source_dispatch){place.full ? TEXT("") : buf_text(&place),
	                                          buf_text(&origin)});
	buf_finish(&origin);
	buf_finish(&place);
}

static uint64_t send_chat(struct openclaw_run *run, struct text prompt)
{
	struct buf params;
	uint64_t id;

	buf_init(&params, 6 * prompt.len + 16 * KIB);
	put_object(&params, NULL);
	put_word(&params, "sessionKey", run->session_key);
	put_text(&params, "message", prompt);
	put_word(&params, "idempotencyKey", run->id);
	buf_add_char(&params, '}');
	id = openclaw_request(run->memory->line, openclaw_method_name(METHOD_CHAT_SEND),
	                      buf_text(&params));
	buf_finish(&params);
	return id;
}

static bool may_ask(const struct openclaw *o, const struct back_ask *ask, struct error *why)
{
	if (o->is_over || o->step != STEP_LIVE)
		return error_set(why, "the gateway is not connected");
	if (!(o->scopes & OPERATOR_WRITE))
		return error_set(why, "the gateway did not grant operator.write");
	if (ask->model.len)
		return error_set(why, "the gateway chooses the model itself: name none");
	if (ask->prompt.len > BACK_PROMPT_MAX)
		return error_set(why, "the prompt is too long");
	if (o->memory->run_count >= OPENCLAW_RUNS_MAX)
		return error_set(why, "%d asks are under way already", OPENCLAW_RUNS_MAX);
	return true;
}

bool openclaw_ask(void *self, const struct back_ask *ask, struct error *why)
{
	struct openclaw *o = self;
	struct back_ask shown = *ask;
	struct openclaw_run *run;

	if (!may_ask(o, ask, why))
		return false;
	run = openclaw_add_run(o->memory, ask->run, session_key(o, ask->session));
	run->send_id = send_chat(run, ask->prompt);
	if (run->send_id == 0) {
		openclaw_run_destroy(run);
		return error_set(why, "it is more than the gateway takes now");
	}
	openclaw_time_run(run);
	shown.model = text_of(o->agent);
	tell_asked(run, &shown);
	return true;
}

bool openclaw_can(void *self, struct text id, struct text op)
{
	struct openclaw *o = self;

	return back_is_cancel(op) && (openclaw_find_run(o->memory, id) || openclaw_can_stop(o, id));
}

/* ---- stopping ---- */

enum back_answer openclaw_cancel(void *self, const struct back_control *control, struct error *why)
{
	struct openclaw *o = self;
	struct openclaw_run *run = openclaw_find_run(o->memory, control->run);

	if (!run)
		return !openclaw_find_ended(o->memory, control->run) &&
		                       openclaw_stop_heard(o, control)
		               ? BACK_TAKEN
		               : BACK_UNKNOWN;
	if (o->is_over || o->step != STEP_LIVE) {
		error_set(why, "the gateway is not connected");
		return BACK_CONFLICT;
	}
	if (!run->started && !run->is_to_stop) {
		run->is_to_stop = true;
		run->ticket = control->ticket;
		return BACK_TAKEN;
	}
	if (run->started && openclaw_abort_run(run, control->ticket))
		return BACK_TAKEN;
	error_set(why, run->started ? "it is more than the gateway takes now"
	                            : "somebody waits for the same already");
	return BACK_CONFLICT;
}

/* It is the gateway's answer; or there is none, then nobody knows. */
static enum back_answer verdict_of(yyjson_val *answer, bool was_over)
{
	yyjson_val *aborted = yyjson_obj_get(yyjson_obj_get(answer, "payload"), "aborted");

	if (!answer)
		return BACK_SILENT;
	if (!openclaw_is_ok(answer))
		return BACK_REFUSED;
	return was_over && yyjson_is_false(aborted) ? BACK_CONFLICT : BACK_DONE;
}

void openclaw_stop_answered(struct openclaw *o, const struct openclaw_wait *wait,
                            yyjson_val *answer)
{
	struct openclaw_run *run = openclaw_find_run(o->memory, text_of(wait->what));
	enum back_answer verdict = verdict_of(answer, !run);
	struct text words = utf8_cut(openclaw_refusal(answer), WORDS_MAX);
	struct error why = {"the gateway did not answer"};

	if (run && run->stops)
		run->stops--;
	if (run && verdict == BACK_DONE)
		openclaw_complete_cancelled(run);
	if (verdict == BACK_SILENT && o->is_over)
		error_set(&why, "the connection was lost before the gateway answered");
	if (verdict == BACK_CONFLICT)
		error_set(&why, "the run is over");
	if (verdict == BACK_REFUSED)
		error_set(&why, "the gateway refused: %.*s", TEXT_ARG(words));
	if (verdict == BACK_REFUSED && !wait->token)
		source_bad(o->source, why.words);
	source_verdict(o->source, wait->token, verdict, why.words);
}
