/* handle_words.h - what clients of Wyoming that want an answer say, and are told; pure.
 *
 *	transcript {text, context?: {conversation_id}}, or recognize
 *	-> handled-start, handled-chunk {text} ..., handled {text}, handled-stop
 *
 * A client that does not know of pieces passes over all but `handled`.
 */
#ifndef VOICE_HANDLE_WORDS_H
#define VOICE_HANDLE_WORDS_H

#include "parse/wyoming.h"

#define HANDLE_TEXT_MAX (16 * KIB) /* bytes that a person says at once */
#define HANDLE_ID_MAX 128          /* bytes of a conversation's id */
#define HANDLE_SESSION_MAX (sizeof("wyoming:") + HANDLE_ID_MAX)

struct handle_wish {
	struct text text;
	char session[HANDLE_SESSION_MAX]; /* empty: of none.  No name of an agent's own session. */
};

bool handle_is_wish(struct text type);
/* False: it cannot be asked, with why for whoever spoke. */
bool handle_read_wish(const struct wyoming_event *event, struct handle_wish *wish,
                      struct error *why);

/* An event with a text, and one without. */
void handle_write_text(struct buf *out, const char *type, struct text text);
/* `info`: one program, for this source. */
void handle_write_info(struct buf *out, struct text source);

#endif
