/* api_tap.c - Claude Code: what its hooks say, and our hooks in its settings.
 *
 * A hook is answered at once and from memory: an agent waits for it.  The answer is
 * an empty object, which decides nothing.  Hooks count as signals of a producer of their
 * own, so that whatever else comes from the same program takes nothing of their share.
 * Settings are files, and a disk may take
 * its time, so their answer is owed; whoever leaves before it comes is forgotten.
 */
#include <stdlib.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/must.h"
#include "config/config.h"
#include "net/account.h"
#include "net/work.h"
#include "web/inside.h"

/* ---- POST /api/hooks/claude-code ---- */

struct hook_post {
	struct web *web;
	struct buf payload;
	bool is_sure; /* who sends it may decide for others, too */
};

static void hook_piece(void *self, struct http *http, struct text bytes)
{
	struct hook_post *hook = self;

	buf_add(&hook->payload, bytes);
}

static bool pass(struct hook_post *hook, struct error *why)
{
	const struct web_tap *tap = &hook->web->options.tap;
	bool good = tap->hook(tap->self, buf_text(&hook->payload), hook->is_sure, why);

	buf_finish(&hook->payload);
	free(hook);
	return good;
}

static void hook_whole(void *self, struct http *http)
{
	struct error why;

	if (pass(self, &why))
		http_answer(http, 200, "application/json", TEXT("{}"), NULL);
	else
		web_refuse(http, 400, why.words, NULL);
}

/* It left, or its payload was too big: that counts. */
static void hook_gone(void *self, struct http *http)
{
	struct hook_post *hook = self;

	buf_clear(&hook->payload);
	pass(hook, NULL);
}

bool api_hook_may_come(const struct call *call)
{
	const struct caller *caller = &call->caller;
	char name[ACCOUNT_KEY_MAX];
	struct account *account;
	unsigned wait_ms;

	snprintf(name, sizeof(name), "hooks %llx %s", (unsigned long long)caller->which,
	         caller->name);
	account = account_open_named(call->web->options.accounts, name, clock_mono_ns());
	wait_ms = account_ask(account, clock_mono_ns());
	if (wait_ms)
		web_refuse_haste(call->http, wait_ms);
	else
		account_charge(account, clock_mono_ns());
	account_close(account);
	return wait_ms == 0;
}

void api_hook(struct call *call)
{
	static const struct http_handler handler = {
		.piece = hook_piece, .whole = hook_whole, .gone = hook_gone};
	size_t max = call->web->options.config->limits.body;
	struct hook_post *hook;

	if (!api_hook_may_come(call))
		return;
	hook = must_zero(1, sizeof(*hook));
	hook->web = call->web;
	hook->is_sure = call->caller.scopes & SCOPE_CONTROL;
	buf_init(&hook->payload, max);
	http_accept(call->http, max, &handler, hook);
}

/* ---- /api/tap ---- */

#define WISH_MAX (16 * KIB) /* {"project": the longest path, ...} */

struct tap_owed {
	struct web *web;
	struct http *http;
	enum web_tap_verb verb;
	struct buf body;
	struct buf project; /* empty: the user's settings */
	struct buf tag;     /* empty: of no change that was shown */
	bool approves;
	void *ask; /* NULL: the request is not whole yet */
};

static void free_owed(struct tap_owed *o)
{
	buf_finish(&o->body);
	buf_finish(&o->project);
	buf_finish(&o->tag);
	free(o);
}

/* A file that cannot be understood or may not be touched is no fault of ours. */
static void answered(void *of, struct text json, const struct error *why)
{
	struct tap_owed *o = of;

	if (why)
		web_refuse(o->http, 409, why->words, NULL);
	else
		http_answer(o->http, 200, "application/json", json, NULL);
	free_owed(o);
}

/* A member of the body; none is fine. */
static bool read_text(yyjson_val *value, struct buf *out)
{
	return !value ||
	       (yyjson_is_str(value) &&
	        buf_add(out, (struct text){yyjson_get_str(value), yyjson_get_len(value)}));
}

