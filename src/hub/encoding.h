/* encoding.h - what clients are sent of a signal, as one table.
 *
 * The frames of a signal are made once for all clients of an encoding, into its reel: none, one
 * or several, one behind the other, with nothing of another kind between them.
 *
 * An encoding may have a memory.  Its reel has one while somebody hears it, and each client that
 * reads the journal has one of its own.  A memory is given every signal from a seq on, in
 * order, also those that its client does not want; where signals are missing, another is made.
 * So that a client sees the same whether it is live or reads, two memories that were made for
 * different seqs must give the same frames for the signals that both are given.
 */
#ifndef HUB_ENCODING_H
#define HUB_ENCODING_H

#include "base/text.h"

struct encoding {
	const char *name;
	/* How things stand before the signal with that seq; `of` is hub_dialect.of.  Both are
	 * NULL when it has no memory; then pieces of messages may be joined for slow clients. */
	void *(*make)(void *of, uint64_t seq);
	void (*free)(void *memory);
	/* The frames of a signal are at most so many times its line, and so many bytes more. */
	struct {
		unsigned lines;
		size_t bytes;
	} most;
	/* Writes the frames of a stored line, returns their length together. */
	size_t (*encode)(void *memory, char *out, struct text line, uint64_t seq,
	                 const char *epoch);
};

static inline size_t encoding_most(const struct encoding *encoding, size_t line)
{
	return encoding->most.lines * line + encoding->most.bytes;
}

/* The line as it is stored: as a WebSocket's text frame, and as an event. */
extern const struct encoding encoding_frame, encoding_event;

#endif
