/* native.c - our own dialect: one JSON object a text frame, both ways.
 *
 * An emit is the hot path, so it is guessed at: what does not begin with an `op` is
 * taken for a bare envelope, and the signal of an emit for the rest of the
 * message.  Admission parses either once; when it says that the guess was wrong,
 * the members are looked at one by one.
 */
#include "native/native.h"

#include <stdlib.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "base/scan.h"
#include "hub/acks.h"
#include "hub/encoding.h"
#include "hub/hub.h"
#include "hub/query.h"
#include "journal/journal.h"
#include "native/inside.h"
#include "net/account.h"

#define NATIVE_SAY_MAX (4 * KIB)
#define HELLO_USUAL 512 /* most are shorter; the others grow */

/* --- saying ----------------------------------------------------------------- */

void native_say(struct client *c, struct buf *words)
{
	client_say_frame(c, WS_OP_TEXT, buf_text(words));
	buf_finish(words);
}

void native_say_error(struct client *c, const char *code, const char *message, struct text ref)
{
	struct buf out;

	buf_init(&out, NATIVE_SAY_MAX);
	put_object(&out, NULL);
	put_word(&out, "op", "error");
	put_word(&out, "code", code);
	put_word(&out, "message", message);
	if (ref.len) {
		put_json(&out, "ref", ref);
	}
	buf_add_char(&out, '}');
	native_say(c, &out);
}

void native_acknowledge(struct client *c, struct text ref)
{
	struct buf out;

	buf_init(&out, NATIVE_SAY_MAX);
	put_object(&out, NULL);
	put_word(&out, "op", "ack");
	if (ref.len) {
		put_json(&out, "ref", ref);
	}
	put_u64(&out, "at", clock_wall_ms());
	put_u64(&out, "head", journal_last_seq(client_options(c)->journal));
	put_end(&out);
	native_say(c, &out);
}

/* For each of thousands that wait for the disk, so it is written where it lies. */
static void acked(struct client *c, struct text ref, uint64_t seq)
{
	char body[128];
	struct buf text = {.at = body, .room = sizeof(body), .max = sizeof(body)};

	buf_add(&text, TEXT("{\"op\":\"ack\",\"ref\":"));
	buf_add(&text, ref);
	buf_add(&text, TEXT(",\"seq\":"));
	buf_add_u64(&text, seq);
	buf_add_char(&text, '}');
	client_say_frame(c, WS_OP_TEXT, buf_text(&text));
}

static void native_tell_gap(struct client *c, const struct gap *gap)
{
	struct buf out;

	buf_init(&out, NATIVE_SAY_MAX);
	put_object(&out, NULL);
	put_word(&out, "op", "gap");
	put_u64(&out, "from", gap->from);
	put_u64(&out, "to", gap->to);
	put_word(&out, "why", gap->why);
	put_end(&out);
	native_say(c, &out);
}

static void add_scopes(struct buf *out, unsigned scopes)
{
	const char *comma = "";

	for (unsigned bit = 1; bit <= SCOPE_ADMIN; bit <<= 1) {
		if (!(scopes & bit))
			continue;
		buf_print(out, "%s\"%s\"", comma, scope_name(bit));
		comma = ",";
	}
}

static void welcome(struct client *c, const struct http *http)
{
	const struct hub_options *o = client_options(c);
	struct buf out;

	buf_init(&out, NATIVE_SAY_MAX);
	buf_reserve(&out, HELLO_USUAL);
	put_object(&out, NULL);
	put_word(&out, "op", "hello");
	put_word(&out, "epoch", journal_epoch(o->journal));
	put_u64(&out, "seq", journal_last_seq(o->journal));
	put_object(&out, "server");
	put_word(&out, "name", "signalbox");
	put_word(&out, "version", SIGNALBOX_VERSION);
	put_end(&out);
	put_list(&out, "scopes");
	add_scopes(&out, c->scopes);
	put_list_end(&out);
	put_object(&out, "limits");
	put_u64(&out, "message", o->ws.message_max);
	put_u64(&out, "fragments", o->ws.fragments_max);
	put_u64(&out, "behind", o->behind_max);
	put_i64(&out, "acks", ACKS_MAX);
	put_i64(&out, "ref", ACK_REF_MAX);
	put_end(&out);
	put_end(&out);
	native_say(c, &out);
}

/* --- emitting ---------------------------------------------------------------- */

