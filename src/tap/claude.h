/* claude.h - which versions of Claude Code this user has.
 *
 * Nothing is run for it: a version is read from the package file beside the program, from
 * the name that an installer gave it, or from the registry of sessions.  Where it is
 * looked for: the PATH, the usual places of installers in the home directory, the
 * extensions of editors, and the sessions that are alive.
 */
#ifndef TAP_CLAUDE_H
#define TAP_CLAUDE_H

#include "tap/version.h"

struct claude_places {
	const char *path;   /* $PATH; NULL: none */
	const char *home;   /* $HOME; NULL: none */
	const char *config; /* Claude Code's own directory, ~/.claude; NULL: none */
};

/* The oldest of them, which decides what may stand in a file that all of them read. */
struct claude_found {
	struct version version; /* tap_oldest_supposed where it is not known */
	bool is_known;
	char *where; /* of that one; NULL: none was found at all */
};
void claude_find(const struct claude_places *places, struct claude_found *found);
void claude_found_finish(struct claude_found *found);

#endif
