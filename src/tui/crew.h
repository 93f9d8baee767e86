/* crew.h - the sessions on the screen: all of them, or the one that is watched alone. */
#ifndef TUI_CREW_H
#define TUI_CREW_H

#include "tui/inside.h"

/* Is there a session to show among those that are watched? */
bool tui_has_crew(const struct tui *tui);
int view_crew_rows(struct tui *tui); /* that its pane would fill */

struct text view_crew_chosen(
	struct tui *tui); /* its run, while the keys are the pane's; or empty */

/* The session that the head of the screen tells of: the one that is chosen, or watched alone; or
 * NULL.  And the fold of its newest run, or of whatever spoke last where there is no session. */
yyjson_val *tui_subject(struct tui *tui);
const struct fold *tui_fold(struct tui *tui);

void tui_watch_run(struct tui *tui, struct text run); /* alone; empty: all.  Of a box only */

#endif
