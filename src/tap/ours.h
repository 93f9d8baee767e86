/* ours.h - which hooks of a settings file are ours, and where they go; pure.
 *
 * A hook is known to be ours by where it goes: the mark behind the command, or the route
 * of the box on loopback, as hooks went before all of them were commands.  Both outlive a
 * program that rewrites the file.
 */
#ifndef TAP_OURS_H
#define TAP_OURS_H

#include "base/text.h"

#define OURS_MARK " # signalbox tap" /* behind a command; a comment to the shell */

enum ours {
	OURS_NOT,
	OURS_COMMAND,
	OURS_DECIDES, /* a command that waits for a person */
	OURS_OLD,     /* it speaks to a port, where anybody may answer */
};

/* The text of one hook, an object. */
enum ours ours_is(struct text hook);

/* Each hook of ours in a whole settings file; one that is not understood has none. */
struct ours_hook {
	struct text event; /* of which it is a hook */
	enum ours is;
	struct text where; /* the command without the mark, or the URL */
};
typedef void ours_fn(void *self, const struct ours_hook *hook);
void ours_each(struct text settings, ours_fn *fn, void *self);

#endif
