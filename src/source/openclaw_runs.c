/* openclaw_runs.c - asks that go through chat.send, and their one end.
 *
 * The idempotencyKey of a chat.send is the gateway's id of the run: it is ours, so
 * all that the gateway says of the run carries our run's id.  A run ends when the
 * parser says so, when the gateway refuses it, when it is cancelled here, when it
 * was silent for too long, or when the connection is lost and the gateway does not go
 * on with it later.  What comes after that is known by openclaw_memory.ended.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "source/answer.h"
#include "source/openclaw_parts.h"

#define WORDS_MAX 160 /* bytes of a refusal that are passed on */

struct openclaw_run {
	struct openclaw_memory *memory;
	char id[RUN_ID_LEN];
	char *session_key;
	uint64_t send_id; /* on the connection on which it was sent */
	bool started;     /* chat.send was answered */
	bool is_cut;      /* the connection was lost, and nothing is known of it since */
	unsigned stops;   /* chat.abort that are not answered yet */
	bool is_to_stop;  /* one is to be sent once it is begun ... */
	uint64_t ticket;  /* ... for this one */
	struct deadline patience;
	struct link in_memory; /* openclaw_memory.runs */
};

static struct text run_id(const struct openclaw_run *run)
{
	return (struct text){run->id, RUN_ID_LEN};
}

static struct openclaw_run *find_run(const struct openclaw_memory *m, struct text id)
{
	list_each(&m->runs, l) {
		struct openclaw_run *run = list_of(l, struct openclaw_run, in_memory);

		if (text_equal(run_id(run), id))
			return run;
	}
	return NULL;
}

/* Who waits to hear whether it was stopped, before the gateway was asked, hears that it is
 * over. */
static void run_destroy(struct openclaw_run *run)
{
	if (run->is_to_stop)
		source_verdict(run->memory->source, run->ticket, SOURCE_CONFLICT,
		               "the run is over");
	list_remove(&run->in_memory);
	run->memory->run_count--;
	deadline_clear(&run->patience);
	free(run->session_key);
	free(run);
}

/* A line that is not read is silent because of us. */
static void time_run(struct openclaw_run *run)
{
	const struct openclaw *line = run->memory->line;
	struct source *source = run->memory->source;

	if (line && line->is_hushed)
		deadline_clear(&run->patience);
	else
		deadline_set(source_loop(source), &run->patience,
		             run->started ? source_silence_ms(source) : OPENCLAW_REQUEST_MS);
}

void openclaw_time_runs(struct openclaw *o)
{
	list_each(&o->memory->runs, l)
		time_run(list_of(l, struct openclaw_run, in_memory));
}

/* ---- the end of a run ---- */

static void remember_end(struct openclaw_memory *m, const struct openclaw_run *run, bool cancelled)
{
	struct openclaw_ended *slot = &m->ended[m->ended_count++ % OPENCLAW_ENDED_MAX];

	memcpy(slot->run, run->id, RUN_ID_LEN);
	slot->cancelled = cancelled;
}

static const struct openclaw_ended *find_ended(const struct openclaw_memory *m, struct text id)
{
	for (size_t i = 0; i < m->ended_count && i < OPENCLAW_ENDED_MAX; i++)
		if (text_equal((struct text){m->ended[i].run, RUN_ID_LEN}, id))
			return &m->ended[i];
	return NULL;
}

static void begin_end(struct buf *out, const struct openclaw_run *run, const char *type)
{
	buf_init(out, 16 * KIB);
	buf_print(out, "{\"type\":\"%s\",\"source\":", type);
	buf_add_json(out, source_id(run->memory->source));
	buf_print(out, ",\"correlationId\":\"%.*s\",\"payload\":{\"agentId\":\"openclaw\",",
	          RUN_ID_LEN, run->id);
}

static void fail_run(struct openclaw_run *run, struct text code, struct text words)
{
	struct openclaw_memory *m = run->memory;
	struct buf out;

	if (words.len > 2 * KIB)
		words.len = 2 * KIB;
	if (code.len > 64)
		code.len = 64;
	begin_end(&out, run, "error");
	buf_add(&out, TEXT("\"message\":"));
	buf_add_json(&out, words);
	buf_add(&out, TEXT(",\"severity\":\"error\",\"code\":"));
	buf_add_json(&out, code);
	buf_add(&out, TEXT("}}"));
	remember_end(m, run, false);
	run_destroy(run);
	source_received(m->source, buf_text(&out));
	buf_finish(&out);
}

