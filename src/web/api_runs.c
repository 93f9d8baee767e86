/* api_runs.c - the runs, over HTTP: all of them, one, and what one has said.
 *
 * A transcript is made from the journal in slices at the ends of turns, as history is.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/put.h"
#include "base/scan.h"
#include "crew/crew.h"
#include "run/prompts.h"
#include "run/recall.h"
#include "run/replay.h"
#include "run/sessions.h"
#include "web/inside.h"
#include "web/late.h"

#define ANSWER_MAX (32 * MIB)
#define PAGE_BYTES (4 * MIB) /* of messages, before they are escaped */
#define LIST_DEFAULT 100
#define SLICE_BYTES (128 * KIB) /* of the journal, that one of them reads in a turn */
#define PIECE_BYTES (64 * KIB)  /* of an answer, at about which it is sent */
#define AT_ONCE_MAX 16          /* transcripts; more are refused */

void web_answer_object(struct call *call, struct buf *out)
{
	buf_add(out, TEXT("}\n"));
	if (out->full)
		web_refuse(call->http, 500, "the response is too large", NULL);
	else
		web_answer(call->http, out);
	buf_finish(out);
}

bool web_read_limit(void *self, struct text name, struct text value, struct error *why)
{
	uint64_t *limit = self;

	if (!text_is(name, "limit"))
		return error_set(why, "there is no such parameter");
	return (text_to_u64(value, limit) && *limit > 0) || error_set(why, "a number from 1");
}

static void add_brief(struct call *call, const struct run *run, struct buf *out)
{
	const struct crew_member *m = crew_find(call->web->options.crew, text_of(run->id));

	run_brief(run, m ? m->id : NULL, out);
}

void api_runs(struct call *call)
{
	struct link *all = runs_all(call->web->options.runs);
	uint64_t limit = LIST_DEFAULT;
	const char *between = "";
	struct error why;
	struct buf out;

	if (!http_query_each(http_request(call->http)->query, web_read_limit, &limit, &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		return;
	}
	if (!web_has_runs(call, api_runs))
		return;
	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_u64(&out, "seq", runs_seq(call->web->options.runs));
	put_list(&out, "runs");
	for (struct link *l = all->prev; l != all && limit > 0; l = l->prev, limit--) {
		buf_add(&out, text_of(between));
		add_brief(call, list_of(l, struct run, in_all), &out);
		between = ",";
	}
	buf_add_char(&out, ']');
	web_answer_object(call, &out);
}

static struct run *find_run(struct call *call)
{
	struct text id = web_run_of(call, (struct text){call->part.at, call->part.len});
	struct run *run = runs_find(call->web->options.runs, id);

	if (!run)
		web_refuse(call->http, 404, "there is no such run", NULL);
	return run;
}

/* What people could do to it now. */
static void add_can(const struct call *call, const struct run *run, struct buf *out)
{
	static const char *const ops[] = {"pause",        "step",    "continue", "arm",
	                                  "ui-interrupt", "ui-quit", "cancel",   "tell"};
	const struct back *back = &call->web->options.back;
	const char *between = "";

	put_list(out, "can");
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (!back->can(back->self, text_of(run->id), text_of(ops[i])))
			continue;
		buf_print(out, "%s\"%s\"", between, ops[i]);
		between = ",";
	}
	buf_add_char(out, ']');
}

