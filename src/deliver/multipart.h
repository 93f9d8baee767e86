/* multipart.h - a form with a file in it, as the body of a request (RFC 7578). */
#ifndef DELIVER_MULTIPART_H
#define DELIVER_MULTIPART_H

#include "base/buf.h"
#include "base/error.h"
#include "deliver/message.h"

#define MULTIPART_MARK_BYTES 16

/* A copy, whose path is the caller's. */
struct channel_upload multipart_keep(const struct channel_upload *file);

/* All of it, as a body that is nothing else.  False: it cannot be read. */
#define MULTIPART_FILE_MAX (21 * MIB) /* of the buffer: room for the reading, too */
bool multipart_read(const struct channel_upload *file, struct buf *out, struct error *why);

struct multipart {
	struct buf body;
	char mark[2 * MULTIPART_MARK_BYTES + 1]; /* between its parts; nobody can guess it */
	char header[80];                         /* Content-Type: ... */
};

void multipart_begin(struct multipart *m);
void multipart_finish(struct multipart *m);

void multipart_add(struct multipart *m, const char *name, struct text value);
void multipart_add_json(struct multipart *m, const char *name, struct text json);
/* False: it cannot be read. */
bool multipart_add_file(struct multipart *m, const char *name, const struct channel_upload *file,
                        struct error *why);
void multipart_end(struct multipart *m); /* nothing follows */

#endif
