/* back.h - the way back in a box: its back ends, and what people do on a screen. */
#ifndef BOX_BACK_H
#define BOX_BACK_H

#include "bus/backs.h"

struct box;

void box_make_back(struct box *box);
void box_destroy_back(struct box *box);
struct back box_back(struct box *box); /* for screens */
/* As sources_options.verdict says. */
void box_tell_verdict(void *self, uint64_t ticket, enum back_answer verdict, const char *why);
void box_hear_people(struct box *box); /* what they do on a screen, for whom it concerns */

#endif
