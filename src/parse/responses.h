/* responses.h - the items of a Responses answer, for responses*.c alone.
 *
 * An answer is a list of items: messages, reasoning, calls of many kinds and what
 * came of them.  In a stream an item is added, grows and is done.
 */
#ifndef PARSE_RESPONSES_H
#define PARSE_RESPONSES_H

#include "parse/calls.h"

/* What has both fragments and, at its end, the whole. */
enum responses_words {
	WORDS_TEXT,
	WORDS_REFUSAL,
	WORDS_REASONING,
	WORDS_SUMMARY,
	WORDS_TRANSCRIPT,
	WORDS
};

struct responses {
	struct calls calls;
	uint64_t text_count; /* of text_delta: their index */
	size_t grown[WORDS]; /* bytes of fragments since the last whole */
	bool began, has_refused;
};

struct responses *responses_of(struct parse *p);

/* A fragment, or the whole when no fragment of it came. */
void responses_grow(struct parse *p, enum responses_words which, struct text words);
void responses_whole(struct parse *p, enum responses_words which, struct text words);

/* index: of the item among the answer's. */
void responses_item_added(struct parse *p, uint64_t index, yyjson_val *item);
void responses_item_done(struct parse *p, uint64_t index, yyjson_val *item);

/* The call that a fragment belongs to; it may not have been announced.  NULL: too
 * many. */
struct open_call *responses_call(struct parse *p, uint64_t index, struct text item_id);

/* An item of an answer that is not streamed. */
void responses_item(struct parse *p, uint64_t index, yyjson_val *item);

#endif
