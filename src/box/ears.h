/* ears.h - voice notes of chats, heard by the engine of voice sessions. */
#ifndef BOX_EARS_H
#define BOX_EARS_H

#include "deliver/ears.h"

struct box;
struct box_ears;
struct processes;

struct box_ears *box_ears_create(struct box *box, struct processes *processes);
void box_ears_destroy(struct box_ears *ears); /* after the desk; NULL is fine */
struct ears box_ears_of(struct box_ears *ears);

#endif
