/* wait.c - the ends of runs, for those who wait for them. */
#include "gateway/wait.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/asking.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/row.h"
#include "gateway/transcript.h"
#include "gateway/wishes.h"
#include "net/loop.h"
#include "run/recall.h"
#include "run/said.h"
#include "signal/kind.h"

#define WAITS_MAX 1024      /* in all, ... */
#define WAITS_OF_ONE 64     /* ... and of a client */
#define WAIT_USUAL_MS 30000 /* agent.wait */
#define AGENT_MS 86400000   /* the longest that a run is waited for */
#define END_MAX (4 * MIB)

enum end_kind { END_GOOD, END_BAD, END_STOPPED, END_LATE };

struct gateway_wait {
	struct gateway_view *view;
	char *id, *run; /* of the request; of the run */
	bool is_agent;
	uint64_t until_ms; /* by the loop's clock */
	bool is_over;
	enum end_kind kind;
	char *error;
	double began_ms, ended_ms; /* of the run */
	struct link in_all;        /* gateway_waits.all */
};

struct gateway_waits {
	struct gateway *g;
	struct link all;
	size_t count;
	struct deadline look; /* whose time is over */
};

static void wait_free(struct gateway_waits *waits, struct gateway_wait *w)
{
	list_remove(&w->in_all);
	waits->count--;
	w->view->wait_count--;
	w->view->ended_count -= w->is_over;
	free(w->id);
	free(w->run);
	free(w->error);
	free(w);
}

static void end_wait(struct gateway_wait *w, enum end_kind kind)
{
	if (w->is_over)
		return;
	w->is_over = true;
	w->view->ended_count++;
	w->kind = kind;
	client_work(w->view->client);
}

static void set_look(struct gateway_waits *waits)
{
	uint64_t now = loop_now_ms(waits->g->options.loop), next = UINT64_MAX;

	list_each(&waits->all, l) {
		const struct gateway_wait *w = list_of(l, struct gateway_wait, in_all);

		if (!w->is_over && w->until_ms < next)
			next = w->until_ms;
	}
	if (next == UINT64_MAX)
		deadline_clear(&waits->look);
	else
		deadline_set(waits->g->options.loop, &waits->look,
		             next > now ? (unsigned)(next - now) : 1);
}

static void look_at_times(struct deadline *deadline)
{
	struct gateway_waits *waits = list_of(deadline, struct gateway_waits, look);
	uint64_t now = loop_now_ms(waits->g->options.loop);

	list_each(&waits->all, l) {
		struct gateway_wait *w = list_of(l, struct gateway_wait, in_all);

		if (w->until_ms <= now)
			end_wait(w, END_LATE);
	}
	set_look(waits);
}

struct gateway_waits *gateway_waits_create(struct gateway *g)
{
	struct gateway_waits *waits = must_zero(1, sizeof(*waits));

	waits->g = g;
	waits->look.fire = look_at_times;
	list_init(&waits->all);
	return waits;
}

void gateway_waits_destroy(struct gateway_waits *waits)
{
	if (!waits)
		return;
	deadline_clear(&waits->look);
	assert(list_is_empty(&waits->all)); /* their clients have left */
	free(waits);
}

void gateway_wait_leave(struct gateway_view *view)
{
	struct gateway_waits *waits = gateway_of(view)->desk.waits;

	list_each(&waits->all, l) {
		struct gateway_wait *w = list_of(l, struct gateway_wait, in_all);

		if (w->view == view)
			wait_free(waits, w);
	}
}

/* ---- ends ---- */

static bool is_end(const struct run *run, const struct signal *s, yyjson_val *payload)
{
	if (s->kind == KIND_ERROR)
		return !text_is(json_text_at(payload, "severity"), "warning");
	return s->kind == KIND_COMPLETION && (text_is(json_text_at(payload, "taskId"), run->id) ||
	                                      !run->said || said_is_finished(run->said));
}

void gateway_wait_hear(struct gateway *g, const struct run *run, const struct signal *s)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	bool is_good = yyjson_is_true(yyjson_obj_get(payload, "success"));

	if (!is_end(run, s, payload))
		return;
	gateway_sent_ended(g, text_of(run->id));
	list_each(&g->desk.waits->all, l) {
		struct gateway_wait *w = list_of(l, struct gateway_wait, in_all);

		if (w->is_over || !text_is(text_of(w->run), run->id))
			continue;
		if (s->kind == KIND_ERROR)
			w->error = text_dup(json_text_at(payload, "message"));
		w->began_ms = run->first_ms;
		w->ended_ms = s->at_ms;
		end_wait(w, s->kind == KIND_ERROR ? END_BAD : is_good ? END_GOOD : END_STOPPED);
	}
}

