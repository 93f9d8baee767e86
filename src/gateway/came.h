/* came.h - what a gateway behind the box sent: clients of its protocol get the frame as it came.
 *
 * The parser keeps of a frame what its signal does not say (metadata.origin); the text so far is
 * put back here.  Numbers are ours, and members that the protocol does not know stay away.
 * One signal of a frame has it: of the others, clients of its protocol are told nothing.
 * Clients of the other protocol are told of each signal as of any other.
 */
#ifndef GATEWAY_CAME_H
#define GATEWAY_CAME_H

#include "gateway/telling.h"

#define CAME_STREAM_MAX 128

void came_find(struct telling *t);          /* the frame of its signal, if it came as one */
unsigned came_bit(const struct telling *t); /* of its protocol; 0: it did not */
bool came_begins(const struct telling *t);  /* the frame says that the run does */
void came_tell(struct telling *t);          /* to clients of its protocol */
void came_tell_others(struct telling *t);   /* a stream that the box does not know */
/* The text so far that the frame had; it may lie in the buffer. */
struct text came_text(const struct telling *t, struct buf *joined);
void came_put_given(struct buf *out, yyjson_val *payload, const char *name); /* a text */

#endif
