/* web.c - what happens to every request, in this order: the guard, the caller,
 * the route, its scope, its body, its function. */
#include "web/web.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "config/config.h"
#include "net/listen.h"
#include "net/url.h"
#include "web/files.h"
#include "web/inside.h"
#include "web/late.h"

#define TICK_MS DEADLINE_TICK_MS

/* Nothing may run, frame, sniff or remember what we send, but our own page; and of a machine's
 * devices even that gets the microphone alone. */
#define HEADERS \
	"Content-Security-Policy: default-src 'none'; script-src 'self'; connect-src 'self'; " \
	"img-src 'self' data:; style-src 'self'; manifest-src 'self'; worker-src 'self'; " \
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n" \
	"X-Content-Type-Options: nosniff\r\n" \
	"Referrer-Policy: no-referrer\r\n" \
	"Permissions-Policy: camera=(), display-capture=(), geolocation=(), microphone=(self), " \
	"usb=(), serial=(), hid=(), midi=()\r\n" \
	"Cross-Origin-Opener-Policy: same-origin\r\n" \
	"Cross-Origin-Resource-Policy: same-origin\r\n"

static const char common_headers[] = HEADERS "Cache-Control: no-store\r\n";
static const char file_headers[] = HEADERS "Cache-Control: no-cache\r\n";
static const char hashed_file_headers[] =
	HEADERS "Cache-Control: public, max-age=31536000, immutable\r\n";

/* ---- one request ---- */

/* A body gathered for a route that wants it whole. */
struct gathering {
	struct call call;
	const struct route *route;
	struct buf body;
};

static void gather_piece(void *self, struct http *http, struct text bytes)
{
	struct gathering *g = self;

	buf_add(&g->body, bytes);
}

static void gather_gone(void *self, struct http *http)
{
	struct gathering *g = self;

	buf_finish(&g->body);
	free(g);
}

static void gather_whole(void *self, struct http *http)
{
	struct gathering *g = self;

	g->call.body = buf_text(&g->body);
	if (g->route->types & ROUTE_NOTHING && !routes_is_nothing(g->call.body))
		web_refuse(http, 400, ROUTES_NOTHING, NULL);
	else
		g->route->answer(&g->call);
	gather_gone(g, http);
}

static void gather(const struct route *route, const struct call *call)
{
	static const struct http_handler handler = {
		.piece = gather_piece,
		.whole = gather_whole,
		.gone = gather_gone,
	};
	struct gathering *g = must_zero(1, sizeof(*g));

	g->call = *call;
	g->route = route;
	buf_init(&g->body, route->body_max);
	http_accept(call->http, route->body_max, &handler, g);
}

static void refuse_scope(const struct call *call)
{
	if (call->caller.has_credential)
		web_refuse(call->http, 403, "this credential does not allow that", NULL);
	else
		web_refuse(call->http, 401, "a token is needed for that",
		           "WWW-Authenticate: Bearer\r\n");
}

static bool is_encoded(const struct http *http)
{
	struct text encoding = http_field(http, "Content-Encoding");

	return encoding.len && !text_equal_nocase(encoding, TEXT("identity"));
}

/* True: the body is one that the route reads.  Else that was answered. */
static bool takes_body(const struct route *route, const struct call *call)
{
	unsigned type = routes_type(http_field(call->http, "Content-Type"));

	if (!http_request(call->http)->has_body)
		return true;
	if (!route->types)
		web_refuse(call->http, 400, "this route takes no body", NULL);
	else if (is_encoded(call->http))
		web_refuse(call->http, 415, "compressed bodies are not supported",
		           "Accept-Encoding: identity\r\n");
	else if (route->types & type)
		return true;
	else
		web_refuse(call->http, 415,
		           route->types & ROUTE_NDJSON
		                   ? "Content-Type must be application/json or application/x-ndjson"
		                   : "Content-Type must be application/json",
		           NULL);
	return false;
}

static bool know_no_parameter(void *self, struct text name, struct text value, struct error *why)
{
	return error_set(why, "there is no such parameter");
}

/* True: whatever the query says is known, or the route looks at it.  Else that was answered. */
static bool takes_query(const struct route *route, const struct call *call)
{
	struct error why;

	if (route->has_query ||
	    http_query_each(http_request(call->http)->query, know_no_parameter, NULL, &why))
		return true;
	web_refuse(call->http, 400, why.words, NULL);
	return false;
}

static void follow_route(const struct route *route, struct call *call)
{
	if (!caller_may(&call->caller, route->scope))
		refuse_scope(call);
	else if (!takes_query(route, call) || !takes_body(route, call))
		return;
	else if (route->body_max)
		gather(route, call);
	else
		route->answer(call);
}

static void refuse_method(struct http *http, struct text allow)
{
	char extra[128];

	snprintf(extra, sizeof(extra), "Allow: %.*s\r\n", TEXT_ARG(allow));
	web_refuse(http, 405, "this path does not support that method", extra);
}

/* What is not in our table and no file may be a dialect's, which may let in somebody whom we do
 * not know.  Who is not let in is not told which paths there are. */
