/* opencode_call.c - requests to a server of opencode whose answers somebody waits for.
 *
 * Each has its end: an answer, or none.  A server that has a password is let in with it by
 * basic authentication, as the user `opencode`.
 */
#include <assert.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/request.h"
#include "net/work.h"
#include "parse/fault.h"
#include "source/known.h"
#include "source/opencode/opencode_parts.h"

#define CONNECT_MS 5000
#define ANSWER_MS 20000
#define BODY_MAX (4 * MIB)
#define ROUTE_MAX (16 * KIB)
#define READ_AT_ONCE (64 * KIB) /* a longer answer is read on a thread */
#define USER "opencode:"

char *opencode_header(const struct opencode_line *o)
{
	const char *password = source_credential(o->source);
	size_t len = password ? strlen(USER) + strlen(password) : 0;
	char *pair, *coded, *header;

	if (!password)
		return NULL;
	pair = must_print(USER "%s", password);
	coded = must_zero(1, 4 * (len / 3 + 1) + 1);
	EVP_EncodeBlock((unsigned char *)coded, (const unsigned char *)pair, (int)len);
	header = must_print("Authorization: Basic %s", coded);
	explicit_bzero(pair, len);
	explicit_bzero(coded, strlen(coded));
	free(pair);
	free(coded);
	return header;
}

/* ---- routes ---- */

static bool is_unreserved(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '-' || c == '_' || c == '.' || c == '/';
}

static void add_escaped(struct buf *out, struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (is_unreserved(t.at[i]))
			buf_add_char(out, t.at[i]);
		else
			buf_print(out, "%%%02X", (unsigned char)t.at[i]);
}

/* NULL: it is too long. */
static char *route_of(const struct opencode_asked *asked)
{
	struct buf route;
	char *whole;

	buf_init(&route, ROUTE_MAX);
	buf_add(&route, text_of(asked->route));
	if (asked->directory.len) {
		buf_add(&route,
		        strchr(asked->route, '?') ? TEXT("&directory=") : TEXT("?directory="));
		add_escaped(&route, asked->directory);
	}
	whole = route.full ? NULL : text_dup(buf_text(&route));
	buf_finish(&route);
	return whole;
}

/* ---- answers ---- */

static void free_call(struct opencode_call *call)
{
	list_remove(&call->in_line);
	assert(call->line->call_count > 0);
	call->line->call_count--;
	buf_finish(&call->body);
	free(call->what);
	free(call);
}

static void call_got_head(void *self, const struct request_head *head)
{
	((struct opencode_call *)self)->status = head->status;
}

static void call_got_body(void *self, struct text bytes)
{
	buf_add(&((struct opencode_call *)self)->body, bytes);
}

/* Takes doc; whoever is told may keep it. */
static void end_call(struct opencode_call *call, yyjson_doc *doc)
{
	struct opencode_line *o = call->line;

	fault_hide(call->why, source_credential(o->source));
	call->doc = &doc;
	call->take(o, call, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
	free_call(call);
}

static void end_read(struct opencode_call *call, yyjson_doc *doc)
{
	if (!doc)
		snprintf(call->why, sizeof(call->why), "its answer is no JSON");
	end_call(call, doc);
}

/* ---- long answers ---- */

/* On its way from text to document; nothing else knows it meanwhile. */
struct opencode_reading {
	struct opencode_call *call; /* for the loop alone */
	struct buf body;
	yyjson_doc *doc;
};

static void run_reading(void *self)
{
	struct opencode_reading *r = self;

	r->doc = yyjson_read(r->body.at, r->body.len, 0);
}

static void reading_is_done(void *self)
{
	struct opencode_reading *r = self;
	yyjson_doc *doc = r->doc;

	r->doc = NULL;
	r->call->work = NULL;
	end_read(r->call, doc);
}

static void drop_reading(void *self)
{
	struct opencode_reading *r = self;

	yyjson_doc_free(r->doc);
	buf_finish(&r->body);
	free(r);
}

static void start_reading(struct opencode_call *call)
{
	struct opencode_reading *r = must_zero(1, sizeof(*r));

	r->call = call;
	r->body = call->body;
	buf_init(&call->body, BODY_MAX);
	call->work = work_start(source_loop(call->line->source),
	                        &(struct work_plan){r, run_reading, reading_is_done, drop_reading});
}

/* An answer without a body is `true`. */
static void call_is_done(void *self, const char *why)
{
	struct opencode_call *call = self;
	struct fault fault;

	call->request = NULL;
	if (fault_tells(call->status, why)) {
		fault_read(&fault, call->status, buf_text(&call->body));
		snprintf(call->why, sizeof(call->why), "%.250s", fault.words);
		end_call(call, NULL);
	} else if (why) {
		snprintf(call->why, sizeof(call->why), "%.250s", why);
		end_call(call, NULL);
	} else if (!call->body.len) {
		end_call(call, yyjson_read("true", 4, 0));
	} else if (call->body.len <= READ_AT_ONCE) {
		end_read(call, yyjson_read(call->body.at, call->body.len, 0));
	} else {
		start_reading(call);
	}
}

/* ---- asking ---- */

static bool start_call(struct opencode_call *call, const struct opencode_asked *asked)
{
	struct opencode_line *o = call->line;
	char *route = route_of(asked), *key = opencode_header(o);
	const char *headers[] = {"Accept: application/json", "Content-Type: application/json", key,
	                         NULL};
	struct request_options options = {
		.url = o->url,
		.route = route,
		.method = asked->method,
		.headers = headers,
		.body = asked->body,
		.connect_ms = CONNECT_MS,
		.total_ms = ANSWER_MS,
		.body_max = BODY_MAX,
		.self = call,
		.head = call_got_head,
		.heard = call_got_body,
		.done = call_is_done,
	};

	if (route)
		call->request = request_start(source_requests(o->source), &options, NULL);
	if (key)
		explicit_bzero(key, strlen(key));
	free(key);
	free(route);
	return call->request != NULL;
}

bool opencode_call(struct opencode_line *o, const struct opencode_asked *asked)
{
	struct opencode_call *call;

	if (o->is_over || o->call_count >= OPENCODE_CALLS_MAX)
		return false;
	call = must_zero(1, sizeof(*call));
	call->line = o;
	call->take = asked->take;
	call->token = asked->token;
	call->what = asked->what.len ? text_dup(asked->what) : NULL;
	buf_init(&call->body, BODY_MAX);
	list_add(&o->calls, &call->in_line);
	o->call_count++;
	if (start_call(call, asked))
		return true;
	free_call(call);
	return false;
}

void opencode_drop_calls(struct opencode_line *o)
{
	while (!list_is_empty(&o->calls)) {
		struct opencode_call *call = list_of(o->calls.next, struct opencode_call, in_line);

		request_cancel(call->request);
		if (call->work)
			work_leave(call->work);
		snprintf(call->why, sizeof(call->why), "the connection was lost");
		call->take(o, call, NULL);
		free_call(call);
	}
}
