/* presence.h - who is connected and how the box is: what snapshots have, and events tell when it
 * changes.  Each has a version that only grows.
 */
#ifndef GATEWAY_PRESENCE_H
#define GATEWAY_PRESENCE_H

#include <yyjson.h>

#include "base/buf.h"

struct deadline;
struct gateway;
struct gateway_view;

#define GATEWAY_PRESENT_MAX 50 /* the newest are listed */

/* What a client said of itself becomes its card. */
void gateway_write_card(struct gateway_view *view, yyjson_val *client);
void gateway_drop_card(struct gateway_view *view);

void gateway_put_presence(const struct gateway *g, struct buf *out); /* the items of a list */
void gateway_put_health(const struct gateway *g, struct buf *out);   /* an object's members */
void gateway_put_versions(const struct gateway *g, struct buf *out); /* "stateVersion" */

void gateway_presence_changed(struct gateway *g); /* it is told within a second */
void gateway_tell_presence(struct deadline *gather);
void gateway_tell_presence_anew(struct gateway_view *view); /* it may have missed an event */
void gateway_tell_health(struct gateway *g);

#endif
