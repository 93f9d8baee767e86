/* payload.h - one message of a reply: text, media, and which message it answers.
 *
 * A payload is a value that points into somebody else's memory; who keeps one copies it.
 */
#ifndef DELIVER_PAYLOAD_H
#define DELIVER_PAYLOAD_H

#include "base/buf.h"
#include "base/text.h"

/* More of them are left out: no platform shows as many with one message. */
#define PAYLOAD_MEDIA_MAX 16

/* What ends a text whose rest was left out. */
#define PAYLOAD_CUT_NOTE "\n(the rest was left out: it is too long)"

struct payload {
	struct text text;
	const struct text *media; /* mediaUrls: the payload's own, never found in the text */
	size_t media_count;
	struct text reply_to; /* the platform's id of a message; empty: none */
	bool is_voice;        /* its audio is a voice note (audioAsVoice) */
};

/* In one block of memory, which free() frees. */
struct payload *payload_copy(const struct payload *p);

bool payload_is_empty(const struct payload *p);       /* no media, and text that is space at most */
bool payload_has_audio(const struct payload *p);      /* by the ending of its name */
bool payload_ends_paragraph(const struct payload *p); /* a blank line is behind its text */

/* In lines, as a letter has them; what cannot be written in one is left out. */
#define PAYLOAD_MEDIA_BYTES (64 * KIB)
void payload_put_media(const struct payload *p, struct buf *out);

/* What makes two payloads the same message: the trimmed text, the media, the reply target. */
void payload_add_key(const struct payload *p, struct buf *key);

#endif
