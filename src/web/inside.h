/* inside.h - what the files of this room share, and nobody else. */
#ifndef WEB_INSIDE_H
#define WEB_INSIDE_H

#include "net/http.h"
#include "web/api.h"
#include "web/guard.h"
#include "web/phone.h"
#include "web/routes.h"
#include "web/session.h"
#include "web/throttle.h"
#include "web/verdict.h"
#include "web/web.h"

struct web {
	struct web_options options;
	struct http_limits limits;
	struct guard guard;
	struct credentials *credentials;
	struct passes *passes;
	struct devices *devices;
	struct phone phone;
	struct throttle throttle;
	struct listen *const *listens;
	size_t listen_count;
	char **guest_headers; /* the common headers for each of guard.guests */
	struct link visits;   /* visit.in_web */
	struct link emits;    /* emit.in_web: answers owed when they are durable */
	struct link searches; /* history.in_web */
	unsigned search_count;
	struct link transcripts; /* transcript.in_web */
	unsigned transcript_count;
	struct link late;                 /* late.in_web: what waits for the runs */
	unsigned late_count, usage_count; /* the other: long answers of what agents spent */
	struct link changes;              /* show_change.in_web: of the show, in their order */
	struct show_change *change;       /* the one under way */
	unsigned change_count;            /* those that are read and those that wait too */
	struct turn turn;
	struct deadline tick; /* wakes the turn while an answer has to wait */
	uint64_t started_ns;
	bool is_draining;
};

/* One connection while it speaks HTTP. */
struct visit {
	struct web *web;
	struct http_site site;
	struct http *http;
	struct conn *conn;
	struct listen *listen;
	struct peer peer;
	bool peer_asked;
	bool is_welcome;    /* the page that wants this upgrade, by its listener */
	unsigned open;      /* scopes that our own user has for it */
	struct link in_web; /* web.visits */
};

/* One request, as its route sees it: valid during the call. */
struct call {
	struct web *web;
	struct http *http;
	struct visit *visit;
	struct caller caller;
	struct text body;       /* if the route has it gathered */
	struct route_part part; /* what stands for the `*` of its path */
	bool is_late;           /* it waited: see web_has_runs */
};

/* In the one shape of http_refuse(); extra header lines may be NULL. */
void web_refuse(struct http *http, unsigned status, const char *words, const char *extra);
void web_answer_preflight(struct http *http);
void web_answer(struct http *http, const struct buf *json);
void web_answer_object(struct call *call, struct buf *out); /* closes it first; takes it */
/* 429 with the time after which it may come. */
void web_refuse_haste(struct http *http, unsigned wait_ms);
/* Counts and records a wrong credential.  0: it is answered; else seconds to wait. */
unsigned web_count_wrong(struct web *web);
/* Wrong credentials: 401, or 429 when there were too many. */
void web_refuse_credential(struct web *web, struct http *http, const char *words);
/* ---- api_crew.c ---- */

/* The run that a person means: a session's handle stands for its newest one. */
struct text web_run_of(const struct call *call, struct text name);

/* Soon, at the end of a turn, look at what waits. */
void web_tick(struct web *web);

/* Our hooks in Claude Code's settings: answered() is called once, later, unless it is left
 * (net/work.h) before. */
void *web_ask_tap(struct web *web, const struct web_tap_ask *ask);

/* ---- api_tap.c ---- */
/* False: one too many for its producer, and that was answered. */
bool api_hook_may_come(const struct call *call);

/* ---- identity.c ---- */

/* Finds out who asks.  False: the credential was wrong, and that was answered. */
bool identity_find(struct visit *visit, struct caller *caller);
bool identity_is_unix(const struct visit *visit);

/* An upgrade for the dialect that its listener is for may come from a page that the listener names,
 * or, if that dialect is harmless, from any page of this machine. */
bool identity_welcomes(struct visit *visit);

/* Which user of this machine is there, or another value for none of them. */
int64_t identity_user(struct visit *visit);
/* A page of this machine is in a browser of our own user.  Of another machine it came
 * through TLS. */
bool identity_may_have_session(struct visit *visit);

/* ---- api_session.c ---- */

struct session_keys web_session_keys(const struct web *web);

#endif
