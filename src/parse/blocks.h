/* blocks.h - the content blocks of an Anthropic message: words, thoughts, tools.
 *
 * The Messages API sends them, and so does Claude Code, which passes the API's
 * events on.  They may be interleaved, so each is found by its index.
 */
#ifndef PARSE_BLOCKS_H
#define PARSE_BLOCKS_H

#include "parse/calls.h"

/* The names of the newest calls: a result names its call only by its id. */
#define BLOCKS_NAMES_MAX 128

struct blocks_name {
	char *id, *name, *server;
};

struct blocks {
	struct calls calls; /* whose input still grows */
	struct blocks_name names[BLOCKS_NAMES_MAX];
	unsigned next_name; /* where the next goes */
};

/* Zeroed memory is an empty one. */
void blocks_finish(struct blocks *b);

void blocks_forget_open(struct blocks *b); /* a new message begins */

/* The events content_block_start, content_block_delta and content_block_stop. */
void blocks_start(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *event);
void blocks_grow(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *event);
void blocks_stop(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *event);

/* A block that came at once, as in an answer that is not streamed. */
void blocks_whole(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *block);

/* A `tool_result` block, or one of the kinds that end so. */
void blocks_result(struct blocks *b, struct parse *p, const struct speaker *who, yyjson_val *block);

#endif