/* Nothing, or {"project"?: DIR, "approve"?: true, "tag"?: TAG}. */
static bool read_body(struct tap_owed *o, struct error *why)
{
	yyjson_doc *doc = yyjson_read(o->body.at, o->body.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	yyjson_val *dir = yyjson_obj_get(root, "project");
	yyjson_val *tag = yyjson_obj_get(root, "tag");
	yyjson_val *approves = yyjson_obj_get(root, "approve");
	size_t known = (dir ? 1 : 0) + (tag ? 1 : 0) + (approves ? 1 : 0);
	bool good = text_trim(buf_text(&o->body)).len == 0 ||
	            (yyjson_is_obj(root) && yyjson_obj_size(root) == known &&
	             (!approves || yyjson_is_bool(approves)) && read_text(dir, &o->project) &&
	             read_text(tag, &o->tag));

	o->approves |= yyjson_is_true(approves);
	yyjson_doc_free(doc);
	return good || error_set(why, "the body is empty, or {\"project\": DIR, \"approve\": true, "
	                              "\"tag\": TAG}");
}

/* A status may be asked for with what would change: ?preview=connect&approve=true. */
static bool read_parameter(void *self, struct text name, struct text value, struct error *why)
{
	struct tap_owed *o = self;

	if (text_is(name, "project"))
		return buf_add(&o->project, value) || error_set(why, "too long");
	if (o->verb == WEB_TAP_CONNECT || o->verb == WEB_TAP_DISCONNECT)
		return error_set(why, "there is no such parameter");
	if (text_is(name, "approve")) {
		o->approves = text_is(value, "true");
		return o->approves || text_is(value, "false") || error_set(why, "true or false");
	}
	if (!text_is(name, "preview"))
		return error_set(why, "there is no such parameter");
	o->verb = text_is(value, "connect") ? WEB_TAP_PREVIEW_CONNECT : WEB_TAP_PREVIEW_DISCONNECT;
	return o->verb == WEB_TAP_PREVIEW_CONNECT || text_is(value, "disconnect") ||
	       error_set(why, "connect or disconnect");
}

static bool check_project(struct tap_owed *o, struct error *why)
{
	struct text dir = buf_text(&o->project);

	if (dir.len == 0)
		return true;
	if (dir.at[0] != '/' || memchr(dir.at, '\0', dir.len) || !buf_add_char(&o->project, '\0'))
		return error_set(why, "a project is the absolute path of a directory");
	return true;
}

static void wish_piece(void *self, struct http *http, struct text bytes)
{
	struct tap_owed *o = self;

	buf_add(&o->body, bytes);
}

static void wish_whole(void *self, struct http *http)
{
	struct tap_owed *o = self;
	struct web_tap_ask ask = {.verb = o->verb, .answered = answered, .of = o};
	struct error why;

	if (!read_body(o, &why) || !check_project(o, &why)) {
		web_refuse(http, 400, why.words, NULL);
		free_owed(o);
		return;
	}
	ask.project = o->project.len ? o->project.at : NULL;
	ask.approves = o->approves;
	ask.tag = o->tag.len && buf_add_char(&o->tag, '\0') ? o->tag.at : NULL;
	o->ask = web_ask_tap(o->web, &ask);
}

static void wish_gone(void *self, struct http *http)
{
	struct tap_owed *o = self;

	if (o->ask)
		work_leave(o->ask);
	free_owed(o);
}

static void wish(struct call *call, enum web_tap_verb verb)
{
	static const struct http_handler handler = {
		.piece = wish_piece, .whole = wish_whole, .gone = wish_gone};
	struct error why;
	struct tap_owed *o;

	o = must_zero(1, sizeof(*o));
	o->web = call->web;
	o->http = call->http;
	o->verb = verb;
	buf_init(&o->body, WISH_MAX);
	buf_init(&o->project, WISH_MAX);
	buf_init(&o->tag, WISH_MAX);
	if (!http_query_each(http_request(call->http)->query, read_parameter, o, &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		free_owed(o);
		return;
	}
	http_accept(call->http, WISH_MAX, &handler, o);
}

void api_tap_connect(struct call *call)
{
	wish(call, WEB_TAP_CONNECT);
}

void api_tap_disconnect(struct call *call)
{
	wish(call, WEB_TAP_DISCONNECT);
}

void api_tap_status(struct call *call)
{
	wish(call, WEB_TAP_STATUS);
}
