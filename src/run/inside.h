/* inside.h - what the files of this room share. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include "base/map.h"
#include "run/fold.h"
#include "run/prompts.h"
#include "run/runs.h"
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
	char *task;  /* that it was given and has said nothing to, or NULL */
	struct buf words;
};

struct name *names_find(struct hearing *h, struct text invoke); /* found or made */
void names_remove(struct hearing *h, struct text invoke);
/* Who else has this task, the first by name; empty: nobody. */
struct text names_given(const struct hearing *h, struct text task, const struct name *but);
void names_forget(struct hearing *h); /* all */
void names_keep_words(struct hearing *h, struct name *n, struct text words);
void names_drop_words(struct hearing *h, struct name *n);

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
	uint64_t told;       /* the head at the last news */
	size_t said_size;    /* bytes of what was said, of all runs and recalls */
	size_t said_again;   /* so many, before room is looked for again; there was none */
	struct link recalls; /* recall.in_runs */
	unsigned recall_count;
	uint64_t turn_ms;           /* when recall_turn was last called */
	struct link sessions;       /* run_session.in_all */
	struct map session_names;   /* source NUL key -> struct run_session */
	struct map session_keys;    /* key -> the newest with it, of any source */
	struct runs_saving *saving; /* NULL: they are not being saved */
	struct link listeners;      /* runs_listener.in_runs */
};

struct run *run_create(struct runs *runs, struct text id, struct text source);
void runs_keep(struct runs *runs, struct run *run, const struct frame_pieces *pieces);

/* While they are being saved: this run is about to change, the frame at this place to go. */
void runs_save_first(struct runs *runs, struct run *run);
void runs_save_frame_first(struct runs *runs, uint64_t at);
void runs_save_end(struct runs *runs); /* nothing is being saved any more */
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

#endif
