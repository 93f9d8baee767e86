/* source.h - every producer that we connect to, and what became of it.
 *
 * Many at once.  LOCAL ones are found on this machine and have fixed ids and
 * colours; REMOTE ones are added by people or the configuration.  What is written
 * here once: states, retries, counters, the list on the disk.  Every change of
 * state is a signal `source.state` of source `signalbox`, and changed() is called.
 * One that floods does not starve the others: intake.c.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include "base/buf.h"
#include "base/error.h"
#include "source/transport.h"
#include "source/wish.h"

struct sources;

enum source_state {
	SOURCE_DISCONNECTED,
	SOURCE_CONNECTING, /* or waiting to try again: then there is an error too */
	SOURCE_CONNECTED,
	SOURCE_ERROR,       /* given up: somebody has to do something */
	SOURCE_UNAVAILABLE, /* found once, and not there now */
	SOURCE_STATES,
};
const char *source_state_name(enum source_state state);

struct sources_options {
	struct loop *loop;
	struct bus *bus;
	struct accounts *accounts; /* how fast each may be */
	struct requests *requests; /* for transports; may be NULL if none asks */
	const char *data;          /* DATA: sources.json, and credentials with mode 0600 */
	unsigned silence_ms;       /* an answer may be silent for so long; 0: 5 minutes */
	void *self;
	/* At the end of a turn in which some changed.  Both are JSON arrays: of
	 * sources, as in GET /api/sources, and of the ids of those that are gone. */
	void (*changed)(void *self, struct text changed, struct text removed);
	/* Optional: as source_withdrew(), source_decided() and source_asks_again() say. */
	void (*withdrew)(void *self, struct text source, struct text id, const char *why);
	void (*decided)(void *self, struct text source, const struct source_decision *decision);
	void (*asks_again)(void *self, struct text run);
	/* Optional: as source_verdict() and source_called() say. */
	void (*verdict)(void *self, uint64_t ticket, enum back_answer verdict, const char *why);
	void (*called)(void *self, uint64_t ticket, const struct back_verdict *verdict);
	/* Optional: where the source was when the box last ended; empty: not known. */
	struct text (*position)(void *self, struct text source);
	void (*each_run)(void *self, struct text source,
	                 void (*each)(void *of, struct text run, struct text at), void *of);
	/* Optional, of a run: is somebody at work there, and which source is it of? */
	bool (*is_live)(void *self, struct text run);
	struct text (*source_of)(void *self, struct text run);
	/* Optional: as source_each_prompt() says. */
	void (*each_prompt)(void *self, struct text source, void (*each)(void *of, struct text id),
	                    void *of);
};

struct sources *sources_create(const struct sources_options *options, struct error *why);
/* Those of the disk, after those of the configuration, which win. */
void sources_load(struct sources *sources);
void sources_stop(struct sources *sources); /* closes all of them and connects no more */
void sources_destroy(struct sources *sources);

/* A new one.  Its id, if one was made, is that of sources_last(). */
enum back_answer sources_add(struct sources *sources, const struct source_wish *wish,
                             struct error *why);
struct source *sources_last(const struct sources *sources);
struct source *sources_find(const struct sources *sources, struct text id); /* NULL: none */
/* Each in turn: start with NULL; NULL at the end. */
struct source *sources_next(const struct sources *sources, const struct source *after);
/* A new URL forgets the credential, unless one comes with it. */
enum back_answer sources_change(struct sources *sources, struct text id,
                                const struct source_wish *wish, struct error *why);
enum back_answer sources_remove(struct sources *sources, struct text id, struct error *why);
/* One of the configuration, when that is another one. */
void sources_withdraw(struct sources *sources, struct text id);
enum back_answer sources_connect(struct sources *sources, struct text id, struct error *why);
enum back_answer sources_disconnect(struct sources *sources, struct text id, struct error *why);

void sources_json(const struct sources *sources, struct buf *out); /* an array of all */
void sources_protocols_json(struct buf *out); /* an array of what they may speak */
void sources_metrics(const struct sources *sources, struct buf *out); /* by state */
void source_json(const struct source *source, struct buf *out);
bool sources_knows(const struct sources *sources, struct text name); /* as an id or a name */

enum source_state source_state(const struct source *source);
bool source_is_local(const struct source *source);
bool source_takes_asks(const struct source *source);
bool source_works_on(const struct source *source); /* what is asked of it outlives the box */

/* For discovery: is it there now?  One that is connected or connecting is left
 * alone; one that was to be connected when the box stopped is connected. */
void source_set_available(struct source *source, bool is_available);

/* For one that comes to us by itself: does it, and could it? */
void source_set_coming(struct source *source, bool comes, bool is_available);

/* Which protocol a URL speaks, by its looks alone. */
const char *source_detect(struct text url);
const char *source_detect_by_scheme(struct text url); /* of the schemes that several share */

/* What it would be as a source, as `,"name":value` members: protocol, mayBecome, ... */
void sources_recognise(const struct sources *sources, struct text url, struct buf *out);

#endif
