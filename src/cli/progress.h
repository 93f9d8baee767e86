/* progress.h - how far long work got, as a bar on a terminal.
 *
 * On standard error, and only if that is a terminal that can go back to the beginning
 * of a line: nothing of it is ever in a pipe.  Drawn at most ten times a second, so
 * that it may be told of every line.  With NO_COLOR it has no colours.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/buf.h"
#include "cli/command.h"

enum progress_unit { PROGRESS_BYTES, PROGRESS_SIGNALS };

struct progress {
	const char *what; /* one word */
	enum progress_unit unit;
	uint64_t total;    /* 0: nobody knows */
	uint64_t total_ms; /* not 0: it takes so long, and as much is done as is done by then */

	/* progress.c's own. */
	bool is_on, colored, is_shown;
	unsigned columns;
	uint64_t began_ns, drawn_ns;
};

/* After the members above are set. */
void progress_begin(struct progress *progress, const struct command_context *context);

void progress_tell(struct progress *progress, uint64_t done);

/* Takes the bar away: before other words, and at the end. */
void progress_clear(struct progress *progress);

/* The bar itself; pure.  At most so many columns, without a newline. */
void progress_draw(struct buf *out, const struct progress *progress, uint64_t done,
                   uint64_t elapsed_ms);

#endif
