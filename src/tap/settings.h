/* settings.h - our hooks in and out of a Claude Code settings file; pure.
 *
 * The file is edited as text: not one byte of what is there is moved, and taking
 * our hooks out gives the very bytes from before, for whatever text it was.  Each
 * group of ours says in its member `signalbox` what had to be made for it, so
 * that an empty `hooks` that was there stays, and one that was not goes.
 */
#ifndef TAP_SETTINGS_H
#define TAP_SETTINGS_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"
#include "tap/version.h"

#define SETTINGS_MAX (1 * MIB) /* bytes of a file; with our hooks, twice that */

struct settings_wish {
	struct version version; /* of Claude Code: events that it does not know are left out */
	const char *command;    /* for the shell, without the mark */
	const char *decide;     /* likewise, of those that decide; NULL: none does */
};

/* Puts our hooks in, or anew.  is_there: there is a file, perhaps an empty one.
 * Fails with the line and column of what is not understood, and then `out` is
 * empty.  The caller finishes `out`, which these functions init. */
bool settings_install(struct text now, bool is_there, const struct settings_wish *wish,
                      struct buf *out, struct error *why);

/* Takes our hooks out, and nothing else.  gone: there was no file, so there should
 * be none. */
bool settings_uninstall(struct text now, struct buf *out, bool *gone, struct error *why);

struct settings_look {
	unsigned hooks; /* of ours */
	bool disabled;  /* `disableAllHooks`: Claude Code runs none */
	unsigned old;   /* of those: they speak to a port, as hooks did before */
	bool approves;  /* some of ours decide */
};
bool settings_look(struct text now, struct settings_look *look, struct error *why);

#endif
