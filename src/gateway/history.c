/* history.c - what was said in a session, as messages of a transcript.
 *
 * It is exact at every moment: what is being said now is told as the run in flight, with its
 * text so far, and events that come after add to that.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/row.h"
#include "gateway/streams.h"
#include "gateway/tell.h"
#include "net/loop.h"
#include "run/recall.h"
#include "run/said.h"

#define LIMIT_USUAL 200
#define LIMIT_MAX 1000
#define HISTORY_MAX (6 * MIB)
#define PATIENCE_MS 10000 /* for what is read from the journal again */

/* ---- runs of a session ---- */

struct gateway_past {
	const struct gateway_call *call;
	struct run **runs;
	size_t count, room;
};

static void note_run(void *self, struct run *run)
{
	struct gateway_past *p = self;

	if (p->count == p->room) {
		p->room = p->room ? 2 * p->room : 16;
		p->runs = must_grow(p->runs, p->room * sizeof(*p->runs));
	}
	p->runs[p->count++] = run;
}

static const struct said *words_of(const struct gateway_past *p, size_t i)
{
	return run_said(p->call->gateway->options.runs, p->runs[i]);
}

/* ---- messages ---- */

static void put_block(struct buf *out, struct text text)
{
	put_object(out, NULL);
	put_word(out, "type", "text");
	put_text(out, "text", text);
	put_end(out);
}

static void put_call(struct buf *out, const struct said_tool *tool)
{
	put_object(out, NULL);
	put_word(out, "type", "toolCall");
	put_word(out, "id", tool->call ? tool->call : "");
	put_word(out, "name", tool->name);
	if (tool->input.at && !tool->input.is_cut)
		put_json(out, "arguments", (struct text){tool->input.at, tool->input.len});
	put_end(out);
}

/* By which a client knows a message again that it has heard: its id within the session, where
 * it stands there, and the run of words.  What was asked has the key that it was asked with. */
static void put_identity(struct buf *out, const struct run *run, const struct said_message *m)
{
	struct buf id;

	buf_init(&id, 2 * KIB);
	buf_print(&id, "%s/%" PRIu64, run->id, m->number);
	put_object(out, "__openclaw");
	put_text(out, "id", buf_text(&id));
	put_u64(out, "seq", m->seq);
	if (m->role != SAID_ERROR)
		put_word(out, "runId", run->id);
	if (m->role == SAID_USER && m->number == 1) {
		buf_clear(&id);
		buf_print(&id, "%s:user", run->id);
		put_text(out, "idempotencyKey", buf_text(&id));
	}
	put_end(out);
	buf_finish(&id);
}

static void put_result(struct buf *out, const struct said_tool *tool, double at_ms)
{
	put_object(out, NULL);
	put_word(out, "role", "toolResult");
	put_word(out, "toolCallId", tool->call ? tool->call : "");
	put_word(out, "toolName", tool->name);
	put_list(out, "content");
	put_block(out, (struct text){tool->output.at, tool->output.at ? tool->output.len : 0});
	put_list_end(out);
	put_bool(out, "isError", tool->has_failed);
	put_u64(out, "timestamp", (uint64_t)at_ms);
	put_end(out);
}

static void put_said(struct buf *out, const struct run *run, const struct said_message *m)
{
	put_object(out, NULL);
	put_word(out, "role", m->role == SAID_USER ? "user" : "assistant");
	put_list(out, "content");
	put_block(out, said_text(&m->text));
	list_each(&m->tools, l)
		put_call(out, list_of(l, struct said_tool, in_message));
	put_list_end(out);
	put_u64(out, "timestamp", (uint64_t)m->first_ms);
	if (m->model)
		put_word(out, "model", m->model);
	if (m->role == SAID_ERROR)
		put_word(out, "stopReason", "error");
	put_identity(out, run, m);
	put_end(out);
	list_each(&m->tools, l) {
		const struct said_tool *tool = list_of(l, struct said_tool, in_message);

		if (tool->is_done)
			put_result(out, tool, m->last_ms);
	}
}

/* ---- how far back ---- */

/* What it is about so long as JSON. */
static size_t weight_of(const struct said_message *m)
{
	size_t n = said_text(&m->text).len + 256;

	list_each(&m->tools, l) {
		const struct said_tool *tool = list_of(l, struct said_tool, in_message);

		n += tool->input.len + tool->output.len + 512;
	}
	return n;
}

/* The newest run that is at work says what is being said; it is told apart, as the run in flight,
 * as long as it calls nothing. */
static const struct said_message *in_flight(const struct gateway_past *p)
{
	const struct said_message *open;

	if (!p->count || p->call->view->protocol == GATEWAY_OLDEST ||
	    !gateway_is_live(p->call->gateway, p->runs[p->count - 1]))
		return NULL;
	open = said_open(words_of(p, p->count - 1));
	return open && open->role == SAID_ASSISTANT && !open->tool_count ? open : NULL;
}

/* Where the newest so many messages begin: in which run, at which message of it.  False: what a
 * run said is being read from the journal again. */
struct beginning {
	size_t run;
	const struct link *at;
	bool is_all;
};

struct counted {
	size_t messages, bytes, limit;
};

