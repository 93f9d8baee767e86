/* incoming.h - sound of a server as it comes, PCM or a WAV file, made mono and of our rate; pure.
 *
 * The bytes may be cut anywhere: within a head, a frame or a sample.  A file of another format is
 * refused in words as soon as its head is there.
 */
#ifndef SOUND_INCOMING_H
#define SOUND_INCOMING_H

#include "base/buf.h"
#include "base/error.h"

struct incoming;

/* rate, channels: of sound without a head. */
struct incoming *incoming_create(int rate, int channels, int rate_out);
void incoming_destroy(struct incoming *incoming); /* NULL is fine */

/* Both append what can be said already: at most INCOMING_GROWTH times as much as came, and of a
 * head that was waited for.  False: it cannot be read, and nothing more is. */
#define INCOMING_HEAD_MAX (16 * KIB)
#define INCOMING_GROWTH 12 /* from 4 kHz to 48 kHz */
bool incoming_feed(struct incoming *incoming, struct text bytes, struct buf *out,
                   struct error *why);
bool incoming_end(struct incoming *incoming, struct buf *out, struct error *why);

#endif
