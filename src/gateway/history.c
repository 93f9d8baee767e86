/* history.c - what was said in a session, in pages, and what came since one.
 *
 * It is exact at every moment: what is being said now is told as the run in flight, with its
 * text so far, and events that come after add to that.
 */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/asking.h"
#include "gateway/follow.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/row.h"
#include "gateway/streams.h"
#include "gateway/tell.h"
#include "gateway/transcript.h"
#include "net/loop.h"
#include "run/said.h"

#define LIMIT_USUAL 200
#define LIMIT_MAX 1000
#define HISTORY_MAX (6 * MIB)
#define SINCE_MAX 200       /* rows; of more a page is asked for, ... */
#define SINCE_BYTES 1000000 /* ... and of a longer text */
#define PATIENCE_MS 10000   /* for what is read from the journal again */

struct gateway_history {
	const struct gateway_call *call;
	const struct gateway_place *place;
	struct gateway_transcript past;
	struct transcript_page page;
	size_t chars_max;
	struct text resolution; /* JSON, or empty */
	struct buf out;
};

static bool is_old(const struct gateway_history *h)
{
	return h->call->view->protocol == GATEWAY_OLDEST;
}

static uint64_t number_at(const struct gateway_call *call, const char *name, uint64_t usual)
{
	yyjson_val *given = yyjson_obj_get(call->params, name);

	return given ? yyjson_get_uint(given) : usual;
}

/* ---- what goes on ---- */

static void put_in_flight(struct gateway_history *h)
{
	const struct gateway_transcript *p = &h->past;
	const struct said_message *open = transcript_apart(p);

	if (p->live == p->count)
		return;
	put_object(&h->out, "inFlightRun");
	put_word(&h->out, "runId", p->runs[p->live]->id);
	put_text(&h->out, "text", open ? said_text(&open->text) : TEXT(""));
	put_u64(&h->out, "startedAt", (uint64_t)p->runs[p->live]->first_ms);
	put_end(&h->out);
}

static void put_info(struct gateway_history *h)
{
	struct gateway *g = h->call->gateway;
	const struct crew_member *m = gateway_place_member(g, h->place);
	const struct gateway_transcript *p = &h->past;

	put_object(&h->out, "sessionInfo");
	if (!m || !gateway_put_row_members(g, m, &h->out)) {
		put_bool(&h->out, "hasActiveRun", p->live < p->count);
		put_list(&h->out, "activeRunIds");
		put_list_end(&h->out);
	}
	put_end(&h->out);
}

/* What was gathered is told first, so that no event after it has words that the answer has. */
static bool tell_first(const struct gateway_history *h)
{
	struct gateway_view *view = h->call->view;

	gateway_follow_tell(h->call->gateway);
	for (size_t i = 0; i < h->past.count; i++)
		gateway_tell_now(h->call->gateway, h->past.runs[i]);
	if (view->stream)
		gateway_pump_stream(view);
	return view->client->state != CLIENT_CLOSING;
}

/* ---- a page ---- */

static void put_row(void *self, const struct transcript_row *row)
{
	struct gateway_history *h = self;
	struct transcript_row wanted = *row;

	wanted.chars_max = h->chars_max;
	transcript_put_row(&h->out, NULL, &wanted);
}

static void put_message(void *self, const struct run *run, const struct said_message *m)
{
	transcript_each_row(run, m, put_row, self);
}

/* The newest row that stays as it is, before any that may grow: what comes after is news. */
static void put_cursor(struct gateway_history *h)
{
	struct transcript_row row = {0};
	bool is_open = false;
	struct buf id;

	for (size_t i = 0; i < h->past.count && !is_open; i++) {
		const struct said *said = transcript_words(&h->past, i);

		if (!said)
			continue;
		list_each(&said->messages, l) {
			const struct said_message *m = list_of(l, struct said_message, in_said);

			is_open = m->is_open;
			if (is_open)
				break;
			row = (struct transcript_row){h->past.runs[i], m};
		}
	}
	buf_init(&id, TRANSCRIPT_ID_MAX);
	if (row.run)
		transcript_row_id(&row, &id);
	put_text(&h->out, "deltaCursor", buf_text(&id));
	buf_finish(&id);
}

static void put_paging(struct gateway_history *h)
{
	const struct transcript_page *page = &h->page;

	put_bool(&h->out, "hasMore", !page->is_all);
	if (page->is_all)
		put_u64(&h->out, "totalMessages", page->skipped + page->rows);
	else
		put_u64(&h->out, "nextOffset", page->skipped + page->rows);
}

static void put_session(struct gateway_history *h)
{
	const struct crew_member *m = gateway_place_member(h->call->gateway, h->place);

	put_text(&h->out, "sessionKey", buf_text(&h->place->key));
	if (m)
		put_word(&h->out, "sessionId", m->id);
	else if (h->past.count)
		put_word(&h->out, "sessionId", h->past.runs[0]->id);
}

static void answer_page(struct gateway_history *h, bool is_anchored)
{
	struct buf *out = &h->out;

	put_object(out, NULL);
	put_session(h);
	put_list(out, "messages");
	transcript_each(&h->past, &h->page, put_message, h);
	put_list_end(out);
	put_word(out, "thinkingLevel", "off");
	if (!is_old(h)) {
		if (!is_anchored)
			put_paging(h);
		put_cursor(h);
		gateway_queue_put(h->call->gateway, buf_text(&h->place->key), out);
		put_in_flight(h);
		put_info(h);
	}
	if (h->resolution.len)
		put_json(out, "resolution", h->resolution);
	put_end(out);
	gateway_answer_buf(h->call, out);
}

