/* event.h - what happens in a run, in words of our own; pure.
 *
 * The state of a run (fold.h) and its words (said.h) are made of these events, and of
 * nothing else.  There are two ways to them: hear.h has what a signal means, and
 * event_of_frame() what a frame of the run dialect means, for whoever has only frames.
 * What a dialect shows of a run is written from them too (translate.h), and is not
 * read again.
 *
 * An event lives as long as what it was read from.
 */
#ifndef RUN_EVENT_H
#define RUN_EVENT_H

#include <yyjson.h>

#include "base/text.h"
#include "run/frame.h"

enum run_event_kind {
	RUN_UNREAD,   /* nothing is known of it: it changes nothing */
	RUN_NOTED,    /* something else happened */
	RUN_TOLD,     /* somebody gave it work, or a message: text, from, task */
	RUN_BEGAN,    /* an invocation begins: model */
	RUN_CALLED,   /* its model is asked */
	RUN_SAID,     /* a piece of what it says: text, is_thought, pieces, output_tokens */
	RUN_REPLIED,  /* a reply is whole: text or blocks, call, tokens, elapsed_ms, tps */
	RUN_RETURNED, /* a tool is done: tool, output, has_failed */
	RUN_FAILED,   /* an error: text */
	RUN_LEFT,     /* an invocation ends: has_failed */
	RUN_ASKED,    /* a person is asked */
	RUN_ANSWERED, /* and has answered ... */
	RUN_CLOSED,   /* ... or will not */
	RUN_SETTLED,  /* what the agent made of it */
	RUN_STARTED,  /* the run itself: session, chart */
	RUN_MOVED,    /* it is in another state: config */
	RUN_PHASE,    /* and what is around that: config, breadcrumb, siblings */
	RUN_DEBUG,    /* it is stepped through, or no longer: debug, config */
	RUN_ENDED,    /* the run: config or text, the state it ended in */
};

/* How a dialect writes it. */
enum run_event_form {
	RUN_MADE,   /* by its kind, from the signal that it was read from */
	RUN_NAMED,  /* that signal's type and payload, as they are */
	RUN_FRAMED, /* the frame that its agent sent, as it is */
};

/* Names of states: an array of JSON, or `count` texts. */
struct run_states {
	yyjson_val *array;
	const struct text *texts;
	size_t count;
};

#define RUN_AGENT_STATES 6 /* that an agent_state_change knows, in their order */
extern const struct text run_agent_states[RUN_AGENT_STATES];

struct run_debug {
	bool is_paused;
	uint64_t step_budget;
	struct text mode; /* a NULL pointer: none */
};

struct run_event {
	enum run_event_kind kind;
	enum run_event_form form;
	bool is_counted; /* it is one of the run's events, not a frame about them */
	bool is_thought, has_failed, begins; /* the last: a piece that begins another message */
	bool has_call, is_note;              /* a reply: it calls a tool; nobody said its text */
	bool has_usage;                      /* the model said its tokens */
	double ts;                           /* 0: not known */
	struct text invoke, session;         /* whose it is; empty: nobody's */
	struct text part, parent; /* a subagent's id, and the call that began it; empty: none */
	struct text from, task;   /* who told it, and what that work is called */
	struct text model;        /* empty: not said */
	struct text text;
	uint64_t pieces; /* that this one was joined of; 0: it was not */
	uint64_t input_tokens, output_tokens;
	double elapsed_ms, tps;
	struct text tool, call;     /* a tool's name; the id of its call */
	yyjson_val *input, *output; /* of a tool, or NULL */
	yyjson_val *blocks;         /* what a reply says and calls, as the model gave it, or NULL */
	struct run_states config, breadcrumb, siblings;
	struct text config_json; /* of a phase that a signal brings: as it is written */
	struct text chart;
	struct run_debug debug;
};

/* One after the other: an array from outside may be long, and is not indexed quickly. */
struct run_states_walk {
	const struct run_states *states;
	yyjson_arr_iter array;
	size_t next;
};

static inline struct run_states_walk run_states_walk(const struct run_states *states)
{
	return (struct run_states_walk){states, yyjson_arr_iter_with(states->array), 0};
}

/* A NULL pointer in it: that one is no text.  False: there are no more. */
static inline bool run_states_next(struct run_states_walk *walk, struct text *name)
{
	const struct run_states *states = walk->states;

	if (walk->next >= states->count)
		return false;
	*name = states->array ? json_text(yyjson_arr_iter_next(&walk->array))
	                      : states->texts[walk->next];
	walk->next++;
	return true;
}

/* The one mapping of frames. */
void event_of_frame(struct run_event *event, const struct frame *frame);

/* An event by the name that the run dialect has for it. */
void event_of_name(struct run_event *event, struct text name, yyjson_val *data);

#endif
