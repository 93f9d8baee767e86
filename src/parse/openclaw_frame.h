/* openclaw_frame.h - one frame of a gateway and the signals that it gives, for the parser's
 * own files.
 */
#ifndef PARSE_OPENCLAW_FRAME_H
#define PARSE_OPENCLAW_FRAME_H

#include "parse/openclaw.h"
#include "parse/openclaw_wire.h"

struct openclaw_frame {
	struct parse *p;
	struct openclaw_parse *gateway;
	struct gateway_run *run;
	enum openclaw_kind kind;
	struct text type, event;
	yyjson_val *root, *payload, *data;
	struct text run_id, agent, channel, label, session;
	const char *giving; /* the type of the signal that is made */
	bool has_metadata;  /* make_metadata() was called */
	bool has_payload;   /* it has the frame's own */
	bool has_given;     /* some signal */
	bool has_due;       /* what is missing in its signals is to be kept, */
	bool has_origin;    /* and one of them has it */
	bool is_stale;      /* what it says was told */
	bool is_again;      /* likewise to screens of the gateway's protocol */
	struct text all;    /* the text that it has; NULL: none */
	size_t fresh;       /* at its end: bytes that its voice had not said */
	bool is_past;       /* perhaps it was told when it happened */
};

/* A delta and all so far, as far as they are given: a missing text has a NULL
 * pointer.  Gives a text_delta. */
struct openclaw_words {
	struct text delta, all;
	bool replaces; /* delta stands for all that was said */
};
void openclaw_frame_say(struct openclaw_frame *f, enum voice voice,
                        const struct openclaw_words *words);
/* Was that text said, so that what was given has it? */
bool openclaw_run_has_said(const struct gateway_run *run, struct text all);
/* What is not yet said of the whole text, when the run ends. */
void openclaw_frame_say_rest(struct openclaw_frame *f, struct text all);
/* Likewise of a message that came while nobody was here: all of it, if it does not go on. */
void openclaw_frame_say_missed(struct openclaw_frame *f, struct text all);

/* Members that all signals share. */
void openclaw_frame_begin(struct openclaw_frame *f, const char *type);
void openclaw_frame_begin_bare(struct openclaw_frame *f,
                               const char *type);       /* none of them in the payload */
void openclaw_frame_metadata(struct openclaw_frame *f); /* before a member of the metadata */
void openclaw_frame_end(struct openclaw_frame *f);
void openclaw_frame_origin(struct openclaw_frame *f); /* openclaw_origin.c; at its end */
/* ---- openclaw_rest.c: a frame that gave no signal gives this one ---- */
#define OPENCLAW_REST "gateway.frame"
bool openclaw_frame_is_rest(const struct openclaw_frame *f);
void openclaw_frame_rest(struct openclaw_frame *f);

/* The one end of a run.  A second gives nothing. */
void openclaw_frame_complete(struct openclaw_frame *f, bool success, struct text why);
void openclaw_frame_fail(struct openclaw_frame *f, struct text message, struct text code);

/* token_usage of what `counts` says; false: it says nothing. */
bool openclaw_frame_usage(struct openclaw_frame *f, yyjson_val *counts);
/* Likewise of what the run has used in all: only what was not told yet. */
void openclaw_frame_usage_so_far(struct openclaw_frame *f, yyjson_val *counts);
/* `event` with all members of the payload and its category. */
void openclaw_frame_event(struct openclaw_frame *f);

/* The first of these names, ended by NULL, that has a value which is not null. */
yyjson_val *openclaw_frame_first(yyjson_val *object, const char *const *names);

/* Presence and health come again and again: is it known?  openclaw_news.c */
bool openclaw_frame_is_stale(struct openclaw_frame *f);

void openclaw_frame_chat(struct openclaw_frame *f);
void openclaw_frame_agent(struct openclaw_frame *f);
void openclaw_frame_start(struct openclaw_frame *f); /* the run's beginning */
struct text openclaw_frame_phase(const struct openclaw_frame *f);
bool openclaw_frame_is_start(struct text phase);
bool openclaw_frame_is_end(struct text phase);

/* The text of a message; NULL pointer: it has none.  Joined if it is in parts. */
struct text openclaw_frame_message_text(struct openclaw_frame *f, yyjson_val *message);

/* ---- openclaw_tools.c ---- */

/* id: as the gateway has it; where it has none, one is made. */
struct openclaw_tool {
	struct text name, id;
	yyjson_val *value; /* input or output */
	bool failed;
};
void openclaw_frame_tool_call(struct openclaw_frame *f, const struct openclaw_tool *tool);
void openclaw_frame_tool_result(struct openclaw_frame *f, const struct openclaw_tool *tool);
void openclaw_frame_tool(struct openclaw_frame *f); /* an agent event of the stream `tool` */

/* ---- openclaw_history.c ---- */

/* A message of a session's transcript that was written just now. */
void openclaw_frame_session_message(struct openclaw_frame *f);
/* The answer to chat.history: what came while nobody was here, and what is under way. */
void openclaw_frame_history(struct openclaw_frame *f);

/* ---- openclaw_approvals.c ---- */

void openclaw_frame_approval_asked(struct openclaw_frame *f);
void openclaw_frame_approval_decided(struct openclaw_frame *f);
/* It has questions of its own, and waits for their answers. */
void openclaw_frame_question_asked(struct openclaw_frame *f);
void openclaw_frame_question_answered(struct openclaw_frame *f);

#endif
