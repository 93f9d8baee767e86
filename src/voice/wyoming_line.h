/* wyoming_line.h - a connection to a speech engine that speaks Wyoming: one for each utterance,
 * because closing it is the only way to interrupt one.
 *
 * Events may be sent at once and go when the engine is reached.  It ends once: by close(), or
 * with failed(), which says why in words.  Both callbacks may close it.
 */
#ifndef VOICE_WYOMING_LINE_H
#define VOICE_WYOMING_LINE_H

#include "net/loop.h"
#include "parse/wyoming.h"

#define WYOMING_DIAL_MS 5000
#define WYOMING_WAITING_MAX \
	(8 * MIB) /* bytes that the engine has not taken: two minutes of sound */

/* Where it is: "tcp://HOST:PORT" or "unix:PATH". */
struct wyoming_place {
	char *host, *path;
	uint16_t port;
};
bool wyoming_place_read(struct text address, struct wyoming_place *out, struct error *why);
void wyoming_place_finish(struct wyoming_place *place);

struct wyoming_line;

struct wyoming_line_options {
	struct loop *loop;
	const struct wyoming_place *place; /* borrowed until it is over */
	void *self;
	void (*heard)(void *self, const struct wyoming_event *event);
	void (*failed)(void *self, const char *why); /* once, and last; the line is gone then */
};

struct wyoming_line *wyoming_line_open(const struct wyoming_line_options *options);
void wyoming_line_close(struct wyoming_line *line); /* NULL is fine */

/* Data is a JSON object, or empty. */
void wyoming_line_send(struct wyoming_line *line, const char *type, struct text data,
                       struct text payload);
void wyoming_line_send_sound(struct wyoming_line *line, const char *type,
                             const struct wyoming_format *format, struct text pcm);

/* From now on it fails when nothing comes for so long; 0: it may be silent. */
void wyoming_line_expect(struct wyoming_line *line, unsigned ms);
/* Stop reading what it says, or go on.  Nothing is expected of one that is not read. */
void wyoming_line_hush(struct wyoming_line *line, bool hush);

#endif
