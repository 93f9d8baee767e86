/* view.h - what can stand on the screen, and what keys do, as tables.
 *
 * To add a view: write tui/view_NAME.c with one `const struct view`, and name it in
 * tui/inside.h, tui/registry.c and tui/meson.build.  To add a command for a key or the
 * command line: one `struct action` in a table of actions there.
 *
 * Where views stand, from the top: header, PAUSED row, body, modal, finished banner,
 * footer.  The body has the two panes side by side (or one, when the screen is narrow
 * or it is maximised), or the topmost overlay instead of them.  Keys go to the topmost
 * overlay, else to the modal unless it was left, else to the pane that is focused; what
 * these do not take goes to that pane, and then to the actions.
 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "run/frame.h"
#include "tui/canvas.h"
#include "tui/press.h"

struct tui;

enum view_place {
	VIEW_PANE,    /* there from the start */
	VIEW_OVERLAY, /* tui_open() */
	VIEW_MODAL,   /* stands below the body while wanted() */
};

struct view {
	const char *name;  /* "log": also the word that opens it */
	const char *title; /* in its frame; raw text of agents is fine */
	const char *hints; /* its keys, for the footer: "j/k scroll · Esc close" */
	enum view_place place;
	size_t size; /* of its own state, which is zeroed when it is opened */

	/* Of these any but draw may be NULL.  `self` is the state. */
	void (*open)(struct tui *tui, void *self);
	void (*close)(struct tui *tui, void *self);
	/* Inside its frame.  Where the cursor is to blink is tui_cursor()'s. */
	void (*draw)(struct tui *tui, void *self, struct area area);
	void (*note)(struct tui *tui, void *self, struct buf *out); /* right in its upper edge */
	bool (*press)(struct tui *tui, void *self, const struct press *press); /* true: taken */
	/* Each frame after the model has heard it. */
	void (*hear)(struct tui *tui, void *self, const struct text raw);
	bool (*wanted)(struct tui *tui);                    /* modal: now? */
	int (*rows)(struct tui *tui, void *self, int cols); /* modal: inside its frame */
};

extern const struct view *const views[]; /* ended by NULL */

struct action {
	uint32_t code;    /* the key; 0: only by its word */
	const char *word; /* for the command line and the help: "pause" */
	const char *help; /* half a line; NULL: not in the help */
	void (*run)(struct tui *tui, struct text argument); /* empty when a key was pressed */
};

/* Tables of actions, each ended by one without a run; the whole ended by NULL. */
extern const struct action *const actions[];

/* ---- what views and actions do ---- */

/* Opens an overlay on top; argument is what open() may ask for by tui_argument(). */
void tui_open(struct tui *tui, const struct view *view, struct text argument);
struct text tui_argument(const struct tui *tui);
void tui_close(struct tui *tui); /* the topmost overlay, or the modal */
void tui_quit(struct tui *tui);
void tui_redraw(struct tui *tui);                 /* soon */
void tui_cursor(struct tui *tui, struct pen pen); /* while drawing */

/* A few words in the footer, for some seconds. */
void tui_say(struct tui *tui, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A frame to the agent; says so in the footer when there is nobody to hear it. */
bool tui_send(struct tui *tui, struct text frame);

bool tui_action(struct tui *tui, struct text word, struct text argument); /* false: unknown */

#endif
