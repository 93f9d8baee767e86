/* tool_news.h - what tools of an agent did, in words for a chat; pure.
 *
 * A call is named by its tool and by what it is about: the first text of its input.
 */
#ifndef DELIVER_TOOL_NEWS_H
#define DELIVER_TOOL_NEWS_H

#include <yyjson.h>

#include "base/buf.h"

#define TOOL_NEWS_OPEN 32     /* calls that are remembered; of the oldest only its tool is told */
#define TOOL_NEWS_CALL 160    /* bytes of what a call is about */
#define TOOL_NEWS_OUTPUT 1500 /* of what it gave; more is left out */

struct tool_news {
	struct tool_open {
		char *id, *words;
	} open[TOOL_NEWS_OPEN];
	unsigned next; /* that is forgotten for another */
};

void tool_news_finish(struct tool_news *t); /* NULL is fine */
void tool_news_begin(struct tool_news *t, struct text call, struct text tool, yyjson_val *input);

struct tool_end {
	struct text call, tool;
	yyjson_val *output; /* NULL: it is not told */
	bool has_failed;
};
/* What is told when it is done. */
void tool_news_end(struct tool_news *t, const struct tool_end *end, struct buf *out);

#endif