void gateway_wait_drop(struct gateway *g, struct text run, struct text error)
{
	list_each(&g->desk.waits->all, l) {
		struct gateway_wait *w = list_of(l, struct gateway_wait, in_all);

		if (w->is_over || !text_is(run, w->run))
			continue;
		if (error.len)
			w->error = text_dup(error);
		w->began_ms = w->ended_ms = (double)clock_wall_ms();
		end_wait(w, error.len ? END_BAD : END_STOPPED);
	}
}

/* Of a run that was over before somebody waited for it. */
static void read_end(struct gateway_wait *w, const struct run *run)
{
	const struct said_message *last = NULL;

	if (run->said && !list_is_empty(&run->said->messages))
		last = list_of(run->said->messages.prev, struct said_message, in_said);
	if (last && last->role == SAID_ERROR)
		w->error = text_dup(said_text(&last->text));
	w->began_ms = run->first_ms;
	w->ended_ms = run->last_ms;
	end_wait(w, w->error ? END_BAD : END_GOOD);
}

/* ---- answers ---- */

static void put_result(const struct gateway *g, const struct gateway_wait *w, struct buf *out)
{
	const struct run *run = runs_find(g->options.runs, text_of(w->run));
	const struct said_message *last =
		run && run->said ? transcript_answer(run->said, NULL) : NULL;

	put_object(out, "result");
	put_list(out, "payloads");
	if (last) {
		put_object(out, NULL);
		put_text(out, "text", said_text(&last->text));
		put_word(out, "mediaUrl", NULL);
		put_end(out);
	}
	put_list_end(out);
	put_object(out, "meta");
	put_u64(out, "durationMs",
	        w->ended_ms > w->began_ms ? (uint64_t)(w->ended_ms - w->began_ms) : 0);
	put_end(out);
	put_end(out);
}

static void answer_end(struct gateway *g, const struct gateway_wait *w)
{
	static const char *const statuses[] = {"ok", "error", "timeout", "timeout"};
	static const char *const words[] = {"completed", "failed", "aborted", "aborted"};
	struct gateway_call call = {g, w->view, .id = text_of(w->id)};
	struct buf out;

	buf_init(&out, END_MAX);
	put_object(&out, NULL);
	put_word(&out, "runId", w->run);
	put_word(&out, "status", statuses[w->kind]);
	if (w->error)
		put_word(&out, "error", w->error);
	if (w->kind == END_STOPPED)
		put_word(&out, "stopReason", "rpc");
	if (w->is_agent) {
		put_word(&out, "summary", words[w->kind]);
		put_result(g, w, &out);
	} else if (w->kind != END_LATE) {
		put_u64(&out, "startedAt", (uint64_t)w->began_ms);
		put_u64(&out, "endedAt", (uint64_t)w->ended_ms);
	}
	put_end(&out);
	gateway_answer_buf(&call, &out);
	buf_finish(&out);
}

void gateway_wait_answer(struct gateway_view *view)
{
	struct gateway *g = gateway_of(view);

	if (!view->ended_count)
		return;
	list_each(&g->desk.waits->all, l) {
		struct gateway_wait *w = list_of(l, struct gateway_wait, in_all);

		if (w->view != view || !w->is_over)
			continue;
		answer_end(g, w);
		if (view->client->state == CLIENT_CLOSING) /* it has left, and waits for nothing */
			return;
		wait_free(g->desk.waits, w);
	}
	set_look(g->desk.waits);
}

/* ---- waiting ---- */

static bool has_room(const struct gateway_call *call)
{
	bool has = call->gateway->desk.waits->count < WAITS_MAX &&
	           call->view->wait_count < WAITS_OF_ONE;

	if (!has)
		gateway_refuse(call,
		               &(struct gateway_fault){FAULT_UNAVAILABLE, "too many requests wait",
		                                       .retryable = true});
	return has;
}

static struct gateway_wait *add_wait(const struct gateway_call *call, struct text run, uint64_t ms)
{
	struct gateway_waits *waits = call->gateway->desk.waits;
	struct gateway_wait *w = must_zero(1, sizeof(*w));

