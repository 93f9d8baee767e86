/* resume.h - where each source was, and which asks were under way, when the box last ended. */
#ifndef BOX_RESUME_H
#define BOX_RESUME_H

struct box;

void box_make_resume(struct box *box);
void box_end_asks(struct box *box); /* those that the last life cut off */

#endif
