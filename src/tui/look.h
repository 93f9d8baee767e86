/* look.h - sessions, their names and states, as every pane draws them; pure. */
#ifndef TUI_LOOK_H
#define TUI_LOOK_H

#include <yyjson.h>

#include "crew/state.h"
#include "run/fold.h"
#include "tui/canvas.h"
#include "tui/named.h"

#define LOOK_CLOCK_COLS 7

struct session_look {
	const char *glyph;
	enum style style;
};

struct session_look look_of_group(enum crew_group group);
struct session_look look_of_state(yyjson_val *state);

/* What words.h says of it, in exactly so many cells, and a space. */
void look_put_words(struct pen *pen, void (*say)(struct buf *out, yyjson_val *of), yyjson_val *of,
                    int cols);
/* A state in so many cells, and its clock. */
void look_put_state(struct pen *pen, yyjson_val *state, int64_t now_ms, int cols);
/* A name in exactly so many cells.  Handles that begin alike are told apart by their ends, and are
 * more than the name of a subagent behind them. */
void look_put_name(struct pen *pen, struct text name, int cols);

/* An invocation that no session has, as of a recording, in the words that sessions have. */
enum crew_state look_state_of(const struct invocation *one);

#endif
