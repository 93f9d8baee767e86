/* streams.h - events, once for each kind of client that sees them.
 *
 * A stream is for a protocol, what its clients may see and whether they take tools.  It exists
 * while it has clients.  A client that wants runs of the sessions that it follows has one to
 * itself, and so numbers of its own.
 *
 * One that lags keeps its place on the strip; when the strip needs the room, the frames that may
 * not be dropped are copied for it, within gateway.max_buffered.
 */
#ifndef GATEWAY_STREAMS_H
#define GATEWAY_STREAMS_H

#include "base/list.h"
#include "hub/strip.h"
#include "parse/openclaw_wire.h"

struct gateway;
struct gateway_view;

struct gateway_stream {
	unsigned protocol;
	bool sees_runs, sees_tools, is_quiet; /* until events.subscribe */
	bool is_exact;   /* what the journal has is told otherwise: positions.c */
	bool is_private; /* of one client, for the sessions that it follows */
	uint64_t seq;    /* of its newest frame; of protocol 3 all streams share one */
	struct strip strip;
	struct link views;   /* gateway_view.in_stream */
	struct link in_room; /* gateway.streams */
	size_t trim_at;      /* bytes on the strip, with which it is trimmed */
	bool is_awake;       /* all its views are to be served */
};

enum gateway_family {
	GATEWAY_FOR_ALL,
	GATEWAY_FOR_LIVE, /* all but those who count positions: they are told of the signal */
	GATEWAY_OF_RUNS,  /* operator.read; of protocol 3 everybody */
	GATEWAY_OF_TOOLS, /* likewise, and the client takes tools */
};

struct gateway_event {
	enum openclaw_event event;
	enum gateway_family family;
	bool may_drop;       /* for who is slow */
	bool has_versions;   /* of presence and health */
	unsigned protocol;   /* 0: of both */
	struct text session; /* its key, of runs and tools */
	struct text payload;
};

/* For every client that may see it. */
void gateway_broadcast(struct gateway *g, const struct gateway_event *event);
bool gateway_is_heard(const struct gateway *g, unsigned protocol); /* does anybody speak it? */
bool gateway_sees_session(const struct gateway_view *view, struct text key); /* its runs */
size_t gateway_watchers_of(const struct gateway *g, struct text key);        /* who sees these */

void gateway_join_stream(struct gateway_view *view);
void gateway_leave_stream(struct gateway_view *view);
void gateway_end_streams(struct gateway *g); /* those without clients, at the end of a turn */
/* Gives a client what it has not got yet. */
void gateway_pump_stream(struct gateway_view *view);

#endif