/* A ref is echoed as it was written: a JSON string or number that is short. */
static bool ref_is_good(struct text ref)
{
	yyjson_doc *doc;
	yyjson_val *root;
	bool good;

	if (ref.len == 0 || ref.len > ACK_REF_MAX)
		return false;
	if (ref.at[0] >= '1' && ref.at[0] <= '9') {
		size_t i = 1;

		while (i < ref.len && ref.at[i] >= '0' && ref.at[i] <= '9')
			i++;
		if (i == ref.len)
			return true;
	}
	doc = yyjson_read(ref.at, ref.len, 0);
	root = yyjson_doc_get_root(doc);
	good = yyjson_is_str(root) || yyjson_is_num(root);
	yyjson_doc_free(doc);
	return good;
}

static const char *refusal_code(const struct bus_verdict *v)
{
	if (v->answer == BUS_FULL)
		return "unavailable";
	if (v->reason == ADMIT_TOO_BIG)
		return "too_big";
	return v->reason == ADMIT_FORBIDDEN ? "forbidden" : "invalid";
}

static void say_too_fast(struct client *c, unsigned wait_ms, struct text ref)
{
	struct buf out;

	buf_init(&out, NATIVE_SAY_MAX);
	put_object(&out, NULL);
	put_word(&out, "op", "error");
	put_word(&out, "code", "too_fast");
	put_word(&out, "message", "more signals a second than limits.rate allows");
	put_u64(&out, "wait", wait_ms);
	if (ref.len) {
		put_json(&out, "ref", ref);
	}
	buf_add_char(&out, '}');
	native_say(c, &out);
}

static void charge(struct client *c)
{
	if (c->account && account_is_limited(c->account))
		account_charge(c->account, clock_mono_ns());
}

/* False when it was a guess and the guess was wrong, which costs nothing. */
static bool emit(struct client *c, struct emission *e)
{
	struct bus_verdict verdict;
	unsigned wait_ms;

	if (!(c->scopes & SCOPE_EMIT)) {
		native_say_error(c, "forbidden", "emit needs the scope emit", e->ref);
		return true;
	}
	if (account_is_limited(c->account) &&
	    (wait_ms = account_ask(c->account, clock_mono_ns())) != 0) {
		say_too_fast(c, wait_ms, e->ref);
		return true;
	}
	e->once = true;
	if (client_emit(c, e, &verdict)) {
		charge(c);
		return true;
	}
	if (e->guess && verdict.answer == BUS_REFUSED &&
	    (verdict.reason == ADMIT_NOT_JSON || verdict.reason == ADMIT_NO_ENVELOPE))
		return false;
	charge(c);
	native_say_error(c, refusal_code(&verdict), verdict.why.words, e->ref);
	return true;
}

/* --- hearing ------------------------------------------------------------------ */

