/* join.c - from a request to a client. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "hub/inside.h"
#include "hub/query.h"
#include "hub/subscription.h"
#include "net/account.h"
#include "net/http.h"

/* When somebody leaves, nobody knows: often enough not to wait long, and seldom enough not
 * to be a burden. */
#define COME_BACK "Retry-After: 5\r\n"

const char *const hub_pins[] = {"/", "/ws", NULL};

static bool is_pin(const struct dialect *d, struct text path)
{
	for (size_t i = 0; d->pins && d->pins[i]; i++)
		if (text_is(path, d->pins[i]) || strcmp(d->pins[i], "*") == 0)
			return true;
	return false;
}

static const struct spoken *find_pinned(const struct hub *hub, const char *pinned)
{
	for (size_t i = 0; pinned && i < hub->options.dialect_count; i++)
		if (strcmp(hub->spoken[i].dialect->name, pinned) == 0)
			return &hub->spoken[i];
	return NULL;
}

bool hub_is_pin(const struct hub *hub, const struct http *http, const char *pinned, unsigned *open)
{
	const struct http_request *q = http_request(http);
	const struct spoken *spoken = find_pinned(hub, pinned);
	bool is_it = spoken && q->wants_upgrade && is_pin(spoken->dialect, q->path);

	*open = is_it && spoken->dialect->is_open && spoken->dialect->is_open(spoken->of)
	                ? spoken->dialect->needs
	                : 0;
	return is_it;
}

bool hub_show_page(const struct hub *hub, struct http *http, const char *pinned)
{
	const struct http_request *q = http_request(http);
	const struct spoken *spoken = find_pinned(hub, pinned);
	const struct dialect_page *page = spoken ? spoken->dialect->pages : NULL;
	struct buf json;

	if (!page || q->has_body || (!text_is(q->method, "GET") && !text_is(q->method, "HEAD")))
		return false;
	while (page->path && !text_is(q->path, page->path))
		page++;
	if (!page->path)
		return false;
	buf_init(&json, 4 * KIB);
	page->write(&json);
	http_answer(http, 200, "application/json", buf_text(&json), NULL);
	buf_finish(&json);
	return true;
}

/* NULL: the request is for no dialect. */
static const struct spoken *find_dialect(const struct hub *hub, const struct http_request *q,
                                         const char *pinned)
{
	const struct spoken *found = NULL;

	for (size_t i = 0; i < hub->options.dialect_count; i++) {
		const struct dialect *d = hub->spoken[i].dialect;

		if (pinned && q->wants_upgrade && strcmp(d->name, pinned) == 0 &&
		    is_pin(d, q->path))
			return &hub->spoken[i];
		if (text_is(q->path, d->path) || (d->alias && text_is(q->path, d->alias)))
			found = &hub->spoken[i];
	}
	return found;
}

static void refuse(struct http *http, unsigned status, const char *words, const char *extra)
{
	http_refuse(http, &(struct http_refusal){status, .words = words, .extra = extra});
}

/* A request on its way to be a client. */
struct joining {
	struct hub *hub;
	struct http *http;
	const struct spoken *spoken;
	struct caller caller;
};

/* One whose body is being read. */
struct posting {
	struct joining joining;
	struct buf body;
};

static bool hears_at_once(const struct dialect *d, const struct http *http,
                          const struct caller *caller)
{
	struct subscription wish;
	bool hears;

	if (d->check != hub_query_check || !caller_may(caller, SCOPE_OBSERVE))
		return false;
	hears = hub_query_read(&wish, http, NULL) && !(d->is_websocket && wish.sends_only);
	filter_finish(&wish.filter);
	return hears;
}

static bool may_come(struct account *account, const struct dialect *d, struct http *http,
                     const struct caller *caller)
{
	const char *words = NULL;

	if (!account_may_connect(account))
		words = "this credential has as many connections as it may have";
	else if (hears_at_once(d, http, caller) && !account_may_subscribe(account))
		words = "this credential has as many subscriptions as it may have";
	if (words)
		refuse(http, 429, words, COME_BACK);
	return !words;
}

/* Strangers have one account for each place they come from, so that they do not stand in one
 * another's way. */
static struct account *account_open_for(struct hub *hub, struct http *http,
                                        const struct caller *caller)
{
	struct accounts *accounts = hub->options.accounts;
	char from[PEER_NAME_MAX], key[ACCOUNT_KEY_MAX];
	struct peer peer;

	if (caller->scopes)
		return account_open(accounts, caller, clock_mono_ns());
	if (!conn_peer(http_conn(http), &peer))
		peer = (struct peer){0};
	peer_name(&peer, from);
	snprintf(key, sizeof(key), "stranger %s", from);
	return account_open_named(accounts, key, clock_mono_ns());
}

