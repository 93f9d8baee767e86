/* sse.c - a producer that streams over HTTP: server-sent events or NDJSON.
 *
 * A URL of which nobody said what it is may be a server that can be asked: it is
 * probed first, without the credential, and becomes an openai source if it lists
 * models.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "net/request.h"
#include "parse/fault.h"
#include "parse/parse.h"
#include "source/models/models.h"
#include "source/transport.h"

#define PROBE_MS 3000
#define CONNECT_MS 10000
#define HEAD_MS 15000
#define FAULT_MAX (64 * KIB)
#define HEADERS_MAX 4

/* What outlives a connection. */
struct memory {
	char *last_id;  /* NULL: none came yet */
	bool is_stream; /* it is known to be one: no need to probe again */
};

struct sse {
	struct source *source;
	struct models *probe;
	struct request *request;
	struct parse *parse;
	int status;
	unsigned retry_after_ms;
	struct buf fault; /* the body of a refusal */
};

/* --- signals --------------------------------------------------------------------- */

static bool fits_a_header(struct text id)
{
	for (size_t i = 0; i < id.len; i++)
		if ((unsigned char)id.at[i] < ' ' || id.at[i] == 0x7F)
			return false;
	return true;
}

/* With the id of its event, which is where to go on after a restart. */
static void sse_made_signal(void *self, struct text envelope)
{
	struct sse *s = self;
	struct text id = parse_last_id(s->parse);

	if (id.at && fits_a_header(id))
		source_received_at(s->source, envelope, id);
	else
		source_received(s->source, envelope);
}

static void sse_met_bad(void *self, const char *why)
{
	source_bad(((struct sse *)self)->source, why);
}

static void met_meta(void *self, struct text frame)
{
	source_set_meta(((struct sse *)self)->source, frame);
}

/* --- where to resume --------------------------------------------------------------- */

static struct memory *memory_of(struct sse *s)
{
	void **memory = source_memory(s->source);

	if (!*memory) {
		struct memory *m = *memory = must_zero(1, sizeof(*m));
		struct text id = source_position(s->source);

		m->last_id = id.len ? text_dup(id) : NULL;
	}
	return *memory;
}

static void sse_forget(void *self)
{
	struct memory *memory = self;

	free(memory->last_id);
	free(memory);
}

/* One that cannot be sent back is no place to resume at: then it is the last that
 * could.  An empty one means that there is none any more. */
static void remember_id(struct sse *s)
{
	struct memory *memory = memory_of(s);
	struct text id = parse_last_id(s->parse);

	if (!id.at || !fits_a_header(id))
		return;
	free(memory->last_id);
	memory->last_id = id.len ? text_dup(id) : NULL;
}

/* --- the stream -------------------------------------------------------------------- */

static bool is_type(struct text type, const char *wanted)
{
	struct text parameters;

	return text_equal_nocase(text_trim(text_cut(type, ';', &parameters)), text_of(wanted));
}

static void sse_lose(struct sse *s, const char *why, bool for_good)
{
	struct loss loss = {.why = why, .for_good = for_good, .retry_after_ms = s->retry_after_ms};

	source_lost(s->source, &loss);
}

static void sse_got_head(void *self, const struct request_head *head)
{
	struct sse *s = self;

	s->status = head->status;
	s->retry_after_ms = head->retry_after_ms;
	if (fault_is(s->status) || s->status == 204)
		return;
	if (is_type(head->content_type, "text/html")) {
		request_cancel(s->request);
		s->request = NULL;
		sse_lose(s, "it answers with a page for people, not with a stream", false);
		return;
	}
	parse_set_framing(s->parse, is_type(head->content_type, "application/x-ndjson")
	                                    ? FRAMING_LINES
	                                    : FRAMING_SSE);
	memory_of(s)->is_stream = true;
	source_live(s->source);
}

static void sse_got_body(void *self, struct text bytes)
{
	struct sse *s = self;

	if (fault_is(s->status))
		buf_add(&s->fault, bytes);
	else
		parse_feed(s->parse, bytes);
}

