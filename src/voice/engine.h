/* engine.h - who hears, thinks and says in a turn; pure.
 *
 * An engine has up to three roles, and each role does one piece of work of a turn:
 *
 *   hear    is fed sound, tells what it heard so far, and at the end the words
 *   think   is fed the words of a person, and tells those of the answer
 *   say     is fed the words of the answer as they come, and tells their sound; an engine that
 *           has it not gives text alone, and so does every engine for a client without `audio`
 *
 * Work is begun, fed, ended and stopped by its session (session.h), and tells facts by its ear.
 * A fact names its turn, and one of a turn that is over is passed over.  told() may stop the work
 * that tells: whoever told a fact touches its work no more.
 *
 * Time is an argument.  A role whose work waits for its time says when (`due`), and is called
 * then; one that hears from elsewhere tells by itself.
 *
 * To add a role: a file with its table, a line in means.h and a row in kit.c.
 */
#ifndef VOICE_ENGINE_H
#define VOICE_ENGINE_H

#include "voice/events.h"

enum voice_fact_kind {
	FACT_PARTIAL,      /* hear: what is heard so far, in the place of the last: text */
	FACT_FINAL,        /* hear: what was said: text; the work is over */
	FACT_SPEAKS,       /* think: the answer begins */
	FACT_DELTA,        /* think: its next words: text */
	FACT_WHOLE,        /* think: that was all of it; the work is over */
	FACT_SOUND,        /* say: the next sound, PCM16 in base64: text, rate */
	FACT_QUIET,        /* say: all that it was fed is said; the work is over */
	FACT_TOOL_STARTED, /* think: text has its name */
	FACT_TOOL_FINISHED,
	FACT_STIRRED,        /* any: nothing, but its time may be another */
	FACT_SPEECH_STARTED, /* hear: somebody speaks, */
	FACT_SPEECH_STOPPED, /* and is silent again */
	FACT_FAILED,         /* any: code, text; the turn is over */
	FACT_KINDS,
};

struct voice_fact {
	enum voice_fact_kind kind;
	struct text text;     /* of FACT_FAILED: in words */
	enum voice_code code; /* of FACT_FAILED */
	bool retryable;       /* likewise */
	unsigned rate;        /* of FACT_SOUND: samples a second */
	uint64_t now_ms;
};

struct voice_ear {
	void *self;
	uint64_t turn;
	void (*told)(void *self, uint64_t turn, const struct voice_fact *fact);
	/* hear: the silence after which nobody speaks any more, for an engine that finds speech
	 * itself; 0: it is not asked for that. */
	unsigned silence_ms;
	bool is_ahead; /* hear: no turn has begun, and what is silent before one is none of it */
};

#define VOICE_SPEECH_MS 250 /* of speech, after which such an engine says that it started */

/* Who finds out whether somebody speaks: none, an engine itself, or gate.h. */
enum voice_finder { VOICE_FINDS_NOTHING, VOICE_FINDS_ITSELF, VOICE_FINDS_BY_GATE };

#define VOICE_NEVER UINT64_MAX

struct voice_role {
	/* of: struct voice_engine's. */
	void *(*begin)(const void *of, const struct voice_ear *ear, uint64_t now_ms);
	void (*feed)(void *work, struct text piece, uint64_t now_ms);
	void (*end)(void *work, uint64_t now_ms); /* that was all that it is fed */
	void (*stop)(void *work);                 /* at once; frees it, and it tells nothing more */
	/* Both may be NULL: it tells by itself. */
	uint64_t (*due)(const void *work);         /* or VOICE_NEVER */
	void (*tick)(void *work, uint64_t now_ms); /* its time has come: one fact at most */
};

enum voice_part { VOICE_HEAR, VOICE_THINK, VOICE_SAY, VOICE_PARTS };

struct voice_engine {
	const char *name;
	unsigned features; /* VOICE_BIT of those that it can do, besides what needs no engine */
	const struct voice_role *parts[VOICE_PARTS]; /* that of VOICE_SAY may be NULL */
	const void *of[VOICE_PARTS];                 /* what each works with */
	enum voice_finder finds;
	/* hear: a whole turn without sound, for mocked.turn.trigger.  NULL: it cannot. */
	void (*trigger)(void *work, uint64_t now_ms);
};

#endif
