/* opencode.h - one connection to a server of opencode, for its own files.
 *
 *   opencode.c       the line: the stream of events, trust, loss
 *   opencode_call.c  requests whose answers are waited for
 *   opencode_sync.c  what is made up for at each connection: sessions, messages, permissions
 *   opencode_back.c  asks, stops, and answers to what it wants to be allowed
 */
#ifndef SOURCE_OPENCODE_H
#define SOURCE_OPENCODE_H

#include <yyjson.h>

#include "base/list.h"
#include "base/map.h"
#include "net/loop.h"
#include "parse/opencode_events.h"
#include "parse/sse.h"
#include "signal/json.h"
#include "source/source.h"
#include "source/transport.h"

#define OPENCODE_PORT 4096
#define OPENCODE_EVENT_MAX (4 * MIB)
#define OPENCODE_CALLS_MAX 64
#define OPENCODE_STEPS_MAX 512
#define OPENCODE_ASKED_MAX 128 /* permissions that were heard of */

struct parse;
struct request;

/* Something that it wants to be allowed. */
struct opencode_permission {
	char id[OPENCODE_ID_MAX + 1], session[OPENCODE_ID_MAX + 1];
	char sent[16];  /* what was answered here; or empty */
	bool is_listed; /* on this connection, or heard */
};

/* What outlives a connection: source_memory(). */
struct opencode_memory {
	struct source *source;
	struct parse *parse; /* it knows what was told */
	bool was_live;       /* there was a server, and nobody said that it is gone */
	int64_t lost_at_ms;  /* 0: no connection was lost */
	struct opencode_permission asked[OPENCODE_ASKED_MAX];
	size_t asked_count; /* ever; the newest are kept */
	struct map names;   /* that people gave to sessions which were begun for them: ids */
};

struct opencode_line {
	struct source *source;
	struct opencode_memory *memory;
	char *url; /* without a slash at the end */
	struct request *stream;
	struct sse_reader sse;
	struct json_reader reader;
	int status; /* of the stream */
	struct buf fault;
	bool is_over, is_live, is_synced;

	struct link calls; /* opencode_call.in_line */
	unsigned call_count;
	struct link steps; /* of what is made up for */
	unsigned step_count;
	struct map states;   /* of sessions: busy or idle, as the stream said, or else the routes */
	struct link pending; /* asks that have no session yet */
	unsigned pending_count;
};

/* A request of ours.  answer: NULL when there is none; why says so. */
struct opencode_call {
	struct opencode_line *line;
	struct request *request;
	struct link in_line; /* opencode_line.calls */
	struct buf body;
	int status;
	char *what; /* it is about; or NULL */
	uint64_t token;
	char why[256];
	void (*take)(struct opencode_line *o, const struct opencode_call *call, yyjson_val *answer);
};

struct opencode_asked {
	const char *method;    /* NULL: GET, or POST with a body */
	const char *route;     /* with its slash; a `?` has its query */
	struct text directory; /* of the project; empty: where the server was started */
	struct text body, what;
	uint64_t token;
	void (*take)(struct opencode_line *o, const struct opencode_call *call, yyjson_val *answer);
};

/* ---- opencode.c ---- */
void opencode_feed(struct opencode_memory *m, struct text event); /* to the parser */

/* ---- opencode_call.c ---- */
bool opencode_call(struct opencode_line *o, const struct opencode_asked *asked);
void opencode_drop_calls(struct opencode_line *o); /* none will be answered */
char *opencode_header(
	const struct opencode_line *o); /* that lets us in; NULL: none.  To be wiped */

/* ---- opencode_sync.c ---- */
void opencode_sync(struct opencode_line *o); /* the stream has begun */
/* As the event that it would have been. */
void opencode_feed_value(struct opencode_line *o, const char *type, const char *key,
                         yyjson_val *value);
void opencode_stop_sync(struct opencode_line *o);
void opencode_hear_state(struct opencode_line *o, struct text session, bool is_busy);

/* ---- opencode_back.c ---- */
bool opencode_is_name(struct text id); /* that may stand in a route */
void opencode_hear(struct opencode_line *o, struct text type, yyjson_val *properties);
struct opencode_permission *opencode_note_permission(struct opencode_memory *m, yyjson_val *asked);
bool opencode_ask(void *self, const struct back_ask *ask, struct error *why);
bool opencode_can(void *self, struct text run, struct text op);
enum back_answer opencode_cancel(void *self, const struct back_control *control, struct error *why);
bool opencode_reply(void *self, const struct back_outcome *reply, struct error *why);
void opencode_end_runs(struct opencode_memory *m, const char *why); /* each in an error */
void opencode_drop_pending(struct opencode_line *o, const char *why);
void opencode_drop_names(struct opencode_memory *m);

#endif
