/* midi_line.h - a client of JACK on a thread of its own.
 *
 * JACK's calls may block and its callbacks come on its own threads, so nothing of
 * it is done on the loop.  A line either watches which MIDI ports there are or reads
 * one of them; what it has to say comes by callbacks on the loop.  Between JACK's
 * real-time thread and the loop is a ring without locks; what does not fit is
 * counted.
 *
 * The library is looked for when the first line is made: the program runs without
 * it, and then there are no MIDI ports.  No server is ever started.
 */
#ifndef SOURCE_MIDI_LINE_H
#define SOURCE_MIDI_LINE_H

#include "base/error.h"
#include "base/text.h"

struct loop;
struct midi_line;

#define MIDI_ID_MAX 48
#define MIDI_PORTS_MAX 128

/* A port that gives MIDI. */
struct midi_port {
	char id[MIDI_ID_MAX + 1]; /* of letters, digits, '.', '_', '-'; the same in every run */
	char *name;               /* JACK's own: "client:port" */
};

struct midi_line_options {
	struct loop *loop;
	const char *port; /* the id or the name of the one to read; NULL: watch them all */
	void *self;
	/* Watching: what there is now, at first and whenever that changed; nothing
	 * without a server. */
	void (*ports)(void *self, const struct midi_port *ports, size_t n);
	/* Reading: connected; a message; messages that did not fit; the port or its server is
	 * not there.  It is waited for, and live() says when it is back. */
	void (*live)(void *self);
	void (*message)(void *self, struct text bytes);
	void (*missed)(void *self, unsigned long n);
	void (*gone)(void *self, const char *why);
};

/* NULL when there is no JACK here, or no thread for it. */
struct midi_line *midi_line_create(const struct midi_line_options *options, struct error *why);

/* Watching: looks now, and calls ports() whatever there is. */
void midi_line_look(struct midi_line *line);

/* Nothing is called any more.  Does not wait for JACK. */
void midi_line_destroy(struct midi_line *line);

/* Before the program ends: gives lines that were destroyed the time to leave. */
void midi_line_farewell(unsigned ms);

/* The id of a port of this name; pure. */
void midi_port_id(char id[MIDI_ID_MAX + 1], struct text name);

/* ---- the ring: one thread puts, another takes ---- */

#define MIDI_RING 16384      /* bytes; a power of two */
#define MIDI_MESSAGE_MAX 512 /* longer ones are system exclusive, which nobody reads */

struct midi_ring {
	_Atomic unsigned head, tail;  /* put at head, take at tail; they count on and on */
	_Atomic unsigned long missed; /* messages there was no room for */
	unsigned char bytes[MIDI_RING];
};

/* False: there was no room, and it was counted. */
bool midi_ring_put(struct midi_ring *ring, const unsigned char *bytes, size_t n);
/* The length of the next message, now in out; 0: there is none. */
size_t midi_ring_take(struct midi_ring *ring, unsigned char out[MIDI_MESSAGE_MAX]);

#endif
