/* source.h - every producer that we connect to, and what became of it.
 *
 * Many at once.  LOCAL ones are found on this machine and have fixed ids and
 * colours; REMOTE ones are added by people or the configuration.  What is written
 * here once: states, retries, counters, the list on the disk.  Every change of
 * state is a signal `source.state` of source `signalbox`, and changed() is called.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include "base/buf.h"
#include "base/error.h"
#include "source/transport.h"

struct sources;

enum source_state {
	SOURCE_DISCONNECTED,
	SOURCE_CONNECTING,
	SOURCE_CONNECTED,
	SOURCE_ERROR,
	SOURCE_UNAVAILABLE, /* found once, and not there now */
	SOURCE_STATES,
};
const char *source_state_name(enum source_state state);

struct sources_options {
	struct loop *loop;
	struct bus *bus;
	const char *data;    /* DATA: sources.json, and credentials with mode 0600 */
	unsigned silence_ms; /* an answer may be silent for so long; 0: 5 minutes */
	void *self;
	/* A source changed: json is it, as in GET /api/sources.  removed: only its id is. */
	void (*changed)(void *self, struct text id, struct text json, bool removed);
};

struct sources *sources_create(const struct sources_options *options, struct error *why);
void sources_destroy(struct sources *sources);

/* What people may say of a source.  Texts are copied; an empty one says nothing. */
struct source_wish {
	struct text id;       /* empty: one is made */
	struct text name;     /* empty: source-XXXX */
	struct text url;      /* needed */
	struct text protocol; /* empty: detected, and an http(s) one is probed */
	struct text credential, model;
	bool is_local, connect;
	bool is_configured; /* of the configuration file: not written to the disk */
};

struct source *sources_add(struct sources *sources, const struct source_wish *wish,
                           struct error *why);
struct source *sources_find(const struct sources *sources, struct text id);
bool sources_remove(struct sources *sources, struct text id, struct error *why);
bool sources_change(struct sources *sources, struct text id, const struct source_wish *wish,
                    struct error *why);
bool sources_connect(struct sources *sources, struct text id, struct error *why);
bool sources_disconnect(struct sources *sources, struct text id, struct error *why);

/* A message as the producer wants it, to one that listens. */
bool sources_send(struct sources *sources, struct text id, struct text message, struct error *why);

/* run gets the new run's id: 36 characters.  It ends in one completion or error. */
#define RUN_ID_LEN 36
bool sources_ask(struct sources *sources, struct text id, const struct ask *ask,
                 char run[RUN_ID_LEN], struct error *why);
bool sources_cancel(struct sources *sources, struct text run);

void sources_json(const struct sources *sources, struct buf *out); /* an array of all */
void source_json(const struct source *source, struct buf *out);

/* Which protocol a URL speaks: midi, openclaw, websocket, anthropic, else sse. */
const char *source_detect(struct text url);

#endif
