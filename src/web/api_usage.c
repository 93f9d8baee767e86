/* api_usage.c - what agents spent, by day, project, model and more, what is left of their limits,
 * and which responses are counted. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "crew/crew.h"
#include "crew/limits.h"
#include "crew/spending.h"
#include "crew/toil.h"
#include "crew/zone.h"
#include "signal/json.h"
#include "web/inside.h"

#define ANSWER_MAX (32 * MIB)
#define KNOWN_MAX 5000 /* a millisecond */
#define LONG_AT_ONCE 32

static bool read_by(struct spending_question *q, struct text value, struct error *why)
{
	for (q->by = 0; q->by < SPENDING_BYS; q->by++)
		if (text_is(value, spending_by_names[q->by]))
			return true;
	return error_set(why, "day, hour, project, model, harness or session");
}

static bool read_moment(double *out, struct text value, struct error *why)
{
	uint64_t ms;

	if (!text_to_u64(value, &ms))
		return error_set(why, "milliseconds since 1970");
	*out = (double)ms;
	return true;
}

struct usage_wish {
	struct spending_question question;
	struct zone zone;
};

static bool read_parameter(void *self, struct text name, struct text value, struct error *why)
{
	struct usage_wish *wish = self;
	struct spending_question *q = &wish->question;

	if (text_is(name, "by"))
		return read_by(q, value, why);
	if (text_is(name, "since"))
		return read_moment(&q->since_ms, value, why);
	if (text_is(name, "until"))
		return read_moment(&q->until_ms, value, why);
	if (text_is(name, "offset"))
		return zone_read(&wish->zone, value, why);
	return error_set(why, "there is no such parameter");
}

/* ---- long answers ---- */

/* One that is told a piece a turn: hours of years, or thousands of sessions. */
struct usage_response {
	struct web *web;
	struct http *http;
	struct spending_answer *answer;
	struct buf piece; /* the next */
	struct turn turn;
	bool is_last, is_blocked;
};

static void free_response(struct usage_response *r)
{
	loop_remove_turn(&r->turn);
	assert(r->web->usage_count > 0);
	r->web->usage_count--;
	spending_answer_destroy(r->answer);
	buf_finish(&r->piece);
	free(r);
}

static bool tell_piece(struct turn *turn)
{
	struct usage_response *r = list_of(turn, struct usage_response, turn);

	if (r->is_blocked)
		return false;
	r->is_blocked = !http_more(r->http, buf_text(&r->piece));
	if (r->is_last) {
		http_answer_end(r->http);
		free_response(r);
		return false;
	}
	buf_clear(&r->piece);
	r->is_last = !spending_tell(r->answer, &r->piece);
	if (r->is_last)
		buf_add(&r->piece, TEXT("}\n"));
	return !r->is_blocked;
}

static void ignore_body(void *self, struct http *http, struct text bytes)
{
}

static void begin_pieces(void *self, struct http *http)
{
	struct usage_response *r = self;

	http_answer_begin(http, 200, "application/json", NULL);
	loop_add_turn(r->web->options.loop, &r->turn);
}

static void peer_reads(void *self, struct http *http)
{
	((struct usage_response *)self)->is_blocked = false;
}

static void peer_left(void *self, struct http *http)
{
	free_response(self);
}

/* Takes both. */
static void tell_in_pieces(struct call *call, struct spending_answer *answer, struct buf *first)
{
	static const struct http_handler handler = {ignore_body, begin_pieces, peer_reads,
	                                            peer_left};
	struct usage_response *r;

	if (call->web->usage_count == LONG_AT_ONCE) {
		web_refuse(call->http, 503, "too many long answers at once", "Retry-After: 1\r\n");
		spending_answer_destroy(answer);
		buf_finish(first);
		return;
	}
	call->web->usage_count++;
	r = must_zero(1, sizeof(*r));
	r->web = call->web;
	r->http = call->http;
	r->answer = answer;
	r->piece = *first;
	r->turn.end = tell_piece;
	list_init(&r->turn.in_loop);
	http_accept(call->http, 0, &handler, r);
}

