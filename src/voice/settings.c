/* settings.c - the keys of voice sessions in the configuration. */
#include "config/check.h"
#include "config/fields.h"
#include "voice/kit.h"

#define IN(member) offsetof(struct voice_config, member)
#define MOCK(member) offsetof(struct voice_mock_times, member)
#define LONGEST_MS 60000
#define SILENCE_LEAST_MS 200 /* less is a pause between two words */
#define SILENCE_MOST_MS 5000

static const char *const switches[] = {"off", "on", NULL};
static const char *const kept[] = {"none", "text", NULL};

#define CHOICE(member) offsetof(struct voice_choice, member)
#define HEAR(member) offsetof(struct voice_wish, member)

static const char *const uses[] = {"auto", "mock", NULL};

static bool check_place(enum voice_part part, struct text written, struct error *why)
{
	struct voice_place place;
	bool good = voice_place_read(written, &place, why) && voice_kit_can(part, &place, why);

	voice_place_finish(&place);
	return good;
}

static bool check_hear(struct text written, struct error *why)
{
	return check_place(VOICE_HEAR, written, why);
}

static bool check_say(struct text written, struct error *why)
{
	return check_place(VOICE_SAY, written, why);
}

static const struct field hear_fields[] = {
	{"place", FIELD_TEXT, HEAR(place),
         "tcp://HOST:PORT or unix:PATH (Wyoming), http(s)://HOST/v1 (OpenAI), local",
         .check = check_hear},
	{"model", FIELD_TEXT, HEAR(model), "which of its models"},
	{"language", FIELD_TEXT, HEAR(language), "that is spoken, like en"},
	{"vad", FIELD_SWITCH, HEAR(vad),
         "a Wyoming server that tells when somebody speaks, as local does", "false"},
	{"credential", FIELD_TEXT, HEAR(credential), "${NAME}: from the environment",
         .check = check_reference},
	{"credential_file", FIELD_TEXT, HEAR(credential_file),
         "or the file that holds it, from `data` unless it begins with /"},
	{0},
};

static const struct field say_fields[] = {
	{"place", FIELD_TEXT, HEAR(place), "likewise", .check = check_say},
	{"model", FIELD_TEXT, HEAR(model), "which of its models"},
	{"voice", FIELD_TEXT, HEAR(voice), "which of its voices"},
	{"language", FIELD_TEXT, HEAR(language), "that it speaks, like en"},
	{"credential", FIELD_TEXT, HEAR(credential), "${NAME}: from the environment",
         .check = check_reference},
	{"credential_file", FIELD_TEXT, HEAR(credential_file),
         "or the file that holds it, from `data` unless it begins with /"},
	{0},
};

static const struct field engine_fields[] = {
	{"use", FIELD_CHOICE, CHOICE(use),
         "auto (hear and say, else local if checked, else mock), mock; `engine: mock` is enough",
         "auto", .choices = uses},
	{"hear", FIELD_GROUP, CHOICE(hear), "who hears: a place, or place and more",
         .fields = hear_fields, .brief = true},
	{"think", FIELD_TEXT, CHOICE(think), "instead of voice.think"},
	{"say", FIELD_GROUP, CHOICE(say), "who says the answer, likewise", .fields = say_fields,
         .brief = true},
	{0},
};

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
	{"engine", FIELD_GROUP, IN(engine), "who hears, thinks and says", .fields = engine_fields,
         .brief = true},
	{"think", FIELD_TEXT, IN(think), "the id of the source that is asked"},
	{"silence", FIELD_TIME, IN(silence), "after which somebody has spoken, hands-free", "700ms",
         SILENCE_LEAST_MS, SILENCE_MOST_MS},
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
