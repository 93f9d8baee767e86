/* inside.h - what the files of this room share, and nobody else. */
#ifndef WEB_INSIDE_H
#define WEB_INSIDE_H

#include "net/http.h"
#include "web/guard.h"
#include "web/routes.h"
#include "web/session.h"
#include "web/throttle.h"
#include "web/web.h"

struct web {
	struct web_options options;
	struct http_limits limits;
	struct guard guard;
	struct credentials *credentials;
	struct passes *passes;
	struct throttle throttle;
	const struct listen **listens;
	size_t listen_count;
	char **guest_headers; /* the common headers for each of guard.guests */
	struct link visits;   /* visit.in_web */
	struct link emits;    /* emit.in_web: answers owed when they are durable */
	struct link searches; /* history.in_web */
	unsigned search_count;
	struct turn turn;
	struct deadline tick; /* wakes the turn while an answer has to wait */
	uint64_t started_ns;
};

/* One connection while it speaks HTTP. */
struct visit {
	struct web *web;
	struct http_site site;
	struct http *http;
	struct listen *listen;
	struct peer peer;
	bool peer_asked;
	struct link in_web; /* web.visits */
};

/* One request, as its route sees it: valid during the call. */
struct call {
	struct web *web;
	struct http *http;
	struct caller caller;
	struct text body;       /* if the route has it gathered */
	struct route_part part; /* what stands for the `*` of its path */
};

/* {"ok":false,"error":words}; extra header lines may be NULL. */
void web_refuse(struct http *http, unsigned status, const char *words, const char *extra);
void web_answer(struct http *http, const struct buf *json);
/* Wrong credentials: 401, or 429 when there were too many. */
void web_refuse_credential(struct web *web, struct http *http, const char *words);
/* Soon, at the end of a turn, look at what waits. */
void web_tick(struct web *web);

/* ---- identity.c ---- */

/* Finds out who asks.  False: the credential was wrong, and that was answered. */
bool identity_find(struct visit *visit, struct caller *caller);
bool identity_is_unix(const struct visit *visit);

/* ---- the routes' functions ---- */

void api_emit(struct call *call);
bool api_emit_turn(struct web *web);
void api_history(struct call *call);
bool api_history_turn(struct web *web); /* true: there is more to search */

void api_health(struct call *call);
void api_ready(struct call *call);
void api_status(struct call *call);
void api_version(struct call *call);

void api_ask(struct call *call);
void api_cancel(struct call *call);
void api_send(struct call *call);

void api_sources(struct call *call);
void api_source_add(struct call *call);
void api_source_change(struct call *call);
void api_source_remove(struct call *call);
void api_source_connect(struct call *call);
void api_source_disconnect(struct call *call);

void api_discover(struct call *call);
void api_rescan(struct call *call);
void api_openclaw_token(struct call *call);

void api_hook(struct call *call);
void api_tap_connect(struct call *call);
void api_tap_disconnect(struct call *call);
void api_tap_status(struct call *call);

void api_session(struct call *call);
void api_ticket(struct call *call);
void api_code(struct call *call);
void api_reload(struct call *call);

#endif
