/* opencode.h - one connection to a server of opencode, for its own files.
 *
 *   opencode.c       the line: the stream of events, trust, loss
 *   opencode_call.c  requests whose answers are waited for
 *   opencode_sync.c  what is made up for at each connection: sessions, messages, what it asks
 *   opencode_feed.c  answers of routes, on their way to the parser
 *   opencode_back.c  asks and stops
 *   opencode_permissions.c, opencode_questions.c  what it wants to be allowed and to know
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
#include "source/asking.h"
#include "source/source.h"
#include "source/transport.h"

#define OPENCODE_PORT 4096
#define OPENCODE_EVENT_MAX (4 * MIB)
#define OPENCODE_CALLS_MAX 64
#define OPENCODE_STEPS_MAX 512
#define OPENCODE_ASKED_MAX 128 /* permissions that were heard of */
/* An event, or a part of an answer, that is read: a longer one would hold all else up. */
#define OPENCODE_READ_MAX (1 * MIB)

struct opencode_line;
struct parse;
struct request;
struct work;

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
	struct askings questions;
	struct map names; /* that people gave to sessions which were begun for them: ids */
};

/* Items of an answer that are fed for a moment of each turn. */
struct opencode_slices {
	struct turn turn;
	yyjson_doc *doc; /* NULL: there is none */
	yyjson_arr_iter each;
	size_t left; /* so many items, at most */
	yyjson_val *item;
	bool (*feed)(struct opencode_line *o, yyjson_val *item); /* true: there is more of it */
	void (*done)(struct opencode_line *o);
	yyjson_arr_iter parts; /* of a message that is begun */
	yyjson_val *part;      /* of which there is more; or NULL */
	size_t part_count;
	bool is_begun;
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

	struct link events; /* that wait for their turn: opencode_event.in_line */
	size_t event_bytes;
	struct turn events_turn; /* while there are any */
	bool is_taking;          /* one of them */

	struct link calls; /* opencode_call.in_line */
	unsigned call_count;
	struct link steps; /* of what is made up for */
	unsigned step_count;
	struct opencode_slices slices;
	struct map shown;    /* prompts, while it is looked which there are */
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
	struct work *work; /* it is being read */
	yyjson_doc **doc;  /* of the answer; whoever keeps it puts NULL there */
	int status;
	char *what; /* it is about; or NULL */
	uint64_t token;
	char why[256];
	void (*take)(struct opencode_line *o, const struct opencode_call *call, yyjson_val *answer);
};

#endif
