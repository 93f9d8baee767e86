/* history.c - what was said in a session, as messages of a transcript.
 *
 * It is exact at every moment: what is being said now is told as the run in flight, with its
 * text so far, and events that come after add to that.
 */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "run/recall.h"
#include "run/said.h"

#define LIMIT_USUAL 200
#define LIMIT_MAX 1000
#define HISTORY_MAX (6 * MIB)

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

static void put_said(struct buf *out, const struct said_message *m)
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
	put_end(out);
	list_each(&m->tools, l) {
		const struct said_tool *tool = list_of(l, struct said_tool, in_message);

		if (tool->is_done)
			put_result(out, tool, m->last_ms);
	}
}

/* What is open is told apart, as long as it calls nothing. */
static bool is_in_flight(const struct said_message *m)
{
	return m->is_open && m->role == SAID_ASSISTANT && !m->tool_count;
}

/* The newest so many, oldest first; false: there are more. */
static bool put_messages(const struct gateway_past *p, size_t limit, struct buf *out)
{
	size_t total = 0, skip;

	for (size_t i = 0; i < p->count; i++)
		total += words_of(p, i)->message_count;
	skip = total > limit ? total - limit : 0;
	for (size_t i = 0; i < p->count; i++)
		list_each(&words_of(p, i)->messages, l) {
			const struct said_message *m = list_of(l, struct said_message, in_said);

			if (skip)
				skip--;
			else if (!is_in_flight(m))
				put_said(out, m);
		}
	return total <= limit;
}

/* ---- what goes on ---- */

static void put_in_flight(const struct gateway_past *p, struct buf *out)
{
	struct buf runs;

	buf_init(&runs, 64 * KIB);
	for (size_t i = 0; i < p->count; i++) {
		const struct said *said = words_of(p, i);
		const struct said_message *open = said_open(said);

		if (!gateway_is_live(p->call->gateway, p->runs[i]))
			continue;
		put_text(&runs, NULL, text_of(p->runs[i]->id));
		if (i + 1 < p->count)
			continue;
		put_object(out, "inFlightRun");
		put_word(out, "runId", p->runs[i]->id);
		put_text(out, "text",
		         open && is_in_flight(open) ? said_text(&open->text) : TEXT(""));
		put_end(out);
	}
	put_object(out, "sessionInfo");
	put_bool(out, "hasActiveRun", runs.len > 0);
	put_list(out, "activeRunIds");
	buf_add(out, buf_text(&runs));
	put_list_end(out);
	put_end(out);
	buf_finish(&runs);
}

static void answer(const struct gateway_past *p, struct text key, size_t limit)
{
	bool is_old = p->call->view->protocol == GATEWAY_OLDEST;
	struct buf out;
	bool is_all;

	buf_init(&out, GATEWAY_SAY_MAX);
	put_object(&out, NULL);
	put_text(&out, "sessionKey", key);
	if (p->count)
		put_word(&out, "sessionId", p->runs[0]->id);
	put_list(&out, "messages");
	is_all = put_messages(p, limit, &out);
	put_list_end(&out);
	put_word(&out, "thinkingLevel", "off");
	if (!is_old) {
		put_bool(&out, "hasMore", !is_all);
		put_in_flight(p, &out);
	}
	put_end(&out);
	if (out.full)
		gateway_refuse(p->call, &(struct gateway_fault){"UNAVAILABLE",
		                                                "the transcript is too long"});
	else
		gateway_answer(p->call, buf_text(&out));
	buf_finish(&out);
}

/* False: some of it is read from the journal again; the request waits for that. */
static bool is_here(const struct gateway_past *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (!words_of(p, i))
			return false;
	return true;
}

void gateway_chat_history(const struct gateway_call *call)
{
	yyjson_val *wanted = yyjson_obj_get(call->params, "limit");
	uint64_t limit = wanted ? yyjson_get_uint(wanted) : LIMIT_USUAL;
	struct gateway_past past = {.call = call};
	struct gateway_place place;

	runs_reach(call->gateway->options.runs);
	crew_reach(call->gateway->options.crew);
	gateway_find_place(call->gateway, json_text_at(call->params, "sessionKey"),
	                   json_text_at(call->params, "agentId"), &place);
	gateway_place_runs(&place, note_run, &past);
	if (is_here(&past)) {
		answer(&past, buf_text(&place.key), limit > LIMIT_MAX ? LIMIT_MAX : limit);
	} else if (!call->view->waiting) {
		call->view->waiting = text_dup(call->raw);
		client_work(call->view->client);
	} else {
		gateway_refuse(call, &(struct gateway_fault){"UNAVAILABLE",
		                                             "another transcript is being read",
		                                             .retryable = true});
	}
	gateway_place_finish(&place);
	free(past.runs);
}
