/* voice.c - voice sessions in a box: what their engines need, for as long as it is there. */
#include "voice/voice.h"

#include "box/parts.h"
#include "box/voice.h"

static struct voice_room *room_of(const struct box *box)
{
	return box_of_dialect(box, &dialect_voice);
}

void box_begin_voice(struct box *box)
{
	voice_begin(room_of(box), box->requests);
}

void box_stop_voice(struct box *box)
{
	if (room_of(box))
		voice_stop(room_of(box));
}

static void look(void *self, struct buf *out)
{
	voice_look(room_of(self), out);
}

static void check_speech(void *self)
{
	voice_check(room_of(self));
}

struct web_voice box_web_voice(struct box *box)
{
	return (struct web_voice){.self = box, .look = look, .check = check_speech};
}
