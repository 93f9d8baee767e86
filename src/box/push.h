/* push.h - Web Push between the doors: matters out, subscriptions in. */
#ifndef BOX_PUSH_H
#define BOX_PUSH_H

#include "base/error.h"
#include "web/web.h"

struct box;
struct matter;

bool box_make_push(struct box *box, struct error *why); /* after the requests */
void box_stop_push(struct box *box);
struct web_push box_web_push(struct box *box);

/* A session waits, or failed; or somebody has seen to it. */
void box_push_matter(struct box *box, const struct matter *matter, bool is_settled);

#endif