static void complete_cancelled(struct openclaw_run *run)
{
	struct openclaw_memory *m = run->memory;
	struct buf out;

	begin_end(&out, run, "completion");
	buf_print(&out, "\"taskId\":\"%.*s\",\"success\":false,\"result\":\"cancelled\"}}",
	          RUN_ID_LEN, run->id);
	remember_end(m, run, true);
	run_destroy(run);
	source_received(m->source, buf_text(&out));
	buf_finish(&out);
}

void openclaw_end_runs(struct openclaw_memory *m, const char *why)
{
	while (!list_is_empty(&m->runs))
		fail_run(list_of(m->runs.next, struct openclaw_run, in_memory), TEXT("lost"),
		         text_of(why));
}

/* ---- a line that was lost ---- */

void openclaw_cut_runs(struct openclaw_memory *m, const char *why)
{
	list_each(&m->runs, l) {
		struct openclaw_run *run = list_of(l, struct openclaw_run, in_memory);

		if (!run->started) {
			fail_run(run, TEXT("lost"), text_of(why));
			continue;
		}
		run->is_cut = true;
		run->send_id = 0;
		deadline_set(source_loop(m->source), &run->patience, source_silence_ms(m->source));
	}
}

void openclaw_end_cut_runs(struct openclaw_memory *m, const char *why)
{
	list_each(&m->runs, l) {
		struct openclaw_run *run = list_of(l, struct openclaw_run, in_memory);

		if (run->is_cut)
			fail_run(run, TEXT("lost"), text_of(why));
	}
}

/* A list of ids is all of them; without one, some run is as good as this. */
static bool is_under_way(const struct openclaw_run *run, yyjson_val *history)
{
	yyjson_val *info = yyjson_obj_get(history, "sessionInfo");
	yyjson_val *ids = yyjson_obj_get(info, "activeRunIds");
	yyjson_val *now = yyjson_obj_get(yyjson_obj_get(history, "inFlightRun"), "runId");
	yyjson_arr_iter each = yyjson_arr_iter_with(ids);
	yyjson_val *id;

	if (text_equal(json_text(now), run_id(run)))
		return true;
	while ((id = yyjson_arr_iter_next(&each)))
		if (text_equal(json_text(id), run_id(run)))
			return true;
	return !yyjson_is_arr(ids) && !json_text(now).len &&
	       yyjson_is_true(yyjson_obj_get(info, "hasActiveRun"));
}

void openclaw_go_on(struct openclaw_memory *m, yyjson_val *history)
{
	struct text session = json_text(yyjson_obj_get(history, "sessionKey"));

	list_each(&m->runs, l) {
		struct openclaw_run *run = list_of(l, struct openclaw_run, in_memory);

		if (!run->is_cut || !text_is(session, run->session_key) ||
		    !is_under_way(run, history))
			continue;
		run->is_cut = false;
		time_run(run);
	}
}

void openclaw_each_session(struct openclaw_memory *m, void (*each)(void *of, struct text session),
                           void *of)
{
	list_each(&m->runs, l) {
		const struct openclaw_run *run = list_of(l, struct openclaw_run, in_memory);

		each(of, text_of(run->session_key));
	}
	for (size_t i = 0; i < m->heard_count && i < OPENCLAW_HEARD_MAX; i++)
		if (!m->heard[i].is_over)
			each(of, text_of(m->heard[i].session));
}

/* ---- upstream ---- */

static bool abort_upstream(struct openclaw_run *run, uint64_t ticket)
{
	bool sent = run->memory->line && openclaw_abort(run->memory->line, run_id(run),
	                                                text_of(run->session_key), ticket);

	run->stops += sent;
	return sent;
}

static void ran_out(struct deadline *deadline)
{
	struct openclaw_run *run = list_of(deadline, struct openclaw_run, patience);

	if (run->started && !run->is_cut)
		abort_upstream(run, 0);
	fail_run(run, TEXT("timeout"),
	         run->is_cut    ? TEXT("the connection was lost, and is not back")
	         : run->started ? TEXT("the gateway said nothing of this run for too long")
	                        : TEXT("the gateway did not answer chat.send"));
}