/* From the end of a run on; false: that is enough. */
static bool count_back(struct counted *n, const struct said *said, size_t run,
                       struct beginning *out)
{
	for (const struct link *l = said->messages.prev; l != &said->messages; l = l->prev) {
		n->bytes += weight_of(list_of(l, struct said_message, in_said));
		if (n->messages == n->limit || (n->messages && n->bytes > HISTORY_MAX))
			return false;
		n->messages++;
		out->run = run;
		out->at = l;
	}
	return true;
}

static bool find_beginning(const struct gateway_past *p, size_t limit, struct beginning *out)
{
	struct counted n = {.limit = limit};

	*out = (struct beginning){.run = p->count, .is_all = true};
	for (size_t i = p->count; i-- > 0 && out->is_all;) {
		const struct said *said = words_of(p, i);

		if (!said)
			return false;
		out->is_all = count_back(&n, said, i, out);
	}
	return true;
}

static void put_messages(const struct gateway_past *p, const struct beginning *from,
                         struct buf *out)
{
	const struct said_message *apart = in_flight(p);

	for (size_t i = from->run; i < p->count; i++) {
		const struct said *said = words_of(p, i);
		const struct link *l = i == from->run ? from->at : said->messages.next;

		for (; l != &said->messages; l = l->next) {
			const struct said_message *m = list_of(l, struct said_message, in_said);

			if (m != apart)
				put_said(out, p->runs[i], m);
		}
	}
}

/* ---- what goes on ---- */

static void put_in_flight(const struct gateway_past *p, const struct crew_member *m,
                          struct buf *out)
{
	const struct said_message *open = in_flight(p);
	struct buf runs;

	buf_init(&runs, 64 * KIB);
	for (size_t i = 0; i < p->count; i++)
		if (gateway_is_live(p->call->gateway, p->runs[i]))
			put_text(&runs, NULL, text_of(p->runs[i]->id));
	if (p->count && gateway_is_live(p->call->gateway, p->runs[p->count - 1])) {
		put_object(out, "inFlightRun");
		put_word(out, "runId", p->runs[p->count - 1]->id);
		put_text(out, "text", open ? said_text(&open->text) : TEXT(""));
		put_end(out);
	}
	put_object(out, "sessionInfo");
	if (!m || !gateway_put_row_members(p->call->gateway, m, out))
		put_bool(out, "hasActiveRun", runs.len > 0);
	put_list(out, "activeRunIds");
	buf_add(out, buf_text(&runs));
	put_list_end(out);
	put_end(out);
	buf_finish(&runs);
}

/* What was gathered is told first, so that no event after it has words that the answer has. */
static void tell_first(const struct gateway_past *p)
{
	for (size_t i = 0; i < p->count; i++)
		gateway_tell_now(p->call->gateway, p->runs[i]);
	if (p->call->view->stream)
		gateway_pump_stream(p->call->view);
}

static void answer(const struct gateway_past *p, const struct gateway_place *place,
                   const struct beginning *from)
{
	struct buf out;

	tell_first(p);
	if (p->call->view->client->state == CLIENT_CLOSING)
		return;
	buf_init(&out, GATEWAY_SAY_MAX);
	put_object(&out, NULL);
	put_text(&out, "sessionKey", buf_text(&place->key));
	if (p->count)
		put_word(&out, "sessionId", p->runs[0]->id);
	put_list(&out, "messages");
	put_messages(p, from, &out);
	put_list_end(&out);
	put_word(&out, "thinkingLevel", "off");
	if (p->call->view->protocol > GATEWAY_OLDEST) {
		put_bool(&out, "hasMore", !from->is_all);
		put_in_flight(p, gateway_place_member(p->call->gateway, place), &out);
	}
	put_end(&out);
	gateway_answer(p->call, buf_text(&out));
	buf_finish(&out);
}

/* Asks again at the end of the turn, for a while. */
static void wait(const struct gateway_call *call)
{
	struct gateway_view *view = call->view;
	uint64_t now = loop_now_ms(call->gateway->options.loop);

	if (!view->waits_ms)
		view->waits_ms = now;
	if (view->waiting || now - view->waits_ms > PATIENCE_MS) {
		view->waits_ms = 0;
		gateway_refuse(call, &(struct gateway_fault){"UNAVAILABLE",
		                                             "the transcript is being read",
		                                             .retryable = true});
		return;
	}
	view->waiting = text_dup(call->raw);
	client_work(view->client);
}

void gateway_chat_history(const struct gateway_call *call)
{
	yyjson_val *wanted = yyjson_obj_get(call->params, "limit");
	uint64_t limit = wanted ? yyjson_get_uint(wanted) : LIMIT_USUAL;
	struct gateway_past past = {.call = call};
	struct gateway_place place;
	struct beginning from;

	runs_reach(call->gateway->options.runs);
	crew_reach(call->gateway->options.crew);
	gateway_find_place(call->gateway, json_text_at(call->params, "sessionKey"),
	                   json_text_at(call->params, "agentId"), &place);
	gateway_place_runs(&place, note_run, &past);
	if (find_beginning(&past, limit > LIMIT_MAX ? LIMIT_MAX : limit, &from)) {
		call->view->waits_ms = 0;
		answer(&past, &place, &from);
	} else {
		wait(call);
	}
	gateway_place_finish(&place);
	free(past.runs);
}
