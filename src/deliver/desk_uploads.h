/* desk_uploads.h - pictures and files that agents send: copied before they leave. */
#ifndef DELIVER_DESK_UPLOADS_H
#define DELIVER_DESK_UPLOADS_H

#include "deliver/desk_inside.h"

struct desk_uploads *desk_uploads_create(void);
void desk_uploads_destroy(struct desk_uploads *u); /* what is under way is given up */

/* As outbox_options.file, of a desk. */
enum outbox_file desk_find_upload(void *self, const struct letter *l, unsigned number,
                                  struct channel_upload *file, struct error *why);

/* Pictures and files of a payload, for a wish; they lie in the buffer. */
void desk_add_media(const struct payload *payload, struct buf *media, struct outbox_wish *wish);

#endif