void api_run(struct call *call)
{
	const char *between = "";
	struct run *run;
	struct buf out;

	if (!web_has_runs(call, api_run) || !(run = find_run(call)))
		return;
	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_key(&out, "run");
	run_json(run, &out);
	add_can(call, run, &out);
	put_list(&out, "prompts");
	list_each(prompts_open(call->web->options.prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (strcmp(p->run, run->id) != 0)
			continue;
		buf_add(&out, text_of(between));
		prompt_json(p, caller_answers(&call->caller), &out);
		between = ",";
	}
	buf_add_char(&out, ']');
	web_answer_object(call, &out);
}

/* ---- messages ---- */

static bool read_page(void *self, struct text name, struct text value, struct error *why)
{
	struct said_page *page = self;
	uint64_t number;

	if (!text_is(name, "limit") && !text_is(name, "before"))
		return error_set(why, "there is no such parameter");
	if (!text_to_u64(value, &number) || number == 0)
		return error_set(why, "a number from 1");
	if (text_is(name, "limit"))
		page->count = number;
	else
		page->before = number;
	return true;
}

void api_run_messages(struct call *call)
{
	struct said_page page = {.count = LIST_DEFAULT, .bytes = PAGE_BYTES};
	const struct said *said;
	struct error why;
	struct run *run;
	struct buf out;

	if (!http_query_each(http_request(call->http)->query, read_page, &page, &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		return;
	}
	if (!web_has_runs(call, api_run_messages) || !(run = find_run(call)) ||
	    !(said = web_has_said(call, run, api_run_messages)))
		return;
	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_word(&out, "run", run->id);
	if (run->session) {
		put_key(&out, "session");
		run_session_json(run->session, LIST_DEFAULT, &out);
	}
	json_member_text(&out, "spawnedBy", run->spawned_by);
	buf_add_char(&out, ',');
	said_json(said, &page, &out);
	web_answer_object(call, &out);
}

/* ---- transcripts ---- */

struct transcript_response {
	struct web *web;
	struct http *http;
	struct run_replay *replay;
	uint64_t until; /* of the journal: what came by the time it was asked for */
	struct buf out;
	bool blocked;       /* the socket is full */
	struct link in_web; /* web.transcripts */
};

static void free_transcript(struct transcript_response *t)
{
	list_remove(&t->in_web);
	assert(t->web->transcript_count > 0);
	t->web->transcript_count--;
	run_replay_destroy(t->replay);
	buf_finish(&t->out);
	free(t);
}

/* From where to where the member is that says that a line is an event, with its comma. */
static struct text kind_in(struct text line)
{
	struct text key, value;
	struct scan scan;
	const char *from, *end = line.at + line.len;

	scan_object(&scan, line);
	while (scan_member(&scan, &key, &value)) {
		if (!text_is(key, "kind"))
			continue;
		from = key.at - 1;
		end = value.at + value.len;
		while (*end == ' ' || *end == '\t' || *end == '\r' || *end == '\n')
			end++;
		if (*end == ',')
			end++;
		while (end[-1] != ',' && from[-1] != '{' && *from != ',')
			from--;
		return (struct text){from, (size_t)(end - from)};
	}
	return (struct text){end, 0};
}

/* A line of a transcript is an event without its kind. */
static void add_line(struct buf *out, const struct run_frame *f)
{
	size_t begun = out->len;
	struct text kind;
	size_t rest;

	if (!f->pieces.is_numbered)
		return;
	pieces_add(&f->pieces, true, f->own, out);
	buf_add_char(out, '\n');
	kind = kind_in((struct text){out->at + begun, out->len - begun});
	rest = (size_t)(out->at + out->len - kind.at) - kind.len;
	memmove(out->at + (kind.at - out->at), kind.at + kind.len, rest);
	out->len -= kind.len;
}

/* True: it can go on at once. */
static bool send_out(struct transcript_response *t)
{
	if (t->out.len)
		t->blocked = !http_more(t->http, buf_text(&t->out));
	buf_clear(&t->out);
	return !t->blocked;
}

static bool step(struct transcript_response *t)
{
	size_t budget = SLICE_BYTES;
	enum run_replay_news news = REPLAY_MORE;
	struct run_frame f;

	while (t->out.len < PIECE_BYTES) {
		if (loop_slice_is_over(t->web->options.loop))
			budget = 0;
		news = run_replay_next(t->replay, t->until, &budget, &f);
		if (news == REPLAY_FRAME)
			add_line(&t->out, &f);
		else if (news != REPLAY_LOST)
			break;
	}
	if (t->out.len >= PIECE_BYTES || news == REPLAY_MORE)
		return send_out(t);
	send_out(t);
	if (news == REPLAY_COLD) {
		web_tick(t->web);
		return false;
	}
	http_answer_end(t->http);
	free_transcript(t);
	return false;
}

bool api_runs_turn(struct web *web)
{
	bool more = false;

	web_late_turn(web, false);
	loop_slice(web->options.loop, SLICE_NS);
	/* Whoever had a slice goes to the end of the queue. */
	for (unsigned n = web->transcript_count; n > 0; n--) {
		struct transcript_response *t =
			list_of(web->transcripts.next, struct transcript_response, in_web);

		if (list_is_empty(&web->transcripts))
			break;
		if (loop_slice_is_over(web->options.loop))
			return true;
		list_remove(&t->in_web);
		list_add(&web->transcripts, &t->in_web);
		if (!t->blocked)
			more = step(t) || more;
	}
	return more;
}

static void ignore_piece(void *self, struct http *http, struct text bytes)
{
}

static void begin_transcript(void *self, struct http *http)
{
	struct transcript_response *t = self;

	http_answer_begin(http, 200, "application/x-ndjson", NULL);
	list_add(&t->web->transcripts, &t->in_web);
}

static void writable(void *self, struct http *http)
{
	((struct transcript_response *)self)->blocked = false;
}

static void reader_left(void *self, struct http *http)
{
	free_transcript(self);
}

void api_run_transcript(struct call *call)
{
	static const struct http_handler handler = {ignore_piece, begin_transcript, writable,
	                                            reader_left};
	struct transcript_response *t;
	struct run *run;

	if (!web_has_runs(call, api_run_transcript) || !(run = find_run(call)))
		return;
	if (call->web->transcript_count == AT_ONCE_MAX) {
		web_refuse(call->http, 503, "too many transcripts at once", "Retry-After: 1\r\n");
		return;
	}
	assert(call->web->transcript_count < AT_ONCE_MAX);
	call->web->transcript_count++;
	t = must_zero(1, sizeof(*t));
	t->web = call->web;
	t->http = call->http;
	t->until = run->last_seq;
	list_init(&t->in_web);
	buf_init(&t->out, PIECE_BYTES + 2 * TRANSLATE_FRAME_MAX);
	t->replay = run_replay_create(&(struct run_replay_options){
		.journal = call->web->options.journal,
		.run = text_of(run->id),
		.first_seq = run->first_seq,
	});
	if (call->is_late) {
		http_await(call->http, &handler, t);
		begin_transcript(t, call->http);
	} else {
		http_accept(call->http, 0, &handler, t);
	}
}