static void try_doors(struct call *call)
{
	const struct web_doors *doors = &call->web->options.doors;

	if (doors->join(doors->self, call->http, &call->caller))
		return;
	if (call->caller.scopes == 0)
		refuse_scope(call);
	else
		web_refuse(call->http, 404, "there is nothing at this path", NULL);
}

static void serve_file(struct visit *visit, const struct web_file *file)
{
	struct text method = http_request(visit->http)->method;

	if (!text_is(method, "GET") && !text_is(method, "HEAD")) {
		refuse_method(visit->http, TEXT("GET, HEAD"));
		return;
	}
	if (http_request(visit->http)->has_body) {
		web_refuse(visit->http, 400, "this route takes no body", NULL);
		return;
	}
	visit->site.common = file->never_changes ? hashed_file_headers : file_headers;
	files_answer(file, visit->http);
}

static void dispatch(struct visit *visit, struct call *call)
{
	const struct http_request *request = http_request(call->http);
	const struct web_file *file = files_find(request->path);
	const struct route *route;
	struct buf allow;

	if (request->wants_upgrade) {
		try_doors(call);
		return;
	}
	if (call->web->options.doors.page(call->web->options.doors.self, call->http))
		return;
	buf_init(&allow, 100);
	route = routes_find(request->method, request->path, &call->part, &allow);
	if (route)
		follow_route(route, call);
	else if (allow.len)
		refuse_method(call->http, buf_text(&allow));
	else if (file)
		serve_file(visit, file);
	else
		try_doors(call);
	buf_finish(&allow);
}

static struct text field_if_sent(const struct http *http, const char *name)
{
	struct text value = http_field(http, name);

	if (http_has_field(http, name) && !value.at)
		return TEXT("");
	return value;
}

static bool only_reads(const struct http_request *request)
{
	return !request->wants_upgrade &&
	       (text_is(request->method, "GET") || text_is(request->method, "HEAD") ||
	        text_is(request->method, "OPTIONS"));
}

/* Of where devices come in: the address, as a browser writes it in a Host. */
static struct text find_here(const struct visit *visit, char here[CONN_HERE_MAX])
{
	struct text words;

	if (!phone_is_at(visit->web, visit->listen) || !conn_here(visit->conn, here))
		return (struct text){0};
	words = text_of(here);
	if (listen_port(visit->listen) == URL_HTTPS_PORT)
		words.len -= strlen(":443");
	return words;
}

static bool let_in(struct visit *visit)
{
	struct http *http = visit->http;
	char here[CONN_HERE_MAX];
	struct guard_view view = {
		.host = field_if_sent(http, "Host"),
		.origin = field_if_sent(http, "Origin"),
		.site = field_if_sent(http, "Sec-Fetch-Site"),
		.here = find_here(visit, here),
		.is_unix = identity_is_unix(visit),
		.is_secure = listen_is_secure(visit->listen),
		.changes = !only_reads(http_request(http)),
		.is_welcome = identity_welcomes(visit),
	};
	enum guard_answer answer = guard_check(&visit->web->guard, &view);
	int guest = guard_guest(&visit->web->guard, view.origin);

	if (answer != GUARD_PASSES) {
		web_refuse(http, answer == GUARD_WRONG_HOST ? 421 : 403, guard_words(answer), NULL);
		return false;
	}
	if (guest >= 0)
		visit->site.common = visit->web->guest_headers[guest];
	return true;
}

/* A browser asks on behalf of a guest's page whether it may ask. */
static bool is_preflight(const struct visit *visit)
{
	return text_is(http_request(visit->http)->method, "OPTIONS") &&
	       http_has_field(visit->http, "Access-Control-Request-Method") &&
	       visit->site.common != common_headers;
}

static void begin_request(void *self, struct http *http)
{
	struct visit *visit = self;
	const struct http_request *request = http_request(http);
	struct call call = {.web = visit->web, .http = http, .visit = visit};

	/* Never the query: it may hold a ticket or a token. */
	log_debug("web", "%.*s %.*s", TEXT_ARG(request->method), TEXT_ARG(request->path));
	visit->site.common = common_headers;
	if (!let_in(visit))
		return;
	if (is_preflight(visit))
		web_answer_preflight(http);
	else if (identity_find(visit, &call.caller))
		dispatch(visit, &call);
}

/* ---- connections ---- */

static void over(void *self, struct http *http)
{
	struct visit *visit = self;

	list_remove(&visit->in_web);
	free(visit);
}

void web_accepted(struct web *web, struct listen *listen, int fd)
{
	struct conn *conn = conn_create(web->options.loop, fd, NULL, NULL);
	const struct web_doors *doors = &web->options.doors;
	struct visit *visit;

	listen_keep(listen, conn);
	if (doors->take && doors->take(doors->self, conn))
		return;
	visit = must_zero(1, sizeof(*visit));
	visit->web = web;
	visit->conn = conn;
	visit->listen = listen;
	visit->site = (struct http_site){
		.self = visit,
		.limits = &web->limits,
		.common = common_headers,
		.begin = begin_request,
		.over = over,
	};
	list_add(&web->visits, &visit->in_web);
	visit->http = http_serve(conn, &visit->site);
}

