/* usage.h - what agents spent, in a box. */
#ifndef BOX_USAGE_H
#define BOX_USAGE_H

#include "base/error.h"

struct box;
struct prices;
struct spending;

bool box_make_usage(struct box *box, struct error *why); /* before the past is folded */
void box_open_usage(struct box *box);                    /* keeps it from now on */
void box_close_usage(struct box *box);                   /* the journal is about to close */
void box_await_usage(void *self); /* old signals are to go: what they told must be kept */
const char *box_usage_trouble(const struct box *box); /* NULL: it is kept */
void box_free_usage(struct box *box);
struct spending *box_spending(struct box *box);
const struct prices *box_prices(struct box *box);

#endif
