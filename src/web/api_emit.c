/* api_emit.c - POST /api/signal: one signal, or a batch of lines as it streams in.
 *
 * The answer is owed until every signal has its seq and, unless ?ack=memory was
 * asked for, the last of them is on the disk.  The same id and bytes sent again
 * are answered with the first seq, so a client that got no answer just repeats.
 *
 * While a disk that works is far behind, no more of a batch is read, and an answer
 * from memory waits too: whoever sends goes at the disk's pace.
 *
 * Where there is a ceiling of signals a second, one that is too fast is refused with the
 * time to wait, but a batch is read at that pace.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "bus/bus.h"
#include "config/config.h"
#include "journal/journal.h"
#include "net/account.h"
#include "web/inside.h"
#include "web/routes.h"

/* A disk that does not answer by then is in trouble, and whoever waits should
 * know it rather than hang. */
#define DURABLE_WAIT_MS 30000
/* Whoever is held hears so often that it is. */
#define REASSURE_MS 2000
#define REJECTED_SHOWN 100 /* lines of a batch that are named; all are counted */

struct emit {
	struct web *web;
	struct http *http; /* NULL once the peer left */
	struct caller caller;
	struct account *account;
	bool is_batch, durable;
	struct buf input; /* the body; of a batch, the line that is not whole yet */
	struct buf later; /* lines that came too fast */
	bool ended;       /* all of the body came */
	bool skipping;    /* the rest of a line that was too long */
	struct buf id;    /* of the last one stamped */
	struct buf rejected;
	uint64_t line, accepted, rejected_count;
	uint64_t unstamped; /* accepted, and their seq is still to come */
	uint64_t first_seq, last_seq;
	bool full;          /* a signal was refused because the disk fails */
	bool held;          /* the body is not read: the disk is behind, or it was too fast */
	uint64_t since_ms;  /* when the body was over, or held */
	uint64_t told_ms;   /* when it last heard that it is held */
	struct link in_web; /* web.emits, once the body is over or held */
};

static void emit_destroy(struct emit *e)
{
	list_remove(&e->in_web);
	account_close(e->account);
	buf_finish(&e->input);
	buf_finish(&e->later);
	buf_finish(&e->id);
	buf_finish(&e->rejected);
	free(e);
}

/* ---- into the bus ---- */

static void stamped(void *self, uint64_t tag, struct text id, uint64_t seq)
{
	struct emit *e = self;

	e->unstamped--;
	if (!e->http) {
		if (e->unstamped == 0)
			emit_destroy(e);
		return;
	}
	if (!e->is_batch)
		buf_add(&e->id, id);
	if (e->first_seq == 0 || seq < e->first_seq)
		e->first_seq = seq;
	if (seq > e->last_seq)
		e->last_seq = seq;
}

static void admit(struct emit *e, struct text raw, struct bus_verdict *verdict)
{
	struct bus_emit emit = {
		.raw = raw,
		.from = bus_from(e->web->options.bus, TEXT("http"), e->caller.has_credential),
		.ticket = {.stamped = stamped, .self = e, .tag = e->line},
		.durable = e->durable,
		.once = true,
	};

	emit.from.is_client = true;
	e->unstamped++;
	bus_admit(e->web->options.bus, &emit, verdict);
	if (verdict->answer != BUS_ACCEPTED)
		e->unstamped--;
}

/* ---- answers ---- */

