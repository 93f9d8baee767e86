/* recording.h - the lines of a file, one after the other, without waiting for the
 * disk. */
#ifndef SOURCE_RECORDING_H
#define SOURCE_RECORDING_H

#include "base/error.h"
#include "base/text.h"

struct loop;
struct recording;

enum recording_news {
	RECORDING_LINE,
	RECORDING_LONG, /* a line that nobody should have to hold; it is stepped over */
	RECORDING_WAIT, /* ready() will be called */
	RECORDING_END,
	RECORDING_FAILED, /* the disk does not give it */
};

/* ready is never called from inside recording_next. */
struct recording *recording_open(struct loop *loop, const char *path, void (*ready)(void *self),
                                 void *self, struct error *why);
void recording_close(struct recording *recording);

/* The line is valid until the next call. */
enum recording_news recording_next(struct recording *recording, struct text *line);
void recording_rewind(struct recording *recording); /* after RECORDING_END */

#endif
