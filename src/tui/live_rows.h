/* live_rows.h - the rows of the LIVE pane: who says something now, and the end of it; pure.
 *
 * Sessions come in the order of the crew, with their subagents below them; one that is watched
 * alone is there in any case.  Invocations that no session has, as in a recording, are gathered
 * by their name.
 */
#ifndef TUI_LIVE_ROWS_H
#define TUI_LIVE_ROWS_H

#include "tui/crew.h"
#include "tui/groups.h"

#define LIVE_ROWS_MAX 2048
#define LIVE_CHILDREN_MAX 6 /* rows of one group; the rest is counted */

enum live_kind {
	LIVE_SESSION,
	LIVE_AGENT, /* a subagent */
	LIVE_SINGLE,
	LIVE_GROUP,
	LIVE_CHILD,
	LIVE_LAST_CHILD,
	LIVE_MORE,
	LIVE_SAID, /* a line of what the one above says */
};

struct live_row {
	enum live_kind kind;
	yyjson_val *member, *agent;   /* of a session; else NULL */
	const struct group *group;    /* of none; else NULL */
	const struct invocation *one; /* who speaks; NULL: nobody, or a group's own row */
	size_t count, done;           /* invocations of a subagent */
	struct text said;
};

/* Which row is chosen, by what it is. */
struct live_key {
	char run[FOLD_NAME_MAX + 1], invoke[FOLD_NAME_MAX + 1], session[FOLD_NAME_MAX + 1];
};

struct live_rows {
	struct groups groups;
	struct live_row at[LIVE_ROWS_MAX];
	size_t count;
	size_t talkers; /* rows with words to show */
	unsigned lines; /* of the words of each */
	int cols;       /* of one such line */
};

/* As many words as there is room for; valid until more is heard. */
void live_rows_make(struct live_rows *rows, struct tui *tui, int room, int cols);

static inline bool live_row_can_be_chosen(const struct live_row *row)
{
	return row->kind != LIVE_MORE && row->kind != LIVE_SAID;
}
void live_row_key(const struct live_row *row, struct live_key *key);

#endif
