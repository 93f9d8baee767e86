/* heard.h - the answer of a server that heard, in OpenAI's shape; pure.
 *
 * It is a stream of events (`transcript.text.delta {delta}`, then `transcript.text.done {text}`),
 * or a JSON object `{text}`, or plain text.  Some servers stream objects `{text}`, one for each
 * stretch of the sound: together they are the words.  The bytes may be cut anywhere.
 */
#ifndef VOICE_HEARD_H
#define VOICE_HEARD_H

#include "base/error.h"
#include "parse/sse.h"

#define HEARD_WORDS_MAX (64 * KIB)
#define HEARD_ANSWER_MAX (1 * MIB) /* bytes of all of it */

enum heard_form { HEARD_STREAM, HEARD_JSON, HEARD_PLAIN };

enum heard_news {
	HEARD_NOTHING, /* new */
	HEARD_SOME,    /* words: more of them */
	HEARD_ALL,     /* words: that was said, perhaps nothing */
	HEARD_BROKEN,
};

struct heard_answer {
	enum heard_form form;
	struct sse_reader events;
	struct buf body;  /* of an answer that is no stream */
	struct buf words; /* so far, with one space between two */
	bool is_parted;   /* deltas came: the stream says when that was all */
	bool is_over;     /* it said so, or it is broken: */
	struct error why; /* then there are words */
};

void heard_init(struct heard_answer *heard);
void heard_finish(struct heard_answer *heard);

/* The head came.  False: that is no answer. */
bool heard_begin(struct heard_answer *heard, struct text content_type, struct error *why);
/* Nothing is fed any more after HEARD_ALL and HEARD_BROKEN. */
enum heard_news heard_feed(struct heard_answer *heard, struct text bytes);
enum heard_news heard_end(struct heard_answer *heard); /* never HEARD_SOME or HEARD_NOTHING */

/* What people said, without what is written of other sounds: [BLANK_AUDIO], (music). */
bool heard_is_speech(struct text words);

#endif
