/* opencode.c - the line to a server of opencode: its stream of events.
 *
 * /global/event tells of all projects that the server works in.  It keeps no past: what was
 * missed is asked for by opencode_sync.c.  A server on this machine that nobody reaches any
 * more has ended, and its sessions with it.
 */
#include "source/opencode/opencode_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "net/request.h"
#include "net/url.h"
#include "parse/fault.h"
#include "parse/parse.h"

#define CONNECT_MS 5000
#define HEAD_MS 15000
#define SILENCE_MS 60000 /* a heartbeat comes every 10 s */
#define FAULT_MAX (64 * KIB)

/* ---- signals ---- */

static struct text run_of(struct text envelope)
{
	static const char key[] = "\"correlationId\":\"";
	const char *at = memmem(envelope.at, envelope.len, key, sizeof(key) - 1);
	struct text rest;

	if (!at)
		return TEXT("");
	at += sizeof(key) - 1;
	return text_cut((struct text){at, (size_t)(envelope.at + envelope.len - at)}, '"', &rest);
}

/* With where its run is: the next life of the box goes on there. */
static void opencode_made_signal(void *self, struct text envelope)
{
	struct opencode_memory *m = self;
	struct buf place;

	buf_init(&place, OPENCODE_PLACE_MAX);
	opencode_add_place(m->parse, run_of(envelope), clock_wall_ms(), &place);
	if (place.full || !place.len)
		source_received(m->source, envelope);
	else
		source_received_of_run(m->source, envelope, buf_text(&place));
	buf_finish(&place);
}

static void opencode_met_bad(void *self, const char *why)
{
	source_bad(((struct opencode_memory *)self)->source, why);
}

bool opencode_feed(struct opencode_memory *m, struct text event)
{
	parse_message(m->parse, event);
	return opencode_has_more(m->parse);
}

/* ---- loss ---- */

static void tell_gone(void *of, const struct opencode_seen *seen)
{
	struct opencode_memory *m = of;

	if (!seen->is_child)
		source_tell_gone(m->source, seen->id, "opencode ended");
}

static bool is_here(const struct opencode_line *o)
{
	struct url url;

	return url_parse(&url, text_of(o->url), NULL) && url_is_loopback(&url);
}

/* Nobody listens any more where there was a server. */
static void end_server(struct opencode_memory *m)
{
	m->was_live = false;
	opencode_end_runs(m, "opencode ended");
	opencode_each(m->parse, tell_gone, m);
	opencode_stop(m->parse);
}

/* What was missed before and was not made up for yet stays missed. */
static void note_loss(const struct opencode_line *o)
{
	struct opencode_memory *m = o->memory;

	if (o->is_live && (o->is_synced || !m->lost_at_ms))
		m->lost_at_ms = clock_wall_ms();
}

static void opencode_lose(struct opencode_line *o, const char *why, bool for_good)
{
	struct loss loss = {.why = why, .for_good = for_good};

	if (o->is_over)
		return;
	opencode_flush_events(o);
	o->is_over = true;
	note_loss(o);
	opencode_cut(o->memory->parse);
	opencode_drop_calls(o); /* who waits for one may still want more */
	opencode_stop_sync(o);
	opencode_drop_pending(o, why ? why : "opencode closed the connection");
	if (for_good)
		opencode_end_runs(o->memory, why);
	source_lost(o->source, &loss);
}

/* ---- the stream ---- */

static void opencode_got_head(void *self, const struct request_head *head)
{
	struct opencode_line *o = self;

	o->status = head->status;
	if (fault_is(o->status))
		return;
	if (!text_starts(head->content_type, TEXT("text/event-stream"))) {
		request_cancel(o->stream);
		o->stream = NULL;
		opencode_lose(o, "it answers, but not as opencode does", false);
		return;
	}
	o->is_live = o->memory->was_live = true;
	source_live(o->source);
	opencode_sync(o);
}

static void opencode_got_body(void *self, struct text bytes)
{
	struct opencode_line *o = self;

	if (fault_is(o->status))
		buf_add(&o->fault, bytes);
	else
		sse_reader_feed(&o->sse, bytes);
}

static void opencode_stream_ended(void *self, const char *why)
{
	struct opencode_line *o = self;
	enum request_fault kind = request_fault(o->stream);
	struct fault fault;

	o->stream = NULL;
	if (!o->is_live && why && kind == REQUEST_UNREACHABLE && o->memory->was_live && is_here(o))
		end_server(o->memory);
	if (fault_tells(o->status, why)) {
		fault_read(&fault, o->status, buf_text(&o->fault));
		fault_hide(fault.words, source_credential(o->source));
		opencode_lose(o, fault.words, fault_is_for_good(o->status));
	} else {
		opencode_lose(o, why ? why : "opencode closed the connection",
		              kind == REQUEST_UNTRUSTED);
	}
}

