/* plain.h - the piece of text in an event, read without a document.
 *
 * Nearly all events of an answer bring a few letters, and a server writes them all alike.  One
 * that is written exactly so is not taken apart: its words are copied as they stand, if we would
 * write them the same.  Any other is NULL here, and is read as JSON.
 */
#ifndef PARSE_PLAIN_H
#define PARSE_PLAIN_H

#include "base/text.h"

/* The words of a content_block_delta with a text_delta, as a JSON string with its quotes. */
struct text plain_text_delta(struct text event);

#endif
