/* answer.c - from a request to the end of a run.
 *
 * A server closes a moment after its last word.  The run is over by then; the
 * connection is left alone a little longer, so that the next question can use it.
 */
#include "source/models/answer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "net/loop.h"
#include "net/request.h"
#include "parse/fault.h"
#include "parse/make.h"
#include "signal/json.h"

#define CONNECT_MS 10000
#define LINGER_MS 2000
#define BODY_MAX (64 * MIB)
#define WORDS_MAX (256 * KIB) /* of an answer that a session remembers */
#define FAULT_MAX (64 * KIB)

struct answer {
	struct answer_options options; /* its texts are gone: see below */
	char *run;
	struct text prompt, session; /* of an ask with a session, ours */
	struct parse *parse;
	struct request *request;
	struct deadline linger;
	int status; /* 0: no head yet */
	unsigned retry_after_ms;
	struct buf fault;          /* the body of a refusal */
	struct buf words;          /* what was said */
	struct json_reader reader; /* of our own signals */
	bool success;              /* the completion said so */
	bool told;                 /* over() was called */
	bool busy;                 /* in the parser */
	bool doomed;               /* destroyed while busy */
};

/* --- signals ------------------------------------------------------------------- */

/* For the history: what the assistant says, and whether it ends well. */
static void answer_remember(struct answer *a, struct text envelope)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(&a->reader, envelope, NULL));
	yyjson_val *payload = yyjson_obj_get(root, "payload");
	struct text type = json_text(yyjson_obj_get(root, "type"));

	if (text_is(type, "text_delta"))
		buf_add(&a->words, json_text(yyjson_obj_get(payload, "content")));
	else if (text_is(type, "completion"))
		a->success = yyjson_get_bool(yyjson_obj_get(payload, "success"));
}

static void answer_made_signal(void *self, struct text envelope)
{
	struct answer *a = self;

	if (a->session.len)
		answer_remember(a, envelope);
	source_received(a->options.source, envelope);
}

static void answer_met_bad(void *self, const char *why)
{
	source_bad(((struct answer *)self)->options.source, why);
}

/* --- life ---------------------------------------------------------------------- */

static void answer_free(struct answer *a)
{
	deadline_clear(&a->linger);
	parse_destroy(a->parse);
	buf_finish(&a->fault);
	buf_finish(&a->words);
	json_reader_finish(&a->reader);
	free(a->run);
	free((char *)a->prompt.at);
	free((char *)a->session.at);
	free(a);
}

void answer_destroy(struct answer *a)
{
	if (!a)
		return;
	if (a->request)
		request_cancel(a->request);
	a->request = NULL;
	a->doomed = true;
	if (a->busy) /* somebody heard a signal and called us: the parser first */
		return;
	parse_cancel(a->parse);
	answer_free(a);
}

void answer_hush(struct answer *a, bool hush)
{
	if (a->request)
		request_hush(a->request, hush);
}

bool answer_is_of(const struct answer *a, struct text run)
{
	return !a->told && !a->doomed && text_is(run, a->run);
}

static void go(struct answer *a)
{
	if (a->request)
		request_cancel(a->request);
	a->options.gone(a->options.self, a);
	answer_free(a);
}

static void linger_no_more(struct deadline *deadline)
{
	go(list_of(deadline, struct answer, linger));
}

/* After the parser had bytes: false when a is no more. */
static bool answer_settle(struct answer *a)
{
	struct answer_end end = {
		.success = a->success,
		.doubtful = a->status == 0 || fault_is_for_good(a->status),
		.prompt = a->prompt,
		.session = a->session,
		.words = buf_text(&a->words),
	};

	a->busy = false;
	if (a->doomed) {
		answer_destroy(a);
		return false;
	}
	if (a->told || !parse_is_over(a->parse))
		return true;
	a->told = true;
	end.success = end.success && !a->words.full;
	deadline_set(source_loop(a->options.source), &a->linger, LINGER_MS);
	a->options.over(a->options.self, &end);
	return true;
}

/* --- the connection ------------------------------------------------------------- */

static void answer_got_head(void *self, const struct request_head *head)
{
	struct answer *a = self;

	a->status = head->status;
	a->retry_after_ms = head->retry_after_ms;
	if (a->options.kind->framing == FRAMING_SSE &&
	    text_starts(head->content_type, TEXT("application/json")))
		parse_set_framing(a->parse, FRAMING_WHOLE);
}

static void answer_got_body(void *self, struct text bytes)
{
	struct answer *a = self;

	if (fault_is(a->status)) {
		buf_add(&a->fault, bytes);
		return;
	}
	a->busy = true;
	parse_feed(a->parse, bytes);
	answer_settle(a);
}

static void answer_refuse(struct answer *a)
{
	struct fault fault;
	char words[sizeof(fault.words) + 64];

	fault_read(&fault, a->status, buf_text(&a->fault));
	snprintf(words, sizeof(words), "%s", fault.words);
	if (a->retry_after_ms)
		snprintf(words, sizeof(words), "%s (it asks for %u s of patience)", fault.words,
		         (a->retry_after_ms + 999) / 1000);
	fault_hide(words, source_credential(a->options.source));
	fault_hide(fault.code, source_credential(a->options.source));
	parse_fail(a->parse, text_of(fault.code), text_of(words));
}

static void answer_is_done(void *self, const char *why)
{
	struct answer *a = self;

	a->request = NULL;
	a->busy = true;
	if (fault_tells(a->status, why))
		answer_refuse(a);
	else
		parse_end(a->parse, why);
	if (answer_settle(a))
		go(a);
}

static struct request *request(struct answer *a, struct error *why)
{
	struct source *source = a->options.source;
	struct request_options o = {
		.url = a->options.url,
		.headers = a->options.headers,
		.body = a->options.body,
		.connect_ms = CONNECT_MS,
		.head_ms = source_silence_ms(source),
		.idle_ms = source_silence_ms(source),
		.body_max = BODY_MAX,
		.self = a,
		.head = answer_got_head,
		.heard = answer_got_body,
		.done = answer_is_done,
	};

	return request_start(source_requests(source), &o, why);
}

struct answer *answer_start(const struct answer_options *options, struct error *why)
{
	const struct back_ask *ask = options->ask;
	struct answer *a = must_zero(1, sizeof(*a));
	struct parse_options p = {
		.source = source_id(options->source),
		.correlation = ask->run,
		.agent = ask->model,
		.self = a,
		.signal = answer_made_signal,
		.bad = answer_met_bad,
	};

	a->options = *options;
	a->run = text_dup(ask->run);
	if (ask->session.len) {
		a->session = (struct text){text_dup(ask->session), ask->session.len};
		a->prompt = (struct text){text_dup(ask->prompt), ask->prompt.len};
	}
	a->linger.fire = linger_no_more;
	buf_init(&a->fault, FAULT_MAX);
	buf_init(&a->words, WORDS_MAX);
	json_reader_init(&a->reader, 2 * MIB);
	a->parse = parse_create(options->kind, &p);
	a->request = request(a, why);
	if (a->request) {
		source_dispatch(options->source, ask, &(struct source_dispatch){0});
		return a;
	}
	answer_free(a);
	return NULL;
}