/* body: of a POST; NULL: it is none. */
static void take_request(struct joining *j, struct text head, const struct text *body)
{
	struct hub *hub = j->hub;
	struct http *http = j->http;
	const struct spoken *spoken = j->spoken;
	const struct caller *caller = &j->caller;
	const struct dialect *d = spoken->dialect;
	struct account *account = account_open_for(hub, http, caller);
	struct client *c;

	if (!may_come(account, d, http, caller)) {
		account_close(account);
		return;
	}
	c = client_create(hub, spoken, caller, account);
	/* The head and the greeting go out together, at the end of the turn. */
	c->conn = http_conn(http);
	client_say(c, head);
	if (body)
		d->answer(c, http, *body);
	else
		d->welcome(c, http);
	if (hub->draining)
		d->farewell(c);
	http_hand(http, TEXT(""), &client_conn_user, c);
	if (c->parted)
		return;
	if (c->state == CLIENT_CLOSING) {
		conn_deadline(c->conn, HUB_PART_MS);
		return;
	}
	client_start_beat(c);
	if (account_is_limited(account))
		client_hold(c);
}

static void join_websocket(struct joining *j)
{
	struct http *http = j->http;
	char accept[WS_ACCEPT_LEN + 1], extra[160];
	struct buf head;

	if (!http_request(http)->wants_upgrade) {
		refuse(http, 426, "this is a WebSocket", "Upgrade: websocket\r\n");
		return;
	}
	if (!text_is(http_field(http, "Sec-WebSocket-Version"), "13")) {
		refuse(http, 426, "WebSocket version 13 is spoken here",
		       "Sec-WebSocket-Version: 13\r\n");
		return;
	}
	if (!ws_accept(http_field(http, "Sec-WebSocket-Key"), accept)) {
		refuse(http, 400, "Sec-WebSocket-Key must be 16 bytes in base64", NULL);
		return;
	}
	snprintf(extra, sizeof(extra),
	         "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n",
	         accept);
	buf_init(&head, 4 * KIB);
	http_head(http, &head, 101, extra);
	take_request(j, buf_text(&head), NULL);
	buf_finish(&head);
}

/* ---- event streams ---- */

static void begin_stream(struct joining *j, const struct text *body)
{
	struct buf head;

	buf_init(&head, 4 * KIB);
	http_head(j->http, &head, 200,
	          "Content-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n"
	          "Connection: close\r\n");
	take_request(j, buf_text(&head), body);
	buf_finish(&head);
}

static void posting_free(struct posting *p)
{
	buf_finish(&p->body);
	free(p);
}

static void posting_piece(void *self, struct http *http, struct text bytes)
{
	struct posting *p = self;

	buf_add(&p->body, bytes);
}

static void posting_whole(void *self, struct http *http)
{
	struct posting *p = self;
	struct text body = buf_text(&p->body);

	begin_stream(&p->joining, &body);
	posting_free(p);
}

static void posting_gone(void *self, struct http *http)
{
	posting_free(self);
}

static void join_post(struct joining *j)
{
	static const struct http_handler handler = {
		.piece = posting_piece, .whole = posting_whole, .gone = posting_gone};
	size_t max = j->spoken->dialect->body_max;
	struct posting *p = must_zero(1, sizeof(*p));

	p->joining = *j;
	buf_init(&p->body, max);
	http_accept(j->http, max, &handler, p);
}

static const char *only_words(const struct dialect *d)
{
	if (!d->answer)
		return "only GET is possible here";
	return d->welcome ? "only GET and POST are possible here" : "only POST is possible here";
}

static const char *only_field(const struct dialect *d)
{
	if (!d->answer)
		return "Allow: GET\r\n";
	return d->welcome ? "Allow: GET, POST\r\n" : "Allow: POST\r\n";
}

static void join_stream(struct joining *j)
{
	const struct dialect *d = j->spoken->dialect;
	const struct http_request *q = http_request(j->http);
	bool is_post = text_is(q->method, "POST");

	if (is_post && d->answer)
		join_post(j);
	else if (!text_is(q->method, "GET") || !d->welcome)
		refuse(j->http, 405, only_words(d), only_field(d));
	else if (q->has_body)
		refuse(j->http, 400, "this takes no body", NULL);
	else
		begin_stream(j, NULL);
}

/* Strangers are not told which paths there are, but for those that let them in. */
static bool may_enter(const struct dialect *d, const struct caller *caller)
{
	return caller->scopes || d->stranger_ms;
}

bool hub_join(struct hub *hub, struct http *http, const struct caller *caller, const char *pinned)
{
	struct joining joining = {hub, http, find_dialect(hub, http_request(http), pinned),
	                          *caller};
	const struct dialect *d;
	struct error why;

	if (!joining.spoken || !may_enter(joining.spoken->dialect, caller))
		return false;
	d = joining.spoken->dialect;
	if (d->by_message && !caller->has_credential)
		joining.caller = (struct caller){0};
	if (joining.caller.scopes && !(joining.caller.scopes & d->needs))
		refuse(http, caller->has_credential ? 403 : 401,
		       "this needs a token with its scope",
		       caller->has_credential ? NULL : "WWW-Authenticate: Bearer\r\n");
	else if (d->check && !d->check(http, &why))
		refuse(http, 400, why.words, NULL);
	else if (d->is_websocket)
		join_websocket(&joining);
	else
		join_stream(&joining);
	return true;
}
