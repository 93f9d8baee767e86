/* openclaw_runs.c - what was asked through chat.send, and its one end.
 *
 * The idempotencyKey of a chat.send is the gateway's id of the run: it is ours, so
 * all that the gateway says of the run carries our run's id.  A run ends when the
 * parser says so, when the gateway refuses it, when it is cancelled here, when it
 * was silent for too long, or when the connection is lost and the gateway does not go
 * on with it later.  What comes after that is known by openclaw_memory.ended.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/scan.h"
#include "parse/openclaw_past.h"
#include "signal/make.h"
#include "source/openclaw/openclaw_run.h"

#define CHAT_MS 1000 /* twice that, at most, is waited for the end of a run in chat */

struct openclaw_run *openclaw_find_run(const struct openclaw_memory *m, struct text id)
{
	list_each(&m->runs, l) {
		struct openclaw_run *run = list_of(l, struct openclaw_run, in_memory);

		if (text_equal(openclaw_run_id(run), id))
			return run;
	}
	return NULL;
}

/* Who waits to hear whether it was stopped, before the gateway was asked, hears that it is
 * over. */
void openclaw_run_destroy(struct openclaw_run *run)
{
	if (run->is_to_stop)
		source_verdict(run->memory->source, run->ticket, BACK_CONFLICT, "the run is over");
	list_remove(&run->in_memory);
	assert(run->memory->run_count > 0);
	run->memory->run_count--;
	deadline_clear(&run->patience);
	free(run->session_key);
	free(run);
}

/* A line that is not read is silent because of us. */
void openclaw_time_run(struct openclaw_run *run)
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
		openclaw_time_run(list_of(l, struct openclaw_run, in_memory));
}

/* ---- where it is ---- */

void openclaw_give(struct openclaw_memory *m, struct text run, struct text envelope)
{
	struct buf place;

	if (!run.len) {
		source_received(m->source, envelope);
		return;
	}
	buf_init(&place, OPENCLAW_PLACE_MAX);
	openclaw_add_place(m->parse, run, clock_wall_ms(), &place);
	if (place.full)
		source_received(m->source, envelope);
	else
		source_received_of_run(m->source, envelope, buf_text(&place));
	buf_finish(&place);
}

/* ---- the end of a run ---- */

static void openclaw_chat_ran_out(struct deadline *deadline)
{
	struct openclaw_memory *m = list_of(deadline, struct openclaw_memory, owed);

	if (openclaw_settle(m->parse, false))
		deadline_set(source_loop(m->source), &m->owed, CHAT_MS);
}

void openclaw_expect_chat(struct openclaw_memory *m)
{
	m->owed.fire = openclaw_chat_ran_out;
	if (!m->owed.in_wheel.next && openclaw_owes(m->parse))
		deadline_set(source_loop(m->source), &m->owed, CHAT_MS);
}

static void remember_end(struct openclaw_memory *m, const struct openclaw_run *run, bool cancelled)
{
	struct openclaw_ended *slot = &m->ended[m->ended_count++ % OPENCLAW_ENDED_MAX];

	memcpy(slot->run, run->id, sizeof(slot->run));
	slot->cancelled = cancelled;
}

const struct openclaw_ended *openclaw_find_ended(const struct openclaw_memory *m, struct text id)
{
	for (size_t i = 0; i < m->ended_count && i < OPENCLAW_ENDED_MAX; i++)
		if (text_is(id, m->ended[i].run))
			return &m->ended[i];
	return NULL;
}

static void begin_end(struct make *m, struct buf *out, const struct openclaw_run *run,
                      const char *type)
{
	buf_init(out, 16 * KIB);
	make_begin(m, out,
	           &(struct make_head){.type = type,
	                               .source = source_id(run->memory->source),
	                               .correlation = openclaw_run_id(run)});
	make_payload(m);
	make_word(m, "agentId", "openclaw");
}

/* Takes both. */
static void give_end(struct openclaw_run *run, struct buf *out)
{
	struct openclaw_memory *m = run->memory;
	char id[BACK_RUN_MAX + 1];

	memcpy(id, run->id, sizeof(id));
	openclaw_run_destroy(run);
	openclaw_end_run(m->parse, text_of(id));
	openclaw_give(m, text_of(id), buf_text(out));
	buf_finish(out);
}

