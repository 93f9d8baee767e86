/* voice.h - voice sessions in a box. */
#ifndef BOX_VOICE_H
#define BOX_VOICE_H

#include "web/voice.h"

struct box;

void box_begin_voice(struct box *box); /* once requests can be made */
void box_stop_voice(struct box *box);  /* before nobody can be asked any more */
struct web_voice box_web_voice(struct box *box);

#endif