static void hear_parsed(struct client *c, struct text message, struct text ref)
{
	yyjson_doc *doc = yyjson_read(message.at, message.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	const char *op = yyjson_get_str(yyjson_obj_get(root, "op"));

	if (!yyjson_is_obj(root))
		native_say_error(c, "invalid", "not a JSON object", ref);
	else if (!op && !(c->scopes & SCOPE_EMIT))
		native_say_error(c, "forbidden", "emit needs the scope emit", ref);
	else if (!op)
		native_say_error(c, "invalid", "op must be a string", ref);
	else if (strcmp(op, "emit") == 0)
		native_say_error(c, "invalid", "emit takes signal, ref and ack, each once", ref);
	else if (strcmp(op, "subscribe") == 0)
		native_subscribe(c, root, ref);
	else if (strcmp(op, "ping") == 0)
		native_acknowledge(c, ref);
	else if (!native_hear_back(c, root, ref))
		native_say_error(c, "invalid", "unknown op", ref);
	yyjson_doc_free(doc);
}

struct heard {
	struct text op, ref, signal, ack;
	bool has_other; /* an unknown member, or a known one twice */
	bool is_object;
};

static struct text *place_of(struct heard *h, struct text key)
{
	if (text_is(key, "op"))
		return &h->op;
	if (text_is(key, "ref"))
		return &h->ref;
	if (text_is(key, "signal"))
		return &h->signal;
	return text_is(key, "ack") ? &h->ack : NULL;
}

static void note(struct heard *h, struct text key, struct text value)
{
	struct text *place = place_of(h, key);

	if (!place || place->len)
		h->has_other = true;
	if (place)
		*place = value;
}

static struct heard look_at_message(struct text message)
{
	struct heard h = {0};
	struct text key, value;
	struct scan scan;

	scan_object(&scan, message);
	while (scan_member(&scan, &key, &value))
		note(&h, key, value);
	h.is_object = scan_is_over(&scan);
	return h;
}

#define EMIT_BEGINS "{\"op\":\"emit\""

/* The same for an emit that begins with its op and ends with its signal, without a
 * look into the signal; false when it is not one. */
static bool look_quickly(struct text message, struct heard *h)
{
	struct text key, value;
	struct scan scan;

	*h = (struct heard){0};
	if (!text_starts(message, TEXT(EMIT_BEGINS)))
		return false;
	scan = (struct scan){message.at + strlen(EMIT_BEGINS), message.at + message.len};
	while (scan_key(&scan, &key)) {
		if (text_is(key, "signal")) {
			h->signal = scan_rest(&scan);
			return h->signal.len && !h->op.len && !h->has_other;
		}
		if (!scan_value(&scan, &value))
			return false;
		note(h, key, value);
	}
	return false;
}

static bool hear_emit(struct client *c, const struct heard *h, bool guess)
{
	struct emission e = {.raw = h->signal, .ref = h->ref, .durable = true, .guess = guess};

	if (text_is(h->ack, "\"memory\"")) {
		e.durable = false;
	} else if (h->ack.len && !text_is(h->ack, "\"durable\"")) {
		native_say_error(c, "invalid", "ack must be \"durable\" or \"memory\"", h->ref);
		return true;
	}
	if (h->signal.len)
		return emit(c, &e);
	native_say_error(c, "invalid", "emit needs a signal", h->ref);
	return true;
}

static void hear_slowly(struct client *c, struct text message)
{
	struct heard h = look_at_message(message);

	if (h.ref.len && !ref_is_good(h.ref))
		native_say_error(c, "invalid", "ref must be a short string or number", TEXT(""));
	else if (h.is_object && text_is(h.op, "\"emit\"") && !h.has_other)
		hear_emit(c, &h, false);
	else
		hear_parsed(c, message, h.ref);
}

static void hear_operation(struct client *c, struct text message)
{
	struct emission bare = {.raw = message, .guess = true, .envelope_only = true};
	struct heard h;

	if (text_starts(message, TEXT("{\"op\":"))) {
		if (look_quickly(message, &h) && (!h.ref.len || ref_is_good(h.ref)) &&
		    hear_emit(c, &h, true))
			return;
	} else if ((c->scopes & SCOPE_EMIT) &&
	           !(client_emit_wait(c) && look_at_message(message).op.len) && emit(c, &bare)) {
		return;
	}
	hear_slowly(c, message);
}

/* ---- what it remembers ---- */

struct native *native_create(const struct native_options *options)
{
	struct native *native = must_zero(1, sizeof(*native));

	native->options = *options;
	list_init(&native->views);
	list_init(&native->followers);
	buf_init(&native->look, NATIVE_STAGE_MAX);
	return native;
}

void native_destroy(struct native *native)
{
	if (!native)
		return;
	buf_finish(&native->look);
	free(native);
}

/* What it was too slow for, and is not any more. */
static enum pump pump(struct client *c, size_t *budget)
{
	struct native_view *view = client_has_view(c);

	(void)budget;
	if (view->owed_sources)
		native_say_sources(view);
	if (c->state != CLIENT_CLOSING && view->owed_stage)
		native_say_stage(view);
	if (c->state != CLIENT_CLOSING && view->owed_prompts)
		native_say_prompts(view);
	if (c->state != CLIENT_CLOSING && view->owed_crew)
		native_say_crew(view);
	if (c->state != CLIENT_CLOSING && view->owed_matters)
		native_say_matters(view);
	return PUMP_IDLE;
}

static void leave(struct client *c)
{
	struct native_view *view = client_has_view(c);

	native_leave_stage(view);
	native_leave_crew(view);
	list_remove(&view->in_all);
}

static void news(void *of, const struct news *news)
{
	switch (news->kind) {
	case NEWS_PROMPT:
		native_tell_prompt(of, news->prompt);
		break;
	case NEWS_SOURCES:
		native_tell_sources(of, news);
		break;
	case NEWS_COMMAND:
		native_tell_command(of, news);
		break;
	case NEWS_STAGE:
		native_tell_stage(of);
		break;
	case NEWS_CREW:
		native_tell_crew(of, news);
		break;
	case NEWS_MATTERS:
		native_tell_matters(of, news);
		break;
	case NEWS_RUNS:
		break;
	}
}

const struct dialect dialect_native = {
	.name = "native",
	.path = "/ws",
	.pins = hub_pins,
	.encoding = &encoding_frame,
	.is_websocket = true,
	.needs = SCOPE_OBSERVE | SCOPE_EMIT | SCOPE_ANSWER | SCOPE_CONTROL,
	.view = sizeof(struct native_view),
	.check = hub_query_check_none,
	.welcome = welcome,
	.hear = hear_operation,
	.tell_gap = native_tell_gap,
	.acked = acked,
	.beat = client_ping,
	.farewell = client_go_away,
	.pump = pump,
	.leave = leave,
	.news = news,
	.end_turn = native_end_turn,
};
