/* tap.h - the door through which web reaches Claude Code: its hooks; and what is asked of its
 * settings. */
#ifndef WEB_TAP_H
#define WEB_TAP_H

#include "base/error.h"
#include "base/text.h"

/* The previews tell what the two would change, and change nothing. */
enum web_tap_verb {
	WEB_TAP_CONNECT,
	WEB_TAP_DISCONNECT,
	WEB_TAP_STATUS,
	WEB_TAP_PREVIEW_CONNECT,
	WEB_TAP_PREVIEW_DISCONNECT,
};

typedef void web_decided_fn(void *of, struct text json); /* empty: nothing */

struct web_tap_ask {
	enum web_tap_verb verb;
	bool approves;       /* of a connect: some hooks decide */
	const char *project; /* NULL: the user's settings */
	const char *tag;     /* of the change that was shown; NULL: none was */
	/* why NULL: it is done, and json says how things are.  Else it is not. */
	void (*answered)(void *of, struct text json, const struct error *why);
	void *of;
};

struct web_tap {
	void *self;
	/* What Claude Code told a hook.  is_sure: that it was Claude Code is certain enough to
	 * settle its questions and pauses.  False: it is not understood, or empty because it did
	 * not come whole. */
	bool (*hook)(void *self, struct text payload, bool is_sure, struct error *why);
	/* After that, of one that decides something.  NULL: it decides nothing.  Else
	 * decided() is called once, later, unless it is forgotten before. */
	void *(*hold)(void *self, struct text payload, web_decided_fn *decided, void *of);
	void (*let_go)(void *self, void *held);
};

#endif
