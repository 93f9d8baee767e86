/* desk_routes.h - runs that are sent to chats, as the desk sees to them. */
#ifndef DELIVER_DESK_ROUTES_H
#define DELIVER_DESK_ROUTES_H

#include "deliver/desk_inside.h"

void desk_watch_ends(struct desk *d);
int64_t desk_work_routes(struct desk *d); /* when it wants to be called again */

#endif
