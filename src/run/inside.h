/* inside.h - what the files of this room share. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include "base/map.h"
#include "base/utf8.h"
#include "run/fold.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "run/said.h"
#include "signal/json.h"

/* ---- fold.c and fold_save.c ---- */

/* Found or made; NULL when it cannot be named. */
struct invocation *fold_invocation(struct fold *fold, struct text invoke, struct text session);

/* Instead of what is there; what is no text is left out. */
void states_take(struct states *states, const struct run_states *from);

/* ---- hear.c and names.c ---- */

/* Somebody at work, by the name it has among the signals of its run. */
struct name {
	bool is_started, has_failed, has_usage;
	double start_ms;
	uint64_t input_tokens, output_tokens;
	char *model; /* or NULL */
	struct buf words;
};

struct name *names_find(struct hearing *h, struct text invoke); /* found or made */
void names_remove(struct hearing *h, struct text invoke);
void names_forget(struct hearing *h); /* all */
void names_keep_words(struct hearing *h, struct name *n, struct text words);
void names_drop_words(struct hearing *h, struct name *n);

/* ---- said.c, said_parts.c, said_text.c and said_save.c ---- */

/* Whoever has begun and not left: by name, session and, for a subagent, its id. */
struct said_speaker {
	struct text invoke, session, part; /* its own copies */
	struct said_message *open;         /* what it is saying, or NULL */
	bool is_at_work;
	bool has_streamed, has_thought; /* since its last reply */
	struct link in_said;            /* said.speakers */
};

void said_text_add(struct said_text *t, struct text piece);
void said_text_settle(struct said_text *t); /* there will be no more of it, most likely */
void said_json_take(struct said_json *json, yyjson_val *value);

/* A name, cut where it is too long. */
static inline struct text said_name(struct text name)
{
	return name.len <= SAID_NAME_MAX ? name : utf8_cut(name, SAID_NAME_MAX);
}

/* Whatever is kept counts in said.size. */
char *said_keep_name(struct said *said, struct text name); /* NULL: it is empty */
void said_drop_name(struct said *said, char **name);
void said_add_words(struct said *said, struct said_text *to, struct text words);

struct said_message *said_add_message(struct said *said, enum said_role role);
struct said_tool *said_add_tool(struct said *said, struct said_message *m);
void said_await_tool(struct said *said, struct said_tool *tool); /* it is at work */
void said_stop_awaiting(struct said *said, struct said_tool *tool);
/* Forgets the oldest messages, where there are too many.  It is called only when one begins:
 * so it does not matter in how many pieces they came. */
void said_trim(struct said *said);
struct said_agent *said_add_agent(struct said *said, struct text id);
struct said_speaker *said_add_speaker(struct said *said, const struct said_speaker *like);
void said_close(struct said_speaker *who); /* what it was saying is whole */
void said_forget_speaker(struct said *said, struct said_speaker *who);

/* ---- translate.c and pieces.c ---- */

/* What an agent of the run dialect sent. */
void pieces_of_agent(struct frame_pieces *p, const struct signal *s);

/* ---- runs.c, runs_save.c and replay.c ---- */

/* A frame that is kept: its bytes are head, own and tail. */
struct kept_frame {
	uint64_t number, own;
	struct run *run;
	char *bytes;
	uint32_t head_len, own_len, tail_len;
	bool is_numbered, is_agents;
};

struct runs {
	struct runs_options options;
	struct folded *folded;
	struct buf scratch;
	struct map by_id;
	struct link all;         /* run.in_all */
	uint64_t number;         /* of all events */
	struct kept_frame *ring; /* at its place, modulo room */
	size_t ring_room;
	uint64_t first, head; /* places: of the oldest that is kept, of the next */
	size_t bytes;
	uint64_t told; /* the head at the last news */
};

struct run *run_create(struct runs *runs, struct text id, struct text source);
void runs_keep(struct runs *runs, struct run *run, const struct frame_pieces *pieces);

/* The number within its run that this frame gets. */
uint64_t run_number(const struct run *run, const struct frame_pieces *pieces);

/* ---- prompt.c and prompt_takes.c ---- */

/* Must who chooses this option have the scope control? */
bool prompt_option_needs(yyjson_val *option);

/* What of a prompt is offered to who may answer so much, as JSON: each may be NULL. */
struct offered_options {
	const char *options, *other;
	char *made; /* options, where some are left out */
};
void offered_options_init(struct offered_options *offer, const struct prompt *prompt,
                          enum answers may);
void offered_options_finish(struct offered_options *offer);

/* ---- prompts.c and answer.c ---- */

#define PROMPTS_LINE_MAX (4 * MIB) /* a longer prompt is none */

struct prompts {
	struct prompts_options options;
	unsigned char key[PROMPTS_KEY];
	struct json_reader json;
	struct map by_id, by_own; /* id, run NUL own id -> the newest such prompt */
	struct link open, closing, closed;
	struct link waiters; /* for answers that are not on the disk yet */
	size_t open_count, closed_count;
	size_t open_bytes, closed_bytes;
};

/* False: its agent is not there. */
bool prompts_deliver(const struct prompts *prompts, const struct prompt *prompt);

/* Ends and forgets what is too much; seq is that of the newest signal. */
void prompts_trim(struct prompts *prompts, uint64_t seq);
void prompts_drop_waiters(struct prompts *prompts);

#endif
