/* deliver.h - chats, in a box. */
#ifndef BOX_DELIVER_H
#define BOX_DELIVER_H

#include "base/text.h"

struct box;
struct error;

void *box_make_custody(struct box *box);
void *box_make_ends(struct box *box); /* after custody */ /* to be folded */
/* After the back ends and the folds' past. */
bool box_make_desk(struct box *box, struct error *why);
void box_touch_desk(struct box *box);  /* a prompt was opened, or is over */
void box_begin_desk(struct box *box);  /* everything stands: what was left is taken up */
void box_follow_desk(struct box *box); /* another configuration */
void box_hush_desk(struct box *box);   /* before what runs is ended */
void box_stop_desk(struct box *box);

/* A voice note was heard, or it was not: see desk_take_heard(). */
void box_take_heard(struct box *box, uint64_t number, struct text words, const char *why);

struct web_chat box_web_chat(struct box *box);

#endif