void web_drain(struct web *web)
{
	web->is_draining = true;
	web_late_turn(web, true);
	list_each(&web->visits, l)
		http_drain(list_of(l, struct visit, in_web)->http);
}

bool web_is_idle(const struct web *web)
{
	return list_is_empty(&web->visits);
}

/* ---- the room ---- */

static bool end_turn(struct turn *turn)
{
	struct web *web = list_of(turn, struct web, turn);
	bool more = api_emit_turn(web);

	more = api_runs_turn(web) || more;
	return api_history_turn(web) || more;
}

static void on_tick(struct deadline *deadline)
{
	struct web *web = list_of(deadline, struct web, tick);

	if (!list_is_empty(&web->emits) || !list_is_empty(&web->searches) ||
	    !list_is_empty(&web->transcripts) || !list_is_empty(&web->late))
		deadline_set(web->options.loop, deadline, TICK_MS);
}

void web_tick(struct web *web)
{
	deadline_set(web->options.loop, &web->tick, TICK_MS);
}

static void know_listen(struct web *web, const struct listen *listen)
{
	unsigned port = listen_port(listen), usual = listen_is_secure(listen) ? URL_HTTPS_PORT : 80;
	char *local = must_print("localhost:%u", port);

	if (!listen_is_unix(listen))
		guard_add_address(&web->guard,
		                  listen_is_any(listen) ? local : listen_address(listen), port,
		                  usual);
	free(local);
}

static void forget_names(struct web *web)
{
	/* An answer that is under way may have a guest's headers. */
	list_each(&web->visits, l)
		list_of(l, struct visit, in_web)->site.common = common_headers;
	for (size_t i = 0; i < web->guard.guests.count; i++)
		free(web->guest_headers[i]);
	free(web->guest_headers);
	guard_finish(&web->guard);
}

static void know_names(struct web *web)
{
	const struct config_auth *auth = &web->options.config->auth;

	guard_init(&web->guard);
	for (size_t i = 0; i < web->listen_count; i++)
		know_listen(web, web->listens[i]);
	for (size_t i = 0; i < auth->host_count; i++)
		guard_add_host(&web->guard, auth->hosts[i]);
	for (size_t i = 0; i < auth->origin_count; i++)
		guard_add_guest(&web->guard, auth->origins[i]);
	web->guest_headers = must_zero(web->guard.guests.count, sizeof(char *));
	for (size_t i = 0; i < web->guard.guests.count; i++)
		web->guest_headers[i] =
			must_print("%sAccess-Control-Allow-Origin: %s\r\n"
		                   "Access-Control-Expose-Headers: ETag, Retry-After, Allow\r\n"
		                   "Vary: Origin\r\n",
		                   common_headers, web->guard.guests.all[i]);
}

static void set_limits(struct web *web, const struct config_limits *limits)
{
	web->limits = (struct http_limits){
		.head_max = limits->headers,
		.line_max = limits->line,
		.fields_max = limits->fields,
		.head_ms = limits->header_ms,
		.idle_ms = limits->idle_ms,
		.body_ms = limits->body_ms,
		.whole_ms = limits->message_ms,
	};
}

void web_reload(struct web *web, const struct config *config, struct credentials *credentials)
{
	credentials_destroy(web->credentials);
	web->credentials = credentials;
	web->options.config = config;
	set_limits(web, &config->limits);
}

struct web *web_create(const struct web_options *options, struct error *why)
{
	struct credentials *credentials = credentials_load(options->config, why);
	struct devices *devices = credentials ? devices_open(options->config->data, why) : NULL;
	struct web *web;

	if (!devices) {
		credentials_destroy(credentials);
		return NULL;
	}
	web = must_zero(1, sizeof(*web));
	web->options = *options;
	set_limits(web, &options->config->limits);
	web->credentials = credentials;
	web->devices = devices;
	web->passes = passes_create();
	web->phone.unpaired.fire = phone_is_late;
	web->started_ns = clock_mono_ns();
	know_names(web);
	list_init(&web->visits);
	list_init(&web->emits);
	list_init(&web->searches);
	list_init(&web->transcripts);
	list_init(&web->late);
	list_init(&web->changes);
	web->tick.fire = on_tick;
	web->turn.end = end_turn;
	loop_add_turn(options->loop, &web->turn);
	return web;
}

void web_destroy(struct web *web)
{
	if (!web)
		return;
	list_each(&web->visits, l)
		http_end(list_of(l, struct visit, in_web)->http);
	api_show_end(web);
	loop_remove_turn(&web->turn);
	deadline_clear(&web->tick);
	phone_finish(web);
	forget_names(web);
	passes_destroy(web->passes);
	devices_destroy(web->devices);
	credentials_destroy(web->credentials);
	free(web);
}

void web_set_listens(struct web *web, struct listen *const *listens, size_t count)
{
	web->listens = listens;
	web->listen_count = count;
	forget_names(web);
	know_names(web);
}
