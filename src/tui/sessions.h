/* sessions.h - what a screen knows of the sessions of a box; pure.
 *
 * It hears the messages `crew` of the native dialect: all of them once, then what changed.
 */
#ifndef TUI_SESSIONS_H
#define TUI_SESSIONS_H

#include "base/map.h"
#include "crew/roll.h"

#define SESSIONS_MAX 4096 /* more than a box tells */

struct sessions {
	struct roll roll; /* in the order in which they are shown */
	struct map raws;  /* id -> the JSON of the member, as it came */
	struct map runs;  /* each of its runs -> its member of the roll */
};

void sessions_init(struct sessions *sessions);
void sessions_finish(struct sessions *sessions);
void sessions_hear(struct sessions *sessions, yyjson_val *op);

/* The session that a run is of, or NULL; valid until more is heard. */
yyjson_val *sessions_find(const struct sessions *sessions, struct text run);

#endif
