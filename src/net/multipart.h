/* multipart.h - a form with a file in it, as the body of a request (RFC 7578). */
#ifndef NET_MULTIPART_H
#define NET_MULTIPART_H

#include "base/buf.h"

#define MULTIPART_MARK_BYTES 16
#define MULTIPART_REST_MAX (1 * MIB) /* of a form, besides its file */

struct multipart {
	struct buf body;
	char mark[2 * MULTIPART_MARK_BYTES + 1]; /* between its parts; nobody can guess it */
	char header[80];                         /* Content-Type: ... */
};

void multipart_begin(struct multipart *m, size_t file_max);
void multipart_finish(struct multipart *m);

void multipart_add(struct multipart *m, const char *name, struct text value);
void multipart_add_json(struct multipart *m, const char *name, struct text json);

/* The bytes of a file are added to the body in between.  How it is called and its type may be a
 * stranger's. */
struct multipart_file {
	const char *name; /* of the part */
	struct text filename, type;
};
void multipart_begin_file(struct multipart *m, const struct multipart_file *file);
void multipart_end_file(struct multipart *m);

void multipart_end(struct multipart *m); /* nothing follows */

#endif
