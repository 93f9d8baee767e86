/* streams.h - what screens of the run dialect watch: one session each, or all of them.
 *
 * A stream has a strip with its newest frames, on which it is brought up to the present once
 * for all of its screens.  It exists while somebody watches.
 */
#ifndef ESCAPEMENT_STREAMS_H
#define ESCAPEMENT_STREAMS_H

#include "base/list.h"
#include "base/map.h"
#include "hub/strip.h"

struct run_frame;
struct runs;

struct run_stream {
	char *session;       /* NULL: all of them, under one counter */
	struct link screens; /* run_view.in_stream */
	struct strip strip;
	uint64_t known_from;  /* place: what came before it was not looked at */
	uint64_t after;       /* the place after its newest frame since then */
	size_t trim_at;       /* bytes on the strip, with which it is trimmed */
	struct link in_dirty; /* streams.dirty: it has news */
};

struct streams {
	struct runs *runs;
	struct run_stream *all; /* NULL: nobody watches that */
	struct map by_session;
	struct link dirty;
	uint64_t fed; /* the place up to which all streams have their frames */
	struct buf scratch;
};

void streams_init(struct streams *streams, struct runs *runs);
void streams_finish(struct streams *streams); /* nobody watches any more */

/* Found or made, for a screen that puts itself on its list; and what is left when it has
 * taken itself off. */
struct run_stream *streams_open(struct streams *streams, const char *session);
void streams_close(struct streams *streams, struct run_stream *stream);

/* Gives every stream what was made since; those with news are dirty. */
void streams_feed(struct streams *streams);

/* Has the stream nothing from a place on?  False also when that is not known. */
bool stream_is_done(const struct run_stream *stream, uint64_t place);

/* Is this the frame that says that its run is over? */
bool run_frame_is_end(const struct run_frame *frame);

#endif
