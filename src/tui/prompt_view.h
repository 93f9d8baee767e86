/* prompt_view.h - the question that stands on the screen; shared by its keys and its drawing. */
#ifndef TUI_PROMPT_VIEW_H
#define TUI_PROMPT_VIEW_H

#include "tui/inside.h"
#include "tui/paper.h"
#include "tui/question.h"

#define PROMPT_NOTHING SIZE_MAX

struct prompt_view {
	char *id;
	uint64_t number; /* of the frame that was taken, and that as JSON */
	struct buf asks;
	struct typed typed;
	struct paper words;
	size_t seen; /* rows of the words that were on the screen, from the first on */
	int seen_cols;
	bool is_read;       /* all of them were */
	size_t chosen, top; /* options; chosen may be PROMPT_NOTHING */
	int cols;           /* of the options, when they were drawn last */
	bool picked[QUESTION_OPTIONS_MAX];
	int64_t since_ms, cancel_until_ms;
};

/* ---- prompt_draw.c ---- */

/* Rows that were not on the screen yet. */
size_t prompt_unread(const struct prompt_view *view);
/* How many rows an option takes; cut gets how many bytes do not fit into them. */
int prompt_option_height(yyjson_val *frame, const struct prompt_view *view, size_t at, size_t *cut);

/* Inside the frame of the modal: how many rows, and what stands in them. */
int prompt_height(struct tui *tui, struct prompt_view *view, yyjson_val *frame, int cols);
void prompt_paint(struct tui *tui, struct prompt_view *view, yyjson_val *frame, struct area area);

#endif
