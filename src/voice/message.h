/* message.h - what a client says, read; pure. */
#ifndef VOICE_MESSAGE_H
#define VOICE_MESSAGE_H

#include "signal/json.h"
#include "voice/events.h"

#define VOICE_WORDS_MAX 192

struct voice_message {
	enum voice_asked event;
	yyjson_val *payload; /* as its schema has it; valid until the reader reads again */
};

/* Why it is none, as the client is told. */
struct voice_refusal {
	enum voice_code code;
	char words[VOICE_WORDS_MAX];
};

/* features: VOICE_BIT of those that its client has; what needs another is not known to it. */
bool voice_message_read(struct json_reader *reader, struct text raw, unsigned features,
                        struct voice_message *out, struct voice_refusal *why);

/* The refusal of a message that is no text. */
struct voice_refusal voice_message_binary(void);

#endif
