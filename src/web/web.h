/* web.h - every request that comes in: who may it, and who answers it.
 *
 * For each request, static files and upgrades included: the Host and Origin are
 * checked (guard), the caller is found (credentials), the route is looked up in
 * one table, its scope is checked, and its function answers.  Rooms that web may
 * not know are reached through the doors that box.c opens.
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "base/buf.h"
#include "base/error.h"
#include "bus/back.h"
#include "net/caller.h"
#include "web/chat.h"
#include "web/discovery.h"
#include "web/pairing.h"
#include "web/push.h"
#include "web/show.h"
#include "web/tap.h"
#include "web/transcripts.h"
#include "web/voice.h"

struct accounts;
struct bus;
struct config;
struct conn;
struct http;
struct journal;
struct listen;
struct loop;
struct prices;
struct prompts;
struct crew;
struct runs;
struct sources;
struct web;

struct web_doors {
	void *self;
	/* True: the path is a dialect's (/ws, ...), and http is answered or taken. */
	bool (*join)(void *self, struct http *http, const struct caller *caller);
	/* Is it an upgrade for the dialect that its listener is for?  open: scopes that whoever is
	 * our own user needs for it and has thereby; 0: it has none. */
	bool (*pin)(void *self, const struct http *http, unsigned *open);
	bool (*page)(void *self, struct http *http); /* true: such a listener's page, answered */
	bool (*take)(void *self, struct conn *conn); /* true: it is no HTTP, and taken */
	unsigned long (*clients)(void *self);        /* how many hear signals now */
	/* Append `,"name":value` to GET /api/status; lines of signal/metric.h to GET /metrics. */
	void (*status)(void *self, struct buf *out);
	void (*metrics)(void *self, struct buf *out);
	const char *(*trouble)(void *self); /* NULL when ready to serve */
};

/* The stage, which may lag behind the signals. */
struct web_stage {
	void *self;
	bool (*reach)(void *self); /* plays on for a moment; true: all there is */
	uint64_t (*seq)(void *self);
	void (*watch)(void *self, bool watches); /* a request waits for it */
	void (*look)(void *self, struct buf *out);
};

struct web_options {
	struct loop *loop;
	struct bus *bus;
	struct journal *journal;
	struct accounts *accounts;   /* lives as long as web */
	const struct config *config; /* lives as long as web */
	struct web_doors doors;
	struct back back;
	struct runs *runs;
	struct crew *crew;
	struct prompts *prompts;
	struct spending *spending;
	const struct toil *toil;     /* what tools took */
	const struct limits *limits; /* of accounts */
	const struct prices *prices;
	struct sources *sources;
	struct web_discovery discovery;
	struct web_tap tap;
	struct web_show show;
	struct web_stage stage;
	struct web_push push;
	struct web_pairing pairing;
	struct web_transcripts transcripts;
	struct web_chat chat;
	struct web_voice voice;
};

/* Makes DATA/token at the first start; refuses looser modes or another owner. */
struct web *web_create(const struct web_options *options, struct error *why);
void web_destroy(struct web *web);

/* Another configuration, lent: credentials that were read for it, taken, its names, its limits. */
struct credentials;
void web_reload(struct web *web, const struct config *config, struct credentials *credentials);

/* The literals of a Host and our own origin are of these.  Borrowed, until there are others. */
void web_set_listens(struct web *web, struct listen *const *listens, size_t count);

/* We let go of a port: what pages of this life were given is void, lest it be of use to
 * whoever is offered it there. */
void web_renew_sessions(struct web *web);

void web_accepted(struct web *web, struct listen *listen, int fd); /* takes fd */

/* Whose credential is this, that came over a connection after its request?  Counted, recorded and
 * throttled like one of a request; *wait_s goes with CALLER_WAIT. */
enum caller_answer web_find_caller(struct web *web, struct conn *conn, struct text secret,
                                   struct caller *caller, unsigned *wait_s);

/* A single-use code and the URL with it; NULL: nothing listens on TCP.  The caller frees it. */
char *web_open_url(struct web *web);

/* Stop: requests under way are finished, idle connections closed.  True: none is left. */
void web_drain(struct web *web);
bool web_is_idle(const struct web *web);

#endif
