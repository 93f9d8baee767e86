/* api_voice.c - who hears, thinks and says in voice sessions. */
#include "base/put.h"
#include "web/inside.h"

#define VOICE_LOOK_MAX (64 * KIB)

void api_voice(struct call *call)
{
	const struct web_voice *voice = &call->web->options.voice;
	struct buf out;

	buf_init(&out, VOICE_LOOK_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	voice->look(voice->self, &out);
	web_answer_object(call, &out);
}

void api_voice_check(struct call *call)
{
	const struct web_voice *voice = &call->web->options.voice;

	voice->check(voice->self);
	api_voice(call);
}
