/* model.h - what a screen knows of what it watches; pure.
 *
 * Frames go in, from a box or from a file; the run that they make is folded (run/fold.h),
 * events become lines of the log, and the newest are kept for whoever looks closer.
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

struct line {
	double ts;
	uint8_t style; /* of tag and glyph */
	bool is_error;
	char glyph[5];
	char *tag, *words; /* raw: what an agent said */
	char *invoke, *session;
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

struct model {
	struct fold fold;
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
	bool is_error;
	const char *glyph;
	struct text words;
};
void model_add_line(struct model *model, const struct frame *frame, const struct log_line *entry);

#endif