static bool session_of(void *self, struct text run, struct spent_session *out)
{
	const struct crew_member *m = crew_find(self, run);

	if (m)
		*out = (struct spent_session){m->id, m->handle};
	return m != NULL;
}

void api_usage(struct call *call)
{
	struct usage_wish wish = {.question = {
					  .by = SPENDING_BY_DAY,
					  .until_ms = INFINITY,
					  .prices = call->web->options.prices,
					  .session = session_of,
					  .self = call->web->options.crew,
				  }};
	struct spending_answer *answer;
	struct error why;
	struct buf out;

	wish.question.zone = &wish.zone;
	if (!http_query_each(http_request(call->http)->query, read_parameter, &wish, &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		return;
	}
	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_i64(&out, "at", clock_wall_ms());
	limits_json(call->web->options.limits, (double)clock_wall_ms(), &out);
	answer = spending_ask(call->web->options.spending, &wish.question);
	if (spending_tell(answer, &out)) {
		tell_in_pieces(call, answer, &out);
		return;
	}
	spending_answer_destroy(answer);
	web_answer_object(call, &out);
}

/* ---- what tools took ---- */

struct toil_wish {
	struct toil_question question;
	struct zone zone;
};

static bool read_span(void *self, struct text name, struct text value, struct error *why)
{
	struct toil_wish *wish = self;
	struct toil_question *q = &wish->question;

	if (text_is(name, "since"))
		return read_moment(&q->since_ms, value, why);
	if (text_is(name, "until"))
		return read_moment(&q->until_ms, value, why);
	if (text_is(name, "offset"))
		return zone_read(&wish->zone, value, why);
	return error_set(why, "there is no such parameter");
}

void api_usage_tools(struct call *call)
{
	struct toil_wish wish = {
		.question = {.until_ms = INFINITY, .peaks = crew_peaks(call->web->options.crew)}};
	struct error why;
	struct buf out;

	wish.question.zone = &wish.zone;
	if (!http_query_each(http_request(call->http)->query, read_span, &wish, &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		return;
	}
	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	toil_json(call->web->options.toil, &wish.question, &out);
	web_answer_object(call, &out);
}

/* ---- which responses are counted ---- */

static void put_growing(struct call *call, yyjson_val *responses, struct buf *out)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(responses);
	yyjson_val *one;

	put_list(out, "growing");
	for (size_t at = 0; (one = yyjson_arr_iter_next(&each)); at++)
		if (spending_may_grow(call->web->options.spending, json_text(one)))
			put_u64(out, NULL, at);
	put_list_end(out);
}

static void answer_unknown(struct call *call, yyjson_val *responses)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(responses);
	yyjson_val *one;
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_list(&out, "unknown");
	for (size_t at = 0; (one = yyjson_arr_iter_next(&each)); at++)
		if (!spending_knows(call->web->options.spending, json_text(one)))
			put_u64(&out, NULL, at);
	put_list_end(&out);
	put_growing(call, responses, &out);
	web_answer_object(call, &out);
}

void api_usage_known(struct call *call)
{
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	yyjson_val *responses = yyjson_obj_get(yyjson_doc_get_root(doc), "ids"), *one;
	yyjson_arr_iter each = yyjson_arr_iter_with(responses);
	bool good = yyjson_is_arr(responses) && yyjson_arr_size(responses) <= KNOWN_MAX;

	while (good && (one = yyjson_arr_iter_next(&each)))
		good = yyjson_get_len(one) > 0 && yyjson_is_str(one);
	if (good)
		answer_unknown(call, responses);
	else
		web_refuse(call->http, 400, "the body must have ids: at most 5000", NULL);
	yyjson_doc_free(doc);
}
