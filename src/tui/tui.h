/* tui.h - the terminal UI, `signalbox top`: what agents are at, and the way back to them.
 *
 * It is a plain client of a box, or shows a recording: frames of the run dialect come
 * from either, are folded by the same code and drawn by the same views.
 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "base/buf.h"
#include "base/error.h"

enum tui_timing {
	TUI_INSTANT,   /* all of it at once */
	TUI_PACED,     /* 40 ms a frame */
	TUI_WALLCLOCK, /* as it was, but at most 250 ms between two frames */
};
bool tui_timing_of(struct text name, enum tui_timing *timing);

/* Behind the text; nobody decided: the terminal is asked. */
enum tui_background { TUI_ASK, TUI_DARK, TUI_LIGHT };
bool tui_background_of(struct text name, enum tui_background *background); /* "auto", ... */

/* Where a box is, and what of it is watched. */
struct tui_box {
	const char *base;          /* "http://HOST[:PORT]", or https */
	const char *sock;          /* the Unix socket to go by, or NULL */
	const char *authorization; /* a header, or NULL */
	const char *session;       /* one run; NULL: all of them */
	enum tui_background background;
	bool is_silent; /* no bell for what needs a person */
};

/* What goes on in it, until somebody leaves; when it goes away it is waited for. */
bool tui_watch(const struct tui_box *box, struct error *why);

/* A transcript, or the directory that holds one, until somebody leaves. */
struct tui_recording {
	const char *path;
	enum tui_timing timing;
	enum tui_background background;
};
bool tui_replay(const struct tui_recording *recording, struct error *why);

/* The same without a terminal: what it comes to, as one JSON object. */
bool tui_replay_json(const char *path, struct buf *out, struct error *why);

#endif