static void opencode_event_too_long(void *self)
{
	source_bad(((struct opencode_line *)self)->source, "an event that is too long");
}

static bool listen_to_events(struct opencode_line *o, struct error *why)
{
	char *key = opencode_header(o);
	const char *headers[] = {"Accept: text/event-stream", key, NULL};
	struct request_options options = {
		.url = o->url,
		.route = "/global/event",
		.headers = headers,
		.connect_ms = CONNECT_MS,
		.head_ms = HEAD_MS,
		.idle_ms = SILENCE_MS,
		.self = o,
		.head = opencode_got_head,
		.heard = opencode_got_body,
		.done = opencode_stream_ended,
	};

	o->stream = request_start(source_requests(o->source), &options, why);
	if (key)
		explicit_bzero(key, strlen(key));
	free(key);
	return o->stream != NULL;
}

/* ---- life ---- */

static void recall_run(void *of, struct text run, struct text at)
{
	struct opencode_memory *m = of;
	int64_t at_ms;

	if (opencode_take_place(m->parse, run, at, &at_ms) && at_ms > m->lost_at_ms)
		m->lost_at_ms = at_ms;
}

static struct opencode_memory *opencode_memory_of(struct source *source)
{
	void **slot = source_memory(source);
	struct opencode_memory *m = *slot;
	struct parse_options p = {
		.source = source_id(source),
		.event_max = OPENCODE_EVENT_MAX,
		.signal = opencode_made_signal,
		.bad = opencode_met_bad,
	};

	if (m)
		return m;
	m = must_zero(1, sizeof(*m));
	m->source = source;
	map_init(&m->names);
	opencode_begin_questions(m);
	p.self = m;
	m->parse = parse_create(parse_find(TEXT("opencode-events")), &p);
	opencode_tell_pieces(m->parse);
	*slot = m;
	source_each_run(source, recall_run, m);
	return m;
}

static void opencode_forget(void *memory)
{
	struct opencode_memory *m = memory;

	if (!source_is_stopping(m->source))
		opencode_end_runs(m, "the source is gone");
	parse_destroy(m->parse);
	opencode_drop_names(m);
	askings_forget(&m->questions);
	free(m);
}

static void close_opencode(void *self)
{
	struct opencode_line *o = self;
	bool was_over = o->is_over;

	o->is_over = true;
	if (o->stream)
		request_cancel(o->stream);
	opencode_drop_events(o);
	opencode_drop_calls(o);
	opencode_stop_sync(o);
	opencode_drop_pending(o, "the source was disconnected");
	if (!was_over && !source_is_stopping(o->source)) {
		opencode_cut(o->memory->parse);
		opencode_end_runs(o->memory, "the source was disconnected");
		note_loss(o);
	}
	map_finish(&o->states);
	map_finish(&o->shown);
	sse_reader_finish(&o->sse);
	json_reader_finish(&o->reader);
	buf_finish(&o->fault);
	free(o->url);
	free(o);
}

static void *open_opencode(struct source *source, struct error *why)
{
	struct opencode_line *o = must_zero(1, sizeof(*o));

	o->source = source;
	o->memory = opencode_memory_of(source);
	o->url = text_dup(url_base(text_of(source_url(source))));
	list_init(&o->calls);
	list_init(&o->events);
	list_init(&o->steps);
	map_init(&o->states);
	map_init(&o->shown);
	list_init(&o->pending);
	buf_init(&o->fault, FAULT_MAX);
	json_reader_init(&o->reader, OPENCODE_EVENT_MAX);
	sse_reader_init(&o->sse, OPENCODE_EVENT_MAX);
	o->sse.self = o;
	o->sse.event = opencode_got_event;
	o->sse.too_long = opencode_event_too_long;
	if (listen_to_events(o, why))
		return o;
	close_opencode(o);
	return NULL;
}

static void opencode_hush(void *self, bool hush)
{
	struct opencode_line *o = self;

	if (o->stream)
		request_hush(o->stream, hush);
}

/* By its name anywhere, or by its port. */
static bool opencode_recognises(struct text url)
{
	struct url parsed;

	return source_has_scheme(source_schemes_http, url) &&
	       ((url_parse(&parsed, url, NULL) && parsed.port == OPENCODE_PORT) ||
	        text_has_nocase(url, TEXT("opencode")));
}

const struct transport transport_opencode = {
	.protocol = "opencode",
	.label = "a server of opencode",
	.schemes = source_schemes_http,
	.recognises = opencode_recognises,
	.credential = "password",
	.works_on = true,
	.parser = "opencode-events",
	.open = open_opencode,
	.close = close_opencode,
	.ask = opencode_ask,
	.cancel = opencode_cancel,
	.can = opencode_can,
	.reply = opencode_reply,
	.forget = opencode_forget,
	.hush = opencode_hush,
};