/* How long to wait before the next try is the stream's own to say. */
static void sse_end_stream(struct sse *s, const char *why, bool for_good)
{
	parse_end(s->parse, why);
	remember_id(s);
	s->retry_after_ms = parse_retry_ms(s->parse);
	sse_lose(s, why, for_good);
}

static void sse_is_done(void *self, const char *why)
{
	struct sse *s = self;
	bool for_good = request_fault(s->request) == REQUEST_UNTRUSTED;
	struct fault fault;

	s->request = NULL;
	if (s->status == 204) {
		sse_lose(s, NULL, true);
	} else if (fault_tells(s->status, why)) {
		fault_read(&fault, s->status, buf_text(&s->fault));
		sse_lose(s, fault.words, fault_is_for_good(s->status));
	} else {
		sse_end_stream(s, why, for_good);
	}
}

static bool listen_to_it(struct sse *s, struct error *why)
{
	const char *credential = source_credential(s->source);
	const char *last_id = memory_of(s)->last_id;
	char *lines[HEADERS_MAX] = {must_dup("Accept: text/event-stream")};
	struct request_options o = {
		.url = source_url(s->source),
		.headers = (const char *const *)lines,
		.connect_ms = CONNECT_MS,
		.head_ms = HEAD_MS,
		.self = s,
		.head = sse_got_head,
		.heard = sse_got_body,
		.done = sse_is_done,
	};
	unsigned n = 1;

	if (last_id)
		lines[n++] = must_print("Last-Event-ID: %s", last_id);
	if (credential)
		lines[n++] = must_print("Authorization: Bearer %s", credential);
	s->request = request_start(source_requests(s->source), &o, why);
	for (unsigned i = 0; i < n; i++) {
		explicit_bzero(lines[i], strlen(lines[i]));
		free(lines[i]);
	}
	return s->request != NULL;
}

/* --- the probe --------------------------------------------------------------------- */

static void probed(void *self, const struct models_answer *answer)
{
	struct sse *s = self;
	struct error why;

	s->probe = NULL;
	if (answer->is_list)
		source_become(s->source, MODELS_PROTOCOL);
	else if (!listen_to_it(s, &why))
		sse_lose(s, why.words, true);
}

static bool probe(struct sse *s, struct error *why)
{
	struct models_options o = {
		.url = source_url(s->source),
		.path = "/v1/models",
		.list = "data",
		.name = "id",
		.total_ms = PROBE_MS,
		.self = s,
		.done = probed,
	};

	s->probe = models_ask(source_requests(s->source), &o, why);
	return s->probe != NULL;
}

/* --- life -------------------------------------------------------------------------- */

static void close_sse(void *self)
{
	struct sse *s = self;

	models_cancel(s->probe);
	if (s->request) {
		request_cancel(s->request);
		remember_id(s);
	}
	parse_destroy(s->parse);
	buf_finish(&s->fault);
	free(s);
}

static void *open_sse(struct source *source, struct error *why)
{
	struct sse *s = must_zero(1, sizeof(*s));
	struct parse_options p = {
		.source = source_id(source),
		.self = s,
		.signal = sse_made_signal,
		.bad = sse_met_bad,
		.meta = met_meta,
	};

	s->source = source;
	s->parse = parse_create(parse_find(TEXT("envelope")), &p);
	buf_init(&s->fault, FAULT_MAX);
	if (source_is_guessed(source) && !memory_of(s)->is_stream ? probe(s, why)
	                                                          : listen_to_it(s, why))
		return s;
	close_sse(s);
	return NULL;
}

static void sse_hush(void *self, bool hush)
{
	struct sse *s = self;

	if (s->request)
		request_hush(s->request, hush);
}

const struct transport transport_sse = {
	.protocol = "sse",
	.label = "an event stream, or one signal per line",
	.schemes = source_schemes_http,
	.may_become = MODELS_PROTOCOL,
	.credential = "key",
	.parser = "envelope",
	.open = open_sse,
	.close = close_sse,
	.forget = sse_forget,
	.hush = sse_hush,
};