static void fail_run(struct openclaw_run *run, struct text code, struct text words)
{
	struct openclaw_memory *m = run->memory;
	struct make end;
	struct buf out;

	if (words.len > 2 * KIB)
		words.len = 2 * KIB;
	if (code.len > 64)
		code.len = 64;
	begin_end(&end, &out, run, "error");
	make_text(&end, "message", words);
	make_word(&end, "severity", "error");
	make_text(&end, "code", code);
	make_end(&end);
	remember_end(m, run, false);
	give_end(run, &out);
}

void openclaw_complete_cancelled(struct openclaw_run *run)
{
	struct openclaw_memory *m = run->memory;
	struct make end;
	struct buf out;

	begin_end(&end, &out, run, "completion");
	make_text(&end, "taskId", openclaw_run_id(run));
	make_bool(&end, "success", false);
	make_word(&end, "result", "cancelled");
	make_end(&end);
	remember_end(m, run, true);
	give_end(run, &out);
}

void openclaw_end_runs(struct openclaw_memory *m, const char *why)
{
	while (!list_is_empty(&m->runs))
		fail_run(list_of(m->runs.next, struct openclaw_run, in_memory), TEXT("lost"),
		         text_of(why));
}

void openclaw_drop_runs(struct openclaw_memory *m)
{
	while (!list_is_empty(&m->runs))
		openclaw_run_destroy(list_of(m->runs.next, struct openclaw_run, in_memory));
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

	if (text_equal(json_text(now), openclaw_run_id(run)))
		return true;
	while ((id = yyjson_arr_iter_next(&each)))
		if (text_equal(json_text(id), openclaw_run_id(run)))
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
		openclaw_time_run(run);
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

bool openclaw_abort_run(struct openclaw_run *run, uint64_t ticket)
{
	bool sent = run->memory->line && openclaw_abort(run->memory->line, openclaw_run_id(run),
	                                                text_of(run->session_key), ticket);

	run->stops += sent;
	return sent;
}

static void openclaw_runs_ran_out(struct deadline *deadline)
{
	struct openclaw_run *run = list_of(deadline, struct openclaw_run, patience);

	if (run->started && !run->is_cut)
		openclaw_abort_run(run, 0);
	fail_run(run, TEXT("timeout"),
	         run->is_cut    ? TEXT("the connection was lost, and is not back")
	         : run->started ? TEXT("the gateway said nothing of this run for too long")
	                        : TEXT("the gateway did not answer chat.send"));
}

struct openclaw_run *openclaw_add_run(struct openclaw_memory *m, struct text id, char *session)
{
	struct openclaw_run *run = must_zero(1, sizeof(*run));

	run->memory = m;
	snprintf(run->id, sizeof(run->id), "%.*s", TEXT_ARG(id));
	run->session_key = session;
	run->patience.fire = openclaw_runs_ran_out;
	list_add(&m->runs, &run->in_memory);
	m->run_count++;
	return run;
}

/* What was to be stopped before the gateway had begun it. */
static void stop_begun(struct openclaw_run *run)
{
	if (!run->is_to_stop)
		return;
	run->is_to_stop = false;
	if (!openclaw_abort_run(run, run->ticket))
		source_verdict(run->memory->source, run->ticket, BACK_CONFLICT,
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
		openclaw_time_run(run);
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

bool openclaw_heard(struct openclaw_memory *m, struct text envelope, struct text *of)
{
	struct text key, value, type = {0}, id = {0};
	const struct openclaw_ended *ended;
	struct openclaw_run *run;
	struct scan scan;
	bool is_end, is_stopped;

	scan_object(&scan, envelope);
	while (scan_member(&scan, &key, &value)) {
		if (text_is(key, "type"))
			type = unquoted(value);
		else if (text_is(key, "correlationId"))
			id = unquoted(value);
	}
	*of = memchr(id.len ? id.at : "", '\\', id.len) ? TEXT("") : id;
	is_end = text_is(type, "completion") || text_is(type, "error");
	if (is_end)
		openclaw_is_over(m, id);
	ended = openclaw_find_ended(m, id);
	run = openclaw_find_run(m, id);
	if ((ended || run) && text_is(type, "task_dispatch"))
		return false; /* we said so ourselves */
	if (text_is(type, "gateway.frame"))
		return true;
	if (ended)
		return !ended->cancelled && !is_end;
	is_stopped = run && is_end && run->stops && !is_success(envelope);
	if (is_stopped && text_is(type, "error")) {
		openclaw_complete_cancelled(run);
		return false;
	}
	if (run && is_end) {
		remember_end(m, run, is_stopped);
		openclaw_run_destroy(run);
	} else if (run && run->started) {
		run->is_cut = false;
		openclaw_time_run(run);
	}
	return true;
}
