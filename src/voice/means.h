/* means.h - what roles that are no mock work with; for whoever writes one.
 *
 * The `of` of a role that hears or says is a struct voice_means, that of one that thinks a struct
 * voice_thinker.  Both outlive its work.
 */
#ifndef VOICE_MEANS_H
#define VOICE_MEANS_H

#include "bus/back.h"
#include "voice/engine.h"
#include "voice/place.h"

#define VOICE_RATE 16000        /* what clients send: PCM of 16 bits, mono, in base64 */
#define VOICE_SAY_RATE 24000    /* what clients are given, whatever the engine gives */
#define VOICE_SECONDS_MAX 120   /* of one utterance; more is too_long */
#define VOICE_PATIENCE_MS 30000 /* that an engine may be silent, when it is its turn */

struct bus;
struct loop;
struct requests;
struct voice_about;
struct voice_local;

/* Of the box, for all of them. */
struct voice_around {
	struct loop *loop;
	struct bus *bus;
	struct requests *requests;
	struct back back;
	const char *data; /* DATA */
	struct voice_local *local;
};

/* Of one engine, as the configuration has it.  What is not said is NULL. */
struct voice_means {
	const struct voice_around *around;
	struct voice_place place;
	char *model, *voice, *language;
	char *credential;          /* its value */
	bool has_started;          /* signalbox-speech, which it leaves at its end */
	struct voice_about *about; /* what it says of itself; NULL: it is not asked */
};

enum thinker_state {
	THINKER_RESTS, /* in this turn nothing was asked */
	THINKER_ASKED,
	THINKER_DONE,   /* the source has ended the run, */
	THINKER_FAILED, /* and with words why */
};

/* Of one session: whom it asks, and how its runs are called. */
struct voice_thinker {
	const struct voice_around *around;
	const char *source;
	const char *talk, *turn; /* ids: the conversation's, and the run's that goes on */
	enum thinker_state *state;
};

/* Who has no role: each turn fails with these words. */
struct voice_excuse {
	enum voice_code code;
	bool retryable;
	struct error words;
};

extern const struct voice_role voice_hear_http, voice_say_http;
extern const struct voice_role voice_hear_wyoming, voice_say_wyoming, voice_think_source,
	voice_excuses;

#endif
