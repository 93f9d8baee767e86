/* envelope.h - an ordinary envelope, read where it lies; pure.
 *
 * Most signals are whole and plain: their producer gave every member, wrote the
 * names as they are, and put nothing but spaces between the tokens.  Such a text is
 * walked over once, and no document is made of it.  Whatever is not certain is
 * declined, and read by the parser that knows all of JSON (signal/json.h) and can
 * say what is wrong.  A text that is not JSON (RFC 8259 on valid UTF-8) is always
 * declined.
 */
#ifndef SIGNAL_ENVELOPE_H
#define SIGNAL_ENVELOPE_H

#include "base/text.h"
#include "signal/kind.h"

#define ENVELOPE_DEPTH_MAX 16 /* containers within containers */

/* What an envelope says, whoever has read it.  All texts lie in what was read. */
struct members {
	struct text id, type, source, correlation; /* at is NULL: it is not given */
	struct text metadata;                      /* an object, as it is written */
	double at_ms;
	enum signal_kind kind;
	bool has_time, has_payload;
};

/* True when `raw` is, from brace to brace, an object with id, type, timestamp, source
 * and payload, perhaps correlationId and metadata, each once and of its type, and with
 * nothing else; and, if `checked`, the payload keeps the schema of its kind. */
bool envelope_read(struct members *members, struct text raw, bool checked);

#endif
