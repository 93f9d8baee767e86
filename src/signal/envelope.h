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

/* All texts lie in what was read. */
struct envelope {
	struct text id, type, source, correlation; /* correlation: empty when there is none */
	struct text metadata;                      /* an object; empty when there is none */
	uint64_t timestamp;
	enum signal_kind kind;
};

/* True when `raw` is, from brace to brace, an object with id, type, timestamp, source
 * and payload, perhaps correlationId and metadata, each once and of its type, and with
 * nothing else; and, if `checked`, the payload keeps the schema of its kind. */
bool envelope_read(struct envelope *envelope, struct text raw, bool checked);

#endif
