/* resample.h - PCM of any rate and any channels becomes mono of another rate; pure.
 *
 * Sound comes in pieces of any size, and the pieces that go out join without a click: what is
 * needed of the past is kept.  Channels are averaged.  What lies above the half of the lower
 * rate is filtered out (a windowed sinc), because it would come back as noise.
 */
#ifndef SOUND_RESAMPLE_H
#define SOUND_RESAMPLE_H

#include "base/buf.h"

struct resample;

/* Rates from 4,000 to 192,000, at most 8 channels. */
struct resample *resample_create(int rate, int channels, int rate_out);
void resample_destroy(struct resample *resample);

/* Appends what can be said already; bytes of a frame that is not whole wait for the rest. */
void resample_feed(struct resample *resample, struct text pcm, struct buf *out);
/* Appends the rest, and begins anew. */
void resample_end(struct resample *resample, struct buf *out);

#endif
