/* inside.h - the screen as a whole; what the files of this room share.
 *
 * All of it but tui.c, term.c, live.c and replay.c is pure: time and frames are
 * given, a canvas is drawn.
 */
#ifndef TUI_INSIDE_H
#define TUI_INSIDE_H

#include "tui/board.h"
#include "tui/model.h"
#include "tui/steer.h"
#include "tui/typed.h"
#include "tui/view.h"

#define TUI_OVERLAYS_MAX 8
#define TUI_FILTER_MAX 128
#define TUI_SAY_MS 4000
#define TUI_TICK_MS 33 /* of what moves by itself */

struct opened_view {
	const struct view *view; /* NULL: nothing */
	void *self;
	struct area at; /* where it was drawn last, inside its frame */
};

enum tui_pane { PANE_CREW, PANE_LIVE, PANE_LOG, PANES };

/* Who answers at the other end; a recording has nobody. */
struct tui_line {
	void *self;
	bool (*send)(void *self, struct text frame);
	const char *name;                           /* "box", "recording": for the header */
	void (*state)(void *self, struct buf *out); /* " · connected", or NULL */
	/* Of a box; else NULL. */
	void (*follow)(void *self, bool signals);       /* somebody looks at them */
	void (*watch)(void *self, struct text session); /* one run alone; empty: all */
	bool is_shared; /* it shows all runs: none of them was begun for this screen */
};

/* A line that is typed in the footer: a filter, or a command. */
struct typing {
	char mark; /* '/' or ':'; 0: nobody types */
	struct typed field;
	char before[TUI_FILTER_MAX]; /* the filter, for who thinks better of it */
};

struct tui {
	struct model model;
	struct board board;
	struct typing typing;
	struct canvas canvas;
	int64_t now_ms;    /* Unix time */
	bool is_recording; /* its clock stands where its last frame does */
	bool wants_quit, is_dirty;
	bool is_pasting; /* keys are text, and do nothing else */

	struct opened_view panes[PANES];
	enum tui_pane focus;
	bool begins_with_crew; /* it gets the keys when it is there, unless somebody was quicker */
	bool has_streamed;     /* somebody among those that are watched */
	bool is_visiting;      /* one session alone, chosen among all of them */
	char watched[FOLD_NAME_MAX + 1]; /* the run that is watched alone; empty: all */
	bool is_silent;                  /* no bell for what needs a person */
	bool is_maximised;
	struct opened_view overlays[TUI_OVERLAYS_MAX];
	size_t overlay_count;
	struct opened_view modal;
	bool is_aside; /* the question stands there, but the keys are not its */
	struct steering steering;
	struct buf argument;         /* of the overlay that is being opened */
	char filter[TUI_FILTER_MAX]; /* lines of the log without it are not shown */

	char said[160];
	int64_t said_until_ms;
	struct tui_line line;
	void (*copy)(void *self, struct text text); /* to the clipboard; NULL: there is none */
	void *copy_self;

	bool has_cursor;
	int cursor_row, cursor_col;
};

void tui_init(struct tui *tui);
void tui_finish(struct tui *tui);
bool tui_hear(struct tui *tui, struct text raw, struct error *why);
void tui_press(struct tui *tui, const struct press *press);
void tui_draw(struct tui *tui, int rows, int cols); /* onto its canvas */
bool tui_moves(const struct tui *tui);              /* something is to be drawn each tick */
void tui_forget(struct tui *tui);                   /* all that was heard */

/* ---- parts of the screen ---- */

void header_draw(struct tui *tui, struct area area);
void header_draw_footer(struct tui *tui, struct area area);
#define HEADER_ROWS 5

extern const struct action actions_main[];
extern const struct action actions_more[];

/* True: somebody types, and took it. */
bool typing_press(struct tui *tui, const struct press *press);
bool typing_draw(struct tui *tui, struct area area);
void typing_begin(struct tui *tui, char mark);
void typing_filter(struct tui *tui, struct text text);
/* Panes. */
extern const struct view view_crew;
extern const struct view view_live;
extern const struct view view_log;

extern const struct view view_prompt;

/* Overlays. */
extern const struct view view_inspect;
extern const struct view view_transcript;
extern const struct view view_sources;
extern const struct view view_signals;
extern const struct view view_page;

#endif
