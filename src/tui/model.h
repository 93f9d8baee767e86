/* model.h - what a screen knows of what it watches; pure.
 *
 * Frames go in, from a box or from a file; each run that they make is folded (run/fold.h),
 * events become lines of the log, and the newest are kept for whoever looks closer.
 *
 * The states of sessions are the crew's (tui/named.h): what a box tells of agents' own states by
 * frames is folded for a recording alone, which has no crew.
 */
#ifndef TUI_MODEL_H
#define TUI_MODEL_H

#include "base/list.h"
#include "run/fold.h"

#define MODEL_LINES_MAX 2000
#define MODEL_EVENTS_MAX 4000 /* events that are kept; the oldest goes first */
#define MODEL_EVENTS_BYTES (32 * MIB)
#define MODEL_HUES_MAX 1000 /* names that are told apart by a colour of their own */
#define MODEL_PROMPTS_MAX 256
#define MODEL_RUNS_MAX 512 /* the one that was quiet for longest goes first */

struct line {
	double ts;
	uint8_t style; /* of tag and glyph */
	bool is_error;
	char glyph[5];
	char *tag, *words; /* raw: what an agent said */
	char *run, *invoke, *session;
	bool is_state; /* that an agent says of itself: who knows its session shows that one's */
};

/* An event as it came; pieces of text that stream by are not kept. */
struct kept_event {
	char *raw;
	size_t len;
};

/* A prompt that is open. */
struct asked {
	struct link in_model; /* model.prompts, oldest first */
	char *id;
	yyjson_doc *doc; /* the frame */
	uint64_t number; /* of all frames that asked something */
	bool is_sent;    /* our answer is on its way */
	bool is_stale;   /* it was open before the line broke */
};

struct model_run {
	struct link in_model; /* model.runs, the one that spoke last at the end */
	char *run;            /* "": of a recording */
	struct fold fold;
};

struct model {
	/* The run whose frames these are, borrowed; "": they say it; NULL: one that has no name. */
	const char *alone;
	struct link runs;
	struct map by_run;
	struct fold none; /* of whatever is not known */
	struct json_reader reader;
	struct line lines[MODEL_LINES_MAX];
	size_t line_first, line_count;
	uint64_t lines_ever; /* added since the start */
	struct kept_event events[MODEL_EVENTS_MAX];
	size_t event_first, event_count, event_bytes;
	struct map hues; /* invokeid -> its style */
	struct link prompts;
	size_t prompt_count;
	uint64_t asked_ever;
};

void model_init(struct model *model);
void model_finish(struct model *model);

/* False when it is no frame; that changes nothing. */
bool model_hear(struct model *model, struct text raw, struct error *why);

/* Whose a frame is. */
struct text model_run_of(const struct model *model, const struct frame *frame);
const struct fold *model_fold(const struct model *model, struct text run); /* never NULL */
const struct fold *model_newest(const struct model *model); /* of the run that spoke last */
/* Is it what a box makes of an agent's own state, and not where its chart is? */
bool model_is_state(const struct model *model, const struct frame *frame);

/* Line and event 0 are the oldest that are kept. */
const struct line *model_line(const struct model *model, size_t at);
struct text model_event(const struct model *model, size_t at);

uint8_t model_hue(struct model *model, struct text invoke);
struct asked *model_asked(const struct model *model, struct text id); /* NULL: not open */
void model_unask(struct model *model, struct text id);

/* ---- for log.c ---- */

/* The texts are copied. */
struct log_line {
	struct text tag;
	uint8_t style;
	bool is_error, is_state;
	const char *glyph;
	struct text words;
};
void model_add_line(struct model *model, const struct frame *frame, const struct log_line *entry);

#endif