static void answer_one(struct emit *e)
{
	const struct web_doors *doors = &e->web->options.doors;
	struct buf out;

	buf_init(&out, e->id.len * 6 + 1 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_text(&out, "id", buf_text(&e->id));
	put_u64(&out, "seq", e->last_seq);
	put_word(&out, "epoch", journal_epoch(e->web->options.journal));
	put_u64(&out, "clients", doors->clients(doors->self));
	put_end(&out);
	buf_add_char(&out, '\n');
	web_answer(e->http, &out);
	buf_finish(&out);
}

static unsigned batch_status(const struct emit *e)
{
	if (e->full)
		return 507;
	return e->accepted == 0 && e->rejected_count ? 400 : 200;
}

static void answer_batch(struct emit *e)
{
	struct buf out;

	buf_init(&out, e->rejected.len + 1 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", !e->rejected_count);
	put_u64(&out, "accepted", e->accepted);
	put_list(&out, "rejected");
	buf_add(&out, buf_text(&e->rejected));
	put_list_end(&out);
	put_u64(&out, "rejectedCount", e->rejected_count);
	if (e->last_seq) {
		put_u64(&out, "firstSeq", e->first_seq);
		put_u64(&out, "lastSeq", e->last_seq);
	} else {
		put_word(&out, "firstSeq", NULL);
		put_word(&out, "lastSeq", NULL);
	}
	put_word(&out, "epoch", journal_epoch(e->web->options.journal));
	put_end(&out);
	buf_add_char(&out, '\n');
	http_answer(e->http, batch_status(e), "application/json", buf_text(&out), NULL);
	buf_finish(&out);
}

static void answer_refused(struct emit *e, const struct bus_verdict *verdict)
{
	unsigned status = 400;

	if (verdict->answer == BUS_FULL) {
		web_refuse(e->http, 507, verdict->why.words, "Retry-After: 5\r\n");
		return;
	}
	if (verdict->reason == ADMIT_TOO_BIG)
		status = 413;
	else if (verdict->reason == ADMIT_FORBIDDEN)
		status = 403;
	http_refuse(e->http, &(struct http_refusal){status, admit_reason_name(verdict->reason),
	                                            .words = verdict->why.words});
}

static bool disk_is_behind(const struct emit *e)
{
	return journal_is_behind(e->web->options.journal);
}

static bool is_safe(const struct emit *e)
{
	if (e->unstamped)
		return false;
	return e->durable ? e->last_seq <= journal_durable_seq(e->web->options.journal)
	                  : !disk_is_behind(e);
}

static bool is_late(const struct emit *e)
{
	return loop_now_ms(e->web->options.loop) - e->since_ms >= DURABLE_WAIT_MS;
}

/* True when the answer went out, and e with it. */
static bool answer_if_due(struct emit *e)
{
	if (!e->held && is_safe(e)) {
		if (e->is_batch)
			answer_batch(e);
		else
			answer_one(e);
	} else if (is_late(e)) {
		web_refuse(e->http, 503, "not on the disk yet; the same bytes may be sent again",
		           "Retry-After: 5\r\n");
	} else {
		return false;
	}
	e->http = NULL;
	if (e->unstamped == 0)
		emit_destroy(e);
	else
		list_remove(&e->in_web);
	return true;
}

static void wait_in_web(struct emit *e)
{
	e->since_ms = loop_now_ms(e->web->options.loop);
	list_remove(&e->in_web);
	list_add(&e->web->emits, &e->in_web);
	web_tick(e->web);
}

static bool is_too_fast(const struct emit *e)
{
	return account_is_limited(e->account) && account_wait(e->account, clock_mono_ns()) != 0;
}

static void hold_body(struct emit *e)
{
	if (e->held)
		return;
	e->held = true;
	e->web->options.accounts->counts.held += is_too_fast(e);
	http_hush(e->http, true);
	wait_in_web(e);
}

static void batch_take(struct emit *e, struct text bytes);
static void batch_end(struct emit *e);

/* First the lines that are here, and when all of them are in, those to come.  True when it
 * goes on. */
static bool release_body(struct emit *e)
{
	struct buf lines = e->later;

	if (e->ended) {
		batch_end(e);
		return true;
	}
	buf_init(&e->later, lines.max);
	batch_take(e, buf_text(&lines));
	buf_finish(&lines);
	if (e->later.len)
		return false;
	e->held = false;
	list_remove(&e->in_web);
	http_hush(e->http, false);
	return true;
}

static void reassure(struct emit *e)
{
	uint64_t now = loop_now_ms(e->web->options.loop);

	if (now - e->told_ms < REASSURE_MS)
		return;
	e->told_ms = now;
	http_reassure(e->http);
}

bool api_emit_turn(struct web *web)
{
	bool moved = false;

	list_each(&web->emits, l) {
		struct emit *e = list_of(l, struct emit, in_web);

		if (e->held)
			reassure(e);
		if (e->held && is_too_fast(e))
			e->since_ms = loop_now_ms(web->options.loop); /* its own doing */
		else if (e->held && !disk_is_behind(e))
			moved = release_body(e) || moved;
		else
			moved = answer_if_due(e) || moved;
	}
	/* An answer may be due now, or have let the next request of its connection begin. */
	return moved && !list_is_empty(&web->emits);
}

static void owe_answer(struct emit *e)
{
	e->held = false;
	wait_in_web(e);
}

/* ---- bodies ---- */

static void one_piece(void *self, struct http *http, struct text bytes)
{
	struct emit *e = self;

	buf_add(&e->input, bytes);
}

static void one_whole(void *self, struct http *http)
{
	struct emit *e = self;
	struct bus_verdict verdict = {0};

	admit(e, buf_text(&e->input), &verdict);
	buf_finish(&e->input);
	if (verdict.answer == BUS_ACCEPTED) {
		owe_answer(e);
		return;
	}
	answer_refused(e, &verdict);
	emit_destroy(e);
}

static void reject(struct emit *e, const char *words)
{
	if (e->rejected_count++ >= REJECTED_SHOWN)
		return;
	put_object(&e->rejected, NULL);
	put_u64(&e->rejected, "line", e->line);
	put_word(&e->rejected, "error", words);
	buf_add_char(&e->rejected, '}');
}

static void batch_line(struct emit *e, struct text line)
{
	struct bus_verdict verdict = {0};

	e->line++;
	if (text_trim(line).len == 0)
		return;
	if (account_is_limited(e->account))
		account_charge(e->account, clock_mono_ns());
	admit(e, line, &verdict);
	if (verdict.answer == BUS_ACCEPTED) {
		e->accepted++;
		return;
	}
	e->full = e->full || verdict.answer == BUS_FULL;
	reject(e, verdict.why.words);
}

/* A line that began in an earlier piece is joined; any other is read where it
 * stands. */
static void batch_end_line(struct emit *e, struct text line)
{
	if (e->skipping) {
		e->skipping = false;
	} else if (e->input.len == 0) {
		batch_line(e, line);
	} else if (buf_add(&e->input, line)) {
		batch_line(e, buf_text(&e->input));
	} else {
		e->line++;
		reject(e, "the line is too long");
	}
	buf_clear(&e->input);
}

static void batch_read(struct emit *e, struct text bytes)
{
	int at;

	while ((at = text_find(bytes, '\n')) >= 0) {
		if (is_too_fast(e)) {
			buf_add(&e->later, bytes);
			return;
		}
		batch_end_line(e, (struct text){bytes.at, (size_t)at});
		bytes = (struct text){bytes.at + at + 1, bytes.len - (size_t)at - 1};
	}
	if (e->skipping || bytes.len == 0 || buf_add(&e->input, bytes))
		return;
	buf_clear(&e->input);
	e->skipping = true;
	e->line++;
	reject(e, "the line is too long");
}

/* A line has its time and counts as unfinished; those before it do not. */
static void batch_take(struct emit *e, struct text bytes)
{
	bool ends_one = text_find(bytes, '\n') >= 0;

	batch_read(e, bytes);
	http_used(e->http, e->input.len + e->later.len, ends_one);
}

static void batch_piece(void *self, struct http *http, struct text bytes)
{
	struct emit *e = self;

	batch_take(e, bytes);
	if (e->later.len || disk_is_behind(e))
		hold_body(e);
}

/* A last line without a newline pays like any other. */
static void batch_end(struct emit *e)
{
	if (e->input.len)
		batch_end_line(e, TEXT(""));
	buf_finish(&e->input);
	owe_answer(e);
}

static void batch_whole(void *self, struct http *http)
{
	struct emit *e = self;

	e->ended = true;
	if (e->input.len && is_too_fast(e))
		hold_body(e);
	else
		batch_end(e);
}

static void emitter_left(void *self, struct http *http)
{
	struct emit *e = self;

	e->http = NULL;
	if (e->unstamped == 0)
		emit_destroy(e);
	else
		list_remove(&e->in_web);
}

static bool read_parameter(void *self, struct text name, struct text value, struct error *why)
{
	bool *durable = self;

	if (!text_is(name, "ack"))
		return error_set(why, "there is no such parameter");
	*durable = text_is(value, "durable");
	return *durable || text_is(value, "memory") || error_set(why, "durable or memory");
}

/* A batch pays line by line, as it is read. */
static bool may_begin(struct account *account, bool is_batch, struct http *http)
{
	unsigned wait_ms;

	if (is_batch || !account_is_limited(account))
		return true;
	wait_ms = account_ask(account, clock_mono_ns());
	if (wait_ms)
		web_refuse_haste(http, wait_ms);
	else
		account_charge(account, clock_mono_ns());
	return wait_ms == 0;
}

static void begin_emit(struct call *call, struct account *account, bool is_batch, bool durable)
{
	static const struct http_handler one = {one_piece, one_whole, NULL, emitter_left};
	static const struct http_handler batch = {batch_piece, batch_whole, NULL, emitter_left};
	const struct config_limits *limits = &call->web->options.config->limits;
	struct emit *e = must_zero(1, sizeof(*e));

	e->web = call->web;
	e->http = call->http;
	e->caller = call->caller;
	e->account = account;
	e->told_ms = loop_now_ms(call->web->options.loop);
	e->durable = durable;
	e->is_batch = is_batch;
	list_init(&e->in_web);
	buf_init(&e->input, is_batch ? limits->message : limits->body);
	buf_init(&e->later, limits->batch);
	buf_init(&e->id, limits->body);
	buf_init(&e->rejected, REJECTED_SHOWN * 2 * KIB);
	if (is_batch)
		http_accept(call->http, limits->batch, &batch, e);
	else
		http_accept(call->http, limits->body, &one, e);
}

void api_emit(struct call *call)
{
	bool is_batch = routes_type(http_field(call->http, "Content-Type")) == ROUTE_NDJSON;
	bool durable = true;
	struct account *account;
	struct error why;

	if (!http_query_each(http_request(call->http)->query, read_parameter, &durable, &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		return;
	}
	account = account_open(call->web->options.accounts, &call->caller, clock_mono_ns());
	if (may_begin(account, is_batch, call->http))
		begin_emit(call, account, is_batch, durable);
	else
		account_close(account);
}
