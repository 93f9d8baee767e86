/* envelope.h - a signal on its way to the box gets an id; pure but for the id.
 *
 * With an id of its own a signal can be sent again when the answer was lost: the
 * box answers with the first seq and stores nothing twice.
 */
#ifndef CLI_ENVELOPE_H
#define CLI_ENVELOPE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

/* Appends what is to be sent: the raw bytes with an id in front, if they have
 * none; an object without a type as the payload of an `event`, as the box itself
 * would take it; anything else as it is, for the box to refuse.  False when it
 * may not be sent twice: then the box makes up an id each time. */
bool envelope_add(struct buf *out, struct text raw);

/* The parts of a signal, from the command line; NULL when not given. */
struct envelope_parts {
	const char *type, *payload, *source, *correlation;
};

/* Appends a whole envelope.  Fails when the payload is no JSON object. */
bool envelope_build(struct buf *out, const struct envelope_parts *parts, struct error *why);

#endif
