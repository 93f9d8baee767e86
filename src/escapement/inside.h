/* inside.h - a client of the run dialect: a screen, or an agent; for this room alone.
 *
 * Screens that have seen the present share the frames of their stream (streams.h).  One that
 * has not reads them from the memory of run/runs.h by their place.  Where they are no longer
 * there, a screen of one session has them made again from the journal, and one of all sessions
 * is told of a gap.  One that is too slow for what comes gets pieces of messages joined.
 */
#ifndef ESCAPEMENT_INSIDE_H
#define ESCAPEMENT_INSIDE_H

#include "base/list.h"
#include "escapement/escapement.h"
#include "escapement/streams.h"
#include "hub/dialogue.h"
#include "run/delta.h"
#include "run/frame.h"

struct escapement_agent;
struct prompt;
struct run_replay;

struct escapement {
	struct escapement_options options;
	struct link screens, agents; /* run_view.in_room */
	struct streams streams;
	unsigned seeking; /* screens whose number is not known yet */
};

struct run_view {
	struct client *client;
	struct link in_room; /* escapement.screens or .agents */
	char *session;       /* NULL: all of them, under one counter */
	struct json_reader reader;

	/* of a screen */
	struct run_stream *stream;
	struct link in_stream;     /* run_stream.screens */
	uint64_t at;               /* the place of its next frame */
	uint64_t number;           /* of the newest event that it was given */
	bool has_number;           /* it was given one, or said which it has */
	struct run_replay *replay; /* while it is given older ones */
	struct coalesce joined;
	bool is_seeking;      /* its number is not known yet, and may be ... */
	uint64_t seek_by;     /* ... until so much of the journal is folded */
	bool is_live;         /* it has seen the present */
	bool is_behind;       /* it did not take all there was */
	bool is_finished;     /* it knows that the run is */
	bool owed_prompts;    /* not all open ones were told */
	uint64_t told_prompt; /* the seq of the newest that was */

	/* of an agent */
	struct escapement_agent *agent;
};

static inline struct escapement *escapement_of(const struct run_view *view)
{
	return client_of_dialect(view->client);
}

/* What a query wants. */
struct run_wish {
	struct buf session; /* empty: all */
	uint64_t since;
	bool has_since, is_agent;
};
bool run_wish_read(struct run_wish *wish, const struct http *http, struct error *why);
void run_wish_finish(struct run_wish *wish);

void run_say(struct client *client, const char *words); /* a frame */

/* ---- run_screen.c ---- */

void run_screen_begin(struct run_view *view, const struct run_wish *wish);
void run_screen_seek(struct run_view *view, uint64_t since);
void run_screen_end(struct run_view *view);
/* Gives it what there is and fits. */
enum pump run_screen_pump(struct run_view *view, size_t *budget);
void run_screen_prompt(struct run_view *view, const struct prompt *prompt);
void run_screen_ask_again(struct run_view *view, const struct prompt *prompt);

/* ---- run_back.c ---- */

void run_hear_screen(struct run_view *view, const struct frame *frame);

/* ---- run_agent.c ---- */

bool run_agent_begin(struct run_view *view, bool has_credential);
void run_agent_end(struct run_view *view);
void run_agent_hear(struct run_view *view, struct text frame);

#endif
