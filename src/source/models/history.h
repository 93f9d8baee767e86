/* history.h - what was said before, session by session; pure.
 *
 * A turn is a prompt and the whole answer to it.  The newest turns of a session go
 * with its next prompt.  Turns, their bytes and sessions have ceilings: the oldest
 * turn goes first, and so does the session that was quiet for longest.
 */
#ifndef SOURCE_HISTORY_H
#define SOURCE_HISTORY_H

#include "base/buf.h"
#include "base/text.h"

#define HISTORY_SESSIONS 64
#define HISTORY_TURNS 64
#define HISTORY_BYTES (256 * KIB) /* of a session, as JSON */

struct histories;

struct histories *histories_create(void);
void histories_destroy(struct histories *histories);

/* An answer that is too long to be kept leaves the session empty: a history with
 * a hole would mislead. */
void histories_note(struct histories *histories, struct text session, struct text prompt,
                    struct text answer);

/* The session's turns as elements of a JSON array, oldest first, each with a comma
 * behind it: {"role":"user","content":"..."},{"role":"assistant","content":"..."}, */
void histories_write(const struct histories *histories, struct text session, struct buf *out);

/* One such element, without the comma. */
void history_message(struct buf *out, const char *role, struct text content);

#endif
