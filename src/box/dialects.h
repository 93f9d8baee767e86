/* dialects.h - the languages that clients speak: made, told of what concerns them all. */
#ifndef BOX_DIALECTS_H
#define BOX_DIALECTS_H

#include "base/error.h"
#include "config/serve.h"
#include "hub/dialect.h"

#define BOX_DIALECTS_MAX 16

struct box;

/* Their keys in the configuration, before one is read. */
void box_declare_dialects(void);

/* Those that the hub offers, with what is theirs; how many. */
size_t box_make_dialects(struct box *box, struct hub_dialect *out);
void box_follow_dialects(struct box *box); /* the configuration is another one */
void *box_of_dialect(const struct box *box, const struct dialect *dialect); /* what it made */
void box_free_dialects(struct box *box);                                    /* after the hub */

/* To whoever wants to know, once there is a hub. */
void box_tell(struct box *box, const struct news *news);

/* Is there one of that name that a listener can pin? */
bool box_can_pin(struct text name, struct error *why);

#endif
