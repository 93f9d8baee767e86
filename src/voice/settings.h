/* settings.h - what the operator decided of voice sessions. */
#ifndef VOICE_SETTINGS_H
#define VOICE_SETTINGS_H

#include "voice/mock.h"

/* An engine that hears or says.  What is not said is NULL. */
struct voice_wish {
	char *place;                        /* place.h */
	char *model, *language, *voice;     /* the last of one that says */
	char *credential, *credential_file; /* one of the two, or neither */
	bool vad;                           /* of one that hears: it tells when somebody speaks */
};

struct voice_choice {
	enum { VOICE_USE_AUTO, VOICE_USE_MOCK } use;
	struct voice_wish hear, say;
	char *think;
};

struct voice_config {
	enum { VOICE_TRIGGER_OFF, VOICE_TRIGGER_ON } trigger; /* mocked.turn.trigger */
	enum { VOICE_KEEP_NONE, VOICE_KEEP_TEXT } keep;       /* what signals tell */
	struct voice_choice engine;
	char *think;      /* the source that is asked, unless the engine names one */
	unsigned silence; /* ms after which nobody speaks any more */
	struct voice_mock_times mock;
};

extern const struct config_group voice_settings;

#endif