	w->view = call->view;
	w->id = text_dup(call->id);
	w->run = text_dup(run);
	w->until_ms = loop_now_ms(call->gateway->options.loop) + (ms > AGENT_MS ? AGENT_MS : ms);
	list_add(&waits->all, &w->in_all);
	waits->count++;
	call->view->wait_count++;
	set_look(waits);
	return w;
}

static void look_at_run(struct gateway *g, struct gateway_wait *w)
{
	const char *status = gateway_sent_status(g, text_of(w->run));
	const struct run *run = runs_find(g->options.runs, text_of(w->run));

	if (run && text_is(text_of(status), "ok"))
		read_end(w, run);
}

void gateway_agent_wait(const struct gateway_call *call)
{
	yyjson_val *ms = yyjson_obj_get(call->params, "timeoutMs");

	if (has_room(call))
		look_at_run(call->gateway, add_wait(call, json_text_at(call->params, "runId"),
		                                    ms ? yyjson_get_uint(ms) : WAIT_USUAL_MS));
}

/* ---- agent ---- */

static void answer_accepted(const struct gateway_call *call, struct text run, struct text key)
{
	struct buf out;

	buf_init(&out, 16 * KIB);
	put_object(&out, NULL);
	put_text(&out, "runId", run);
	put_text(&out, "sessionKey", key);
	put_text(&out, "agentId", gateway_key_agent(key));
	put_word(&out, "status", "accepted");
	put_i64(&out, "acceptedAt", clock_wall_ms());
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* The session by its key or its id, or the main one of an agent. */
static void find_session(const struct gateway_call *call, struct gateway_place *place)
{
	const struct gateway *g = call->gateway;
	struct text key = json_text_at(call->params, "sessionKey");
	struct text id = json_text_at(call->params, "sessionId");
	const struct crew_member *m = id.len ? crew_find(g->options.crew, id) : NULL;
	const struct run *run = m ? gateway_member_run(g, m) : NULL;
	struct buf own;

	buf_init(&own, 2 * KIB);
	if (!key.len && run)
		gateway_key_of_run(g, run, &own);
	gateway_find_place(g, own.len ? buf_text(&own) : key, json_text_at(call->params, "agentId"),
	                   place);
	buf_finish(&own);
}

static const char *why_not_asked(const struct gateway_call *call, const struct gateway_place *place)
{
	struct text wanted = json_text_at(call->params, "expectedExistingSessionId");
	const struct crew_member *m = gateway_place_member(call->gateway, place);

	if (yyjson_arr_size(yyjson_obj_get(call->params, "attachments")))
		return "attachments are not passed on";
	if (wanted.len && (!m || !text_is(wanted, m->id)))
		return "the session is not the expected one any more";
	return NULL;
}

static void ask_agent(const struct gateway_call *call, const struct gateway_place *place,
                      const struct gateway_wish *wish)
{
	yyjson_val *seconds = yyjson_obj_get(call->params, "timeout");
	bool is_new = !gateway_sent_status(call->gateway, wish->id);
	enum back_answer answer = BACK_DONE;
	struct gateway_wait *w;
	struct error why;

	if (is_new)
		answer = gateway_ask(call, place, wish, &why);
	if (answer != BACK_DONE) {
		gateway_refuse_back(call, answer, &why);
		return;
	}
	answer_accepted(call, wish->id, buf_text(&place->key));
	if (call->view->client->state == CLIENT_CLOSING)
		return;
	w = add_wait(call, wish->id,
	             seconds && yyjson_get_uint(seconds) ? 1000 * yyjson_get_uint(seconds)
	                                                 : AGENT_MS);
	w->is_agent = true;
	if (!is_new)
		look_at_run(call->gateway, w);
}

void gateway_agent(const struct gateway_call *call)
{
	struct gateway_wish wish = {json_text_at(call->params, "idempotencyKey"),
	                            json_text_at(call->params, "message"),
	                            json_text_at(call->params, "model")};
	struct gateway_place place;
	const char *fault;

	if (!has_room(call))
		return;
	find_session(call, &place);
	if (!wish.model.len)
		wish.model = gateway_wished_model(call->gateway, buf_text(&place.key));
	fault = why_not_asked(call, &place);
	if (fault)
		gateway_refuse_words(call, fault);
	else
		ask_agent(call, &place, &wish);
	gateway_place_finish(&place);
}