/* What was to be stopped before the gateway had begun it. */
static void stop_begun(struct openclaw_run *run)
{
	if (!run->is_to_stop)
		return;
	run->is_to_stop = false;
	if (!abort_upstream(run, run->ticket))
		source_verdict(run->memory->source, run->ticket, SOURCE_CONFLICT,
		               "it is more than the gateway takes now");
}

void openclaw_take_answer(struct openclaw *o, uint64_t id, yyjson_val *answer)
{
	yyjson_val *error = yyjson_obj_get(answer, "error");
	bool ok = yyjson_get_bool(yyjson_obj_get(answer, "ok"));
	struct text words = openclaw_refusal(answer);
	char remark[240];

	if (openclaw_answered(o, id, answer))
		return;
	list_each(&o->memory->runs, l) {
		struct openclaw_run *run = list_of(l, struct openclaw_run, in_memory);

		if (run->send_id != id)
			continue;
		if (!ok) {
			fail_run(run, json_text(yyjson_obj_get(error, "code")), words);
			return;
		}
		run->started = true;
		time_run(run);
		stop_begun(run);
		return;
	}
	if (ok)
		return;
	snprintf(remark, sizeof(remark), "the gateway refused: %.*s",
	         words.len < 160 ? (int)words.len : 160, words.at);
	source_bad(o->source, remark);
}

/* ---- what the parser gives ---- */

static struct text unquoted(struct text json)
{
	return json.len > 1 ? (struct text){json.at + 1, json.len - 2} : json;
}

static bool is_success(struct text envelope)
{
	static const char success[] = "\"success\":true";

	return memmem(envelope.at, envelope.len, success, sizeof(success) - 1) != NULL;
}

bool openclaw_heard(struct openclaw_memory *m, struct text envelope)
{
	struct text key, value, type = {0}, id = {0};
	const struct openclaw_ended *ended;
	struct openclaw_run *run;
	struct scan scan;
	bool is_end;

	if (m->ended_count == 0 && m->heard_count == 0 && list_is_empty(&m->runs))
		return true;
	scan_object(&scan, envelope);
	while (scan_member(&scan, &key, &value)) {
		if (text_is(key, "type"))
			type = unquoted(value);
		else if (text_is(key, "correlationId"))
			id = unquoted(value);
	}
	is_end = text_is(type, "completion") || text_is(type, "error");
	if (is_end)
		openclaw_is_over(m, id);
	ended = find_ended(m, id);
	run = find_run(m, id);
	if ((ended || run) && text_is(type, "task_dispatch"))
		return false; /* we said so ourselves */
	if (ended)
		return !ended->cancelled && !is_end;
	if (run && is_end && run->stops && !is_success(envelope)) {
		complete_cancelled(run);
		return false;
	}
	if (run && is_end) {
		remember_end(m, run, false);
		run_destroy(run);
	} else if (run && run->started) {
		run->is_cut = false;
		time_run(run);
	}
	return true;
}

/* ---- asking ---- */

/* Sessions belong to an agent; a bare name is one of the default agent's. */
static char *session_key(const struct openclaw *o, struct text session)
{
	if (session.len == 0)
		return must_dup(o->main_session);
	if (text_starts(session, TEXT("agent:")))
		return text_dup(session);
	return must_print("agent:%s:%.*s", o->agent, TEXT_ARG(session));
}

static uint64_t send_chat(struct openclaw_run *run, struct text prompt)
{
	struct buf params;
	uint64_t id;

	buf_init(&params, 6 * prompt.len + 16 * KIB);
	buf_add(&params, TEXT("{\"sessionKey\":"));
	buf_add_json(&params, text_of(run->session_key));
	buf_add(&params, TEXT(",\"message\":"));
	buf_add_json(&params, prompt);
	buf_print(&params, ",\"idempotencyKey\":\"%.*s\"}", RUN_ID_LEN, run->id);
	id = openclaw_request(run->memory->line, "chat.send", buf_text(&params));
	buf_finish(&params);
	return id;
}

