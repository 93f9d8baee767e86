/* settings.c - the keys of voice sessions in the configuration. */
#include "config/fields.h"
#include "voice/voice.h"

#define IN(member) offsetof(struct voice_config, member)
#define MOCK(member) offsetof(struct voice_mock_times, member)
#define LONGEST_MS 60000

static const char *const switches[] = {"off", "on", NULL};
static const char *const kept[] = {"none", "text", NULL};

static const struct field mock_fields[] = {
	{"final", FIELD_TIME, MOCK(final), "until the transcript is there", "75ms", 0, LONGEST_MS},
	{"speaking", FIELD_TIME, MOCK(speaking), "until the answer begins", "150ms", 0, LONGEST_MS},
	{"first", FIELD_TIME, MOCK(first), "until its first piece", "225ms", 0, LONGEST_MS},
	{"second", FIELD_TIME, MOCK(second), "until its second piece", "300ms", 0, LONGEST_MS},
	{"end", FIELD_TIME, MOCK(end), "until it is whole", "375ms", 0, LONGEST_MS},
	{0},
};

static const struct field fields[] = {
	{"trigger", FIELD_CHOICE, IN(trigger), "clients may ask for a mocked turn: on, off", "on",
         .choices = switches},
	{"keep", FIELD_CHOICE, IN(keep),
         "what signals tell of what was said: text, none; sound is never kept", "text",
         .choices = kept},
	{"mock", FIELD_GROUP, IN(mock), "times of a mocked turn, since it was committed",
         .fields = mock_fields},
	{0},
};

const struct config_group voice_settings = {
	.name = "voice",
	.help = "voice sessions",
	.fields = fields,
	.size = sizeof(struct voice_config),
};
