/* message.c - from the bytes of a client to an event that its schema allows. */
#include "voice/message.h"

#include <stdio.h>

#include "base/utf8.h"
#include "signal/shape.h"

#define TYPE_SHOWN 100 /* bytes of a type that is not known */

#define NOT_JSON "message must be valid JSON"
#define NO_ENVELOPE "message must match the shared envelope shape"
#define NO_OBJECT "message payload must be an object"
#define NO_EVENT "unsupported client event type: "

static bool refuse_as(struct voice_refusal *why, enum voice_code code, const char *words,
                      struct text more)
{
	struct text shown = utf8_cut(more, TYPE_SHOWN);

	why->code = code;
	snprintf(why->words, sizeof(why->words), "%s%.*s", words, TEXT_ARG(shown));
	return false;
}

/* ASKED_EVENTS: it is none, or of a feature that the client has not. */
static unsigned find_event(struct text type, unsigned features)
{
	for (unsigned i = 0; i < ASKED_EVENTS; i++)
		if (text_equal(type, voice_asked[i].type) && !(voice_asked[i].feature & ~features))
			return i;
	return ASKED_EVENTS;
}

bool voice_message_read(struct json_reader *reader, struct text raw, unsigned features,
                        struct voice_message *out, struct voice_refusal *why)
{
	yyjson_doc *doc = json_read(reader, raw, NULL);
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct text type = json_text_at(root, "type"), none = {0};
	unsigned event = find_event(type, features);

	out->payload = yyjson_obj_get(root, "payload");
	if (!doc)
		return refuse_as(why, VOICE_INVALID_JSON, NOT_JSON, none);
	if (!type.at || !out->payload)
		return refuse_as(why, VOICE_INVALID_MESSAGE, NO_ENVELOPE, none);
	if (!yyjson_is_obj(out->payload))
		return refuse_as(why, VOICE_INVALID_MESSAGE, NO_OBJECT, none);
	if (event == ASKED_EVENTS)
		return refuse_as(why, VOICE_INVALID_MESSAGE, NO_EVENT, type);
	if (!shape_check_quickly(voice_asked[event].payload, out->payload, NULL))
		return refuse_as(why, VOICE_INVALID_MESSAGE, NO_ENVELOPE, none);
	out->event = (enum voice_asked)event;
	return true;
}

struct voice_refusal voice_message_binary(void)
{
	return (struct voice_refusal){VOICE_INVALID_MESSAGE, NO_ENVELOPE};
}