static bool may_ask(const struct openclaw *o, const struct ask *ask, struct error *why)
{
	if (o->is_over || o->step != STEP_LIVE)
		return error_set(why, "the gateway is not connected");
	if (!(o->scopes & OPENCLAW_WRITE))
		return error_set(why, "the gateway did not grant operator.write");
	if (ask->model.len)
		return error_set(why, "the gateway chooses the model itself: name none");
	if (ask->run.len != RUN_ID_LEN || ask->prompt.len > ASK_PROMPT_MAX)
		return error_set(why, "the prompt is too long");
	if (o->memory->run_count >= OPENCLAW_RUNS_MAX)
		return error_set(why, "%d asks are under way already", OPENCLAW_RUNS_MAX);
	return true;
}

bool openclaw_ask(void *self, const struct ask *ask, struct error *why)
{
	struct openclaw *o = self;
	struct ask shown = *ask;
	struct openclaw_run *run;

	if (!may_ask(o, ask, why))
		return false;
	run = must_zero(1, sizeof(*run));
	run->memory = o->memory;
	memcpy(run->id, ask->run.at, RUN_ID_LEN);
	run->session_key = session_key(o, ask->session);
	run->patience.fire = ran_out;
	list_add(&o->memory->runs, &run->in_memory);
	o->memory->run_count++;
	run->send_id = send_chat(run, ask->prompt);
	if (run->send_id == 0) {
		run_destroy(run);
		return error_set(why, "it is more than the gateway takes now");
	}
	time_run(run);
	shown.model = text_of(o->agent);
	answer_dispatch(o->source, &shown);
	return true;
}

bool openclaw_can(void *self, struct text id, struct text op)
{
	struct openclaw *o = self;

	return control_is_cancel(op) && (find_run(o->memory, id) || openclaw_can_stop(o, id));
}

/* ---- stopping ---- */

enum source_answer openclaw_cancel(void *self, const struct source_control *control,
                                   struct error *why)
{
	struct openclaw *o = self;
	struct openclaw_run *run = find_run(o->memory, control->run);

	if (!run)
		return !find_ended(o->memory, control->run) && openclaw_stop_heard(o, control)
		               ? SOURCE_TAKEN
		               : SOURCE_UNKNOWN;
	if (o->is_over || o->step != STEP_LIVE) {
		error_set(why, "the gateway is not connected");
		return SOURCE_CONFLICT;
	}
	if (!run->started && !run->is_to_stop) {
		run->is_to_stop = true;
		run->ticket = control->ticket;
		return SOURCE_TAKEN;
	}
	if (run->started && abort_upstream(run, control->ticket))
		return SOURCE_TAKEN;
	error_set(why, run->started ? "it is more than the gateway takes now"
	                            : "somebody waits for the same already");
	return SOURCE_CONFLICT;
}

/* It is the gateway's answer; or there is none, then nobody knows. */
static enum source_answer verdict_of(yyjson_val *answer, bool was_over)
{
	yyjson_val *aborted = yyjson_obj_get(yyjson_obj_get(answer, "payload"), "aborted");

	if (!answer)
		return SOURCE_SILENT;
	if (!openclaw_is_ok(answer))
		return SOURCE_REFUSED;
	return was_over && yyjson_is_false(aborted) ? SOURCE_CONFLICT : SOURCE_DONE;
}

void openclaw_stop_answered(struct openclaw *o, const struct openclaw_wait *wait,
                            yyjson_val *answer)
{
	struct openclaw_run *run = find_run(o->memory, text_of(wait->what));
	enum source_answer verdict = verdict_of(answer, !run);
	struct text words = utf8_cut(openclaw_refusal(answer), WORDS_MAX);
	struct error why = {"the gateway did not answer"};

	if (run && run->stops)
		run->stops--;
	if (run && verdict == SOURCE_DONE)
		complete_cancelled(run);
	if (verdict == SOURCE_SILENT && o->is_over)
		error_set(&why, "the connection was lost before the gateway answered");
	if (verdict == SOURCE_CONFLICT)
		error_set(&why, "the run is over");
	if (verdict == SOURCE_REFUSED)
		error_set(&why, "the gateway refused: %.*s", TEXT_ARG(words));
	if (verdict == SOURCE_REFUSED && !wait->token)
		source_bad(o->source, why.words);
	source_verdict(o->source, wait->token, verdict, why.words);
}
