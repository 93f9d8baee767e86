/* board.h - what a screen knows of the box itself: its sources, its sessions, its newest
 * signals, who asks what, and what it rings for; pure.
 *
 * It hears the messages of the native dialect.  What it keeps is as it came; who shows it
 * makes it harmless.
 */
#ifndef TUI_BOARD_H
#define TUI_BOARD_H

#include "base/map.h"
#include "signal/json.h"
#include "signal/position.h"
#include "tui/bells.h"
#include "tui/sessions.h"

#define BOARD_SIGNALS_MAX 2000 /* the oldest goes first */
#define BOARD_SIGNALS_BYTES (32 * MIB)
#define BOARD_SOURCES_MAX 1000
#define BOARD_ASKERS_MAX 1000
#define BOARD_MESSAGE_MAX (33 * MIB) /* all sources together */

struct board_signal {
	uint64_t seq;
	char *raw;
	size_t len;
};

struct board_source {
	char *id, *raw;
};

/* Whose a prompt is; of one that is open. */
struct asker {
	char *run, *source;
	int64_t deadline_ms; /* Unix time; 0: none */
};

struct board {
	struct json_reader reader;
	uint64_t seq;         /* of the newest signal that was kept */
	struct positions at;  /* where that is in each epoch; none: we saw no signal yet */
	struct position head; /* where the box was when it said hello */
	uint64_t missed;      /* signals that we were told are left out */
	struct board_signal signals[BOARD_SIGNALS_MAX];
	size_t signal_first, signal_count, signal_bytes;
	uint64_t signals_ever;
	struct board_source sources[BOARD_SOURCES_MAX];
	size_t source_count;
	struct sessions sessions;
	struct bells bells;
	struct map askers; /* id of a prompt -> struct asker */
};

enum board_news {
	BOARD_NOTHING,
	BOARD_HELLO,
	BOARD_CHANGED,
	BOARD_LOST, /* of what we saw, the newest is not of the box's timeline any more */
};

void board_init(struct board *board);
void board_finish(struct board *board);

/* One message of the box; a signal that is known already is passed over. */
enum board_news board_hear(struct board *board, struct text message);
void board_forget_askers(struct board *board);

/* Where to go on hearing signals from, as `after`: where we stand, or so many before the
 * present when that is further back. */
struct text board_after(struct board *board, uint64_t back, char out[POSITIONS_ROOM]);

/* Signal 0 is the oldest that is kept. */
const struct board_signal *board_signal(const struct board *board, size_t at);
const struct asker *board_asker(const struct board *board, struct text prompt); /* or NULL */

#endif
