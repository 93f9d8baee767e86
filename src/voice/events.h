/* events.h - the events of a voice session, by name.
 *
 * Names, features, codes and the payloads of clients are generated from schema/voice.schema.json
 * by tools/schema-tables, and so is ui/src/voice/events.ts; these enums are checked against it
 * by `make check`.
 */
#ifndef VOICE_EVENTS_H
#define VOICE_EVENTS_H

#include "base/text.h"

struct shape;

enum voice_state {
	VOICE_IDLE,
	VOICE_LISTENING,
	VOICE_THINKING,
	VOICE_SPEAKING,
	VOICE_STATES,
};

enum voice_feature {
	VOICE_TURNS,
	VOICE_AUDIO,
	VOICE_TEXT,
	VOICE_TOOLS,
	VOICE_VAD,
	VOICE_RESUME,
	VOICE_HANDS_FREE,
	VOICE_FEATURES,
};

enum voice_code {
	VOICE_INVALID_JSON,
	VOICE_INVALID_MESSAGE,
	VOICE_MOCKED_TURN_IN_FLIGHT,
	VOICE_UNSUPPORTED_MOCKED_TURN_TRIGGER,
	VOICE_EXPIRED,
	VOICE_ENGINE_UNAVAILABLE,
	VOICE_NO_SPEECH,
	VOICE_TOO_LONG,
	VOICE_CANCELLED_UPSTREAM,
	VOICE_CODES,
};

/* What a client says. */
enum voice_asked {
	ASKED_SESSION_START,
	ASKED_MOCKED_TURN_TRIGGER,
	ASKED_INPUT_AUDIO_APPEND,
	ASKED_INPUT_AUDIO_COMMIT,
	ASKED_RESPONSE_CANCEL,
	ASKED_INPUT_TEXT,
	ASKED_SESSION_RESUME,
	ASKED_EVENTS,
};

/* What it is told. */
enum voice_told {
	TOLD_SESSION_READY,
	TOLD_SESSION_STATE,
	TOLD_TRANSCRIPT_PARTIAL,
	TOLD_TRANSCRIPT_FINAL,
	TOLD_RESPONSE_TEXT_DELTA,
	TOLD_RESPONSE_COMPLETED,
	TOLD_ERROR,
	TOLD_OUTPUT_AUDIO_DELTA,
	TOLD_OUTPUT_AUDIO_CLEAR,
	TOLD_TOOL_STARTED,
	TOLD_TOOL_FINISHED,
	TOLD_SPEECH_STARTED,
	TOLD_SPEECH_STOPPED,
	TOLD_EVENTS,
};

#define VOICE_BIT(feature) (1U << (unsigned)(feature))

struct voice_event {
	struct text type;
	unsigned feature;            /* VOICE_BIT of what it needs; 0: of the first version */
	const struct shape *payload; /* of what clients say; else NULL */
};

extern const struct voice_event voice_asked[ASKED_EVENTS];
extern const struct voice_event voice_told[TOLD_EVENTS];
extern const struct text voice_states[VOICE_STATES];
extern const struct text voice_features[VOICE_FEATURES];
extern const struct text voice_codes[VOICE_CODES];

#endif
