/* place.h - where an engine is, as the configuration writes it:
 *
 *	tcp://HOST:PORT, unix:PATH     a server that speaks Wyoming
 *	http://HOST/v1, https://...    one with the routes of OpenAI
 *	local                          signalbox-speech, which the box starts itself
 */
#ifndef VOICE_PLACE_H
#define VOICE_PLACE_H

#include "voice/wyoming_line.h"

enum voice_form {
	VOICE_NOWHERE, /* none is named */
	VOICE_WYOMING,
	VOICE_HTTP,
	VOICE_LOCAL,
	VOICE_FORMS,
};

struct voice_place {
	enum voice_form form;
	char *written;
	struct wyoming_place wyoming; /* of that form */
	bool is_hosted;               /* sound that goes there leaves this machine */
};

/* An empty text is nowhere. */
bool voice_place_read(struct text written, struct voice_place *out, struct error *why);
void voice_place_finish(struct voice_place *place);

#endif
