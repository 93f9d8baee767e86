/* attend.h - a person is told what matters: by screens, the desktop, a command of theirs. */
#ifndef BOX_ATTEND_H
#define BOX_ATTEND_H

#include "base/buf.h"

struct attend;
struct box;

void box_make_attend(struct box *box);   /* when the past is folded, before anything new comes */
void box_attend(struct box *box);        /* sessions or questions changed; before they are told */
void box_follow_attend(struct box *box); /* the configuration is another one */
void box_stop_attend(struct box *box);   /* before the sessions are */

/* Members of an object: `"all":[..],"desktop"`: for native. */
void box_matters(void *self, struct buf *out);

#endif
