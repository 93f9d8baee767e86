/* moment.h - what a signal says about the session that it is of; pure.
 *
 * The well-known types say most of it.  A hook of Claude Code says more by its name, which is
 * in the metadata, and so do the signals that tell of sessions alone:
 *
 *	session.facts  what is known of it: project, model, whether it is busy
 *	session.turn   its turn is over, and nothing else said so
 *	session.gone   it ended without a word; the box says so
 *	session.title  a person renamed it; likewise
 */
#ifndef CREW_MOMENT_H
#define CREW_MOMENT_H

#include "crew/standing.h"
#include "signal/session.h"
#include "signal/signal.h"

/* A signal, as far as sessions are concerned.  Texts live as long as the signal. */
struct crew_heard {
	struct standing_news news;
	struct text agent;   /* whose doing it is; empty: not told */
	struct text part;    /* a subagent's id; empty: it is none's */
	struct text parent;  /* the call that began that subagent, or empty */
	struct text spawner; /* the conversation that began this one, by its key; or empty */
	struct text task;    /* what was asked: the words of a task_dispatch */
	struct text from;    /* by whom */
	struct text hook;    /* the hook of Claude Code, or empty */
	bool is_agents;      /* such a signal makes a session of a run that is none yet */
	bool is_interrupted; /* by a person, in the middle of its turn */
	bool is_left;        /* its process went on with another session */
	bool ends_part;      /* that subagent is done */
	bool ends_task;      /* its run was one task, which is over; a conversation goes on */
	yyjson_val *payload, *metadata;
	struct session_said session;
};

/* The signal was read to a document, by signal_read(). */
void moment_read(struct crew_heard *out, const struct signal *s);

/* What a tool works on, in one line: its file, command or address.  Empty: it does not say. */
struct text moment_target(yyjson_val *input);

#endif
