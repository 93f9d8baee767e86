/* spoken.h - an answer, cut into sentences that can be read out, as it comes; pure.
 *
 * Answers are Markdown.  What a block is (a heading, an item, a row of a table) ends a sentence;
 * code is announced and not read out.  A sentence is told as soon as it is certain that it is
 * one, which takes a character of what follows, and its words are those of speakable.h.  The same
 * answer gives the same sentences, however it was cut into tokens.
 */
#ifndef VOICE_SPOKEN_H
#define VOICE_SPOKEN_H

#include "base/buf.h"

#define SPOKEN_MAX 400 /* bytes of a sentence; a longer one is cut, at a comma if it has one */

struct recital_listener {
	void *self;
	void (*sentence)(void *self, struct text words); /* gone after the call */
};

struct recital {
	struct recital_listener listener;
	struct buf raw;      /* what was not looked at, because what follows it decides */
	size_t taken;        /* of it, while it is looked at */
	struct buf sentence; /* as it was written, without the mark of its block */
	struct buf words;    /* scratch */
	char fence[4];       /* what ends the code that we are in; empty: we are in none */
	bool at_line_start;
	bool skips_line;     /* up to its end: nothing of it is said */
	bool in_code;        /* between two backticks */
	bool ends_with_line; /* a heading, or a row of a table */
};

void spoken_init(struct recital *recital, const struct recital_listener *listener);
void spoken_finish(struct recital *recital);

void spoken_feed(struct recital *recital, struct text piece);
void spoken_end(struct recital *recital); /* tells the rest, and begins anew */

#endif
