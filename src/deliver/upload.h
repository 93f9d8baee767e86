/* upload.h - files on their way to a chat. */
#ifndef DELIVER_UPLOAD_H
#define DELIVER_UPLOAD_H

#include "base/buf.h"
#include "base/error.h"
#include "deliver/message.h"
#include "net/multipart.h"

/* A copy, whose path is the caller's. */
struct channel_upload upload_keep(const struct channel_upload *file);

/* All of it, as a body that is nothing else.  False: it cannot be read. */
#define UPLOAD_ROOM (21 * MIB) /* of the buffer: room for the reading, too */
bool upload_read(const struct channel_upload *file, struct buf *out, struct error *why);

/* As a part of a form, which has room for it.  Likewise. */
bool upload_add(struct multipart *form, const char *name, const struct channel_upload *file,
                struct error *why);

#endif