/* ---- since a row ---- */

static void answer_reset(struct gateway_history *h)
{
	buf_clear(&h->out);
	put_object(&h->out, NULL);
	put_word(&h->out, "kind", "reset");
	put_end(&h->out);
	gateway_answer_buf(h->call, &h->out);
}

static void put_news(void *self, const struct transcript_row *row)
{
	struct gateway_history *h = self;

	put_object(&h->out, NULL);
	transcript_put_news(&h->out, buf_text(&h->place->key), row);
	put_end(&h->out);
}

static void put_message_news(void *self, const struct run *run, const struct said_message *m)
{
	transcript_each_row(run, m, put_news, self);
}

static void answer_since(struct gateway_history *h)
{
	struct buf *out = &h->out;

	put_object(out, NULL);
	put_word(out, "kind", "delta");
	put_list(out, "messages");
	transcript_each(&h->past, &h->page, put_message_news, h);
	put_list_end(out);
	put_cursor(h);
	put_in_flight(h);
	put_info(h);
	put_end(out);
	if (!out->full && out->len <= SINCE_BYTES)
		gateway_answer_buf(h->call, out);
	else
		answer_reset(h);
}

/* False: it must be read from the journal first. */
static bool find_since(struct gateway_history *h, struct text cursor, bool *is_known)
{
	struct transcript_wish wish = {.bytes = SIZE_MAX};
	enum transcript_found found;

	if (!cursor.len) {
		*is_known = false;
		return true;
	}
	found = transcript_find_row(&h->past, cursor, &wish.rows);
	*is_known = found == TRANSCRIPT_FOUND && wish.rows <= SINCE_MAX;
	if (!*is_known)
		return found != TRANSCRIPT_IS_READ;
	if (wish.rows)
		return transcript_find(&h->past, &wish, &h->page);
	h->page = (struct transcript_page){.first_run = h->past.count};
	return true;
}

/* ---- asking ---- */

/* Asks again at the end of the turn, for a while. */
static void wait(const struct gateway_call *call)
{
	struct gateway_view *view = call->view;
	uint32_t now = (uint32_t)loop_now_ms(call->gateway->options.loop);

	if (!view->waits_ms)
		view->waits_ms = now ? now : 1;
	if (view->waiting || now - view->waits_ms > PATIENCE_MS) {
		view->waits_ms = 0;
		gateway_refuse(call, &(struct gateway_fault){FAULT_UNAVAILABLE,
		                                             "the transcript is being read",
		                                             .retryable = true});
		return;
	}
	view->waiting = text_dup(call->raw);
	client_work(view->client);
}

static const char *why_not(const struct gateway_call *call)
{
	bool has_row = yyjson_obj_get(call->params, "messageId");
	bool has_offset = yyjson_obj_get(call->params, "offset");

	if (has_offset && has_row)
		return "offset and messageId cannot be used together";
	if (yyjson_obj_get(call->params, "cursor") && (has_offset || has_row))
		return "cursor cannot be used with offset or messageId";
	if (yyjson_obj_get(call->params, "sessionId") && !has_row)
		return "sessionId requires messageId";
	return NULL;
}

/* Half of the page comes after the row that is looked for. */
static bool find_page(struct gateway_history *h)
{
	uint64_t limit = number_at(h->call, "limit", LIMIT_USUAL);
	uint64_t bytes = number_at(h->call, "maxBytes", HISTORY_MAX);
	struct text row = json_text_at(h->call->params, "messageId");
	struct transcript_wish wish = {
		.rows = limit > LIMIT_MAX ? LIMIT_MAX : limit,
		.bytes = bytes > HISTORY_MAX ? HISTORY_MAX : bytes,
		.skip = number_at(h->call, "offset", 0),
	};
	size_t after;

	if (row.len) {
		enum transcript_found found = transcript_find_row(&h->past, row, &after);

		if (found == TRANSCRIPT_IS_READ)
			return false;
		if (found == TRANSCRIPT_FOUND && after > wish.rows / 2)
			wish.skip = after - wish.rows / 2;
	}
	return transcript_find(&h->past, &wish, &h->page);
}

static void answer(struct gateway_history *h)
{
	struct text row = json_text_at(h->call->params, "messageId");
	yyjson_val *cursor = yyjson_obj_get(h->call->params, "cursor");
	bool is_known = true;
	bool is_there = gateway_is_up(h->call->gateway) &&
	                (cursor ? find_since(h, json_text(cursor), &is_known) : find_page(h));

	if (!is_there) {
		wait(h->call);
		return;
	}
	h->call->view->waits_ms = 0;
	if (!tell_first(h))
		return;
	buf_init(&h->out, GATEWAY_SAY_MAX);
	if (!is_known)
		answer_reset(h);
	else if (cursor)
		answer_since(h);
	else
		answer_page(h, row.len);
	buf_finish(&h->out);
}

void gateway_history_of(const struct gateway_call *call, struct text key, struct text resolution)
{
	const char *fault = why_not(call);
	struct gateway_place place;
	struct gateway_history h = {.call = call, .place = &place, .resolution = resolution};

	if (fault) {
		gateway_refuse_words(call, fault);
		return;
	}
	h.chars_max = number_at(call, "maxChars", 0);
	gateway_find_place(call->gateway, key, json_text_at(call->params, "agentId"), &place);
	transcript_read(call->gateway, &place, !is_old(&h), &h.past);
	answer(&h);
	transcript_finish(&h.past);
	gateway_place_finish(&place);
}

void gateway_chat_history(const struct gateway_call *call)
{
	gateway_history_of(call, json_text_at(call->params, "sessionKey"), TEXT(""));
}
