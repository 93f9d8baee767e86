/* transcript.h - the frames of a transcript, one after the other. */
#ifndef TUI_TRANSCRIPT_H
#define TUI_TRANSCRIPT_H

#include "base/buf.h"
#include "base/error.h"

struct transcript {
	int fd;
	struct buf bytes;
	size_t at;        /* of bytes, up to which it is read */
	bool is_over;     /* the file has no more */
	bool is_too_long; /* the rest of this line is passed over */
};

/* A file, or a directory with a transcript.jsonl in it. */
bool transcript_open(struct transcript *transcript, const char *path, struct error *why);
void transcript_close(struct transcript *transcript);

/* The next line that is not empty; lines that no frame can have are passed over.  False
 * at the end. */
bool transcript_next(struct transcript *transcript, struct text *line);

#endif
