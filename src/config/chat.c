/* chat.c - the keys of chats. */
#include "config/chat.h"

#include <string.h>

#include "base/buf.h"
#include "config/check.h"

#define CHARS_MAX 100000
#define DELAY_MAX 600000
#define JOINER_MAX 16

#define IN(kind, member) offsetof(struct config_##kind, member)

static const char *const switches[] = {"auto", "false", "true", NULL};
static const char *const modes[] = {"auto", "accumulate", "blocks", "draft_edit", "progress", NULL};
static const char *const typings[] = {"auto", "instant", "message", "thinking", "never", NULL};
static const char *const paces[] = {"auto", "off", "natural", "custom", "on", NULL};
const char *const config_tools_words[] = {"auto", "off", "on", "full", NULL};
static const char *const breaks[] = {"auto", "paragraph", "newline", "sentence", NULL};
static const char *const idles[] = {"auto", "sends", "gated", NULL};
static const char *const restarts[] = {"tell", "again", NULL};
static const char *const unknowns[] = {"again", "leave", NULL};

static bool check_joiner(struct text value, struct error *why)
{
	return value.len <= JOINER_MAX || error_set(why, "longer than %d bytes", JOINER_MAX);
}

/* Channels know their own scheme; it has no query, and nobody's password. */
static bool check_base_url(struct text value, struct error *why)
{
	const char *colon = memmem(value.at, value.len, "://", 3);

	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.at[i] <= ' ' || strchr("?#@\x7f", value.at[i]))
			colon = NULL;
	return (colon && colon > value.at && colon + 3 < value.at + value.len) ||
	       error_set(why, "it is no SCHEME://HOST[:PORT][/PATH]");
}

const struct field config_delay_fields[] = {
	{"mode", FIELD_CHOICE, IN(delay, mode),
         "the pause before each block but the first: off, natural (also on: 800 to 2500 ms), "
         "custom",
         "auto", .choices = paces},
	{"min_ms", FIELD_COUNT, IN(delay, min_ms), "of custom, at least", "0", 0, DELAY_MAX},
	{"max_ms", FIELD_COUNT, IN(delay, max_ms), "of custom, at most", "0", 0, DELAY_MAX},
	{0},
};

static const struct field coalescing_fields[] = {
	{"min_chars", FIELD_COUNT, IN(coalescing, min_chars),
         "from so many on the end of a paragraph sends what was gathered; 0: 800", "0", 0,
         CHARS_MAX},
	{"max_chars", FIELD_COUNT, IN(coalescing, max_chars),
         "of a block, if the channel's messages hold so many; 0: 1200", "0", 0, CHARS_MAX},
	{"idle_ms", FIELD_COUNT, IN(coalescing, idle_ms),
         "without a word, after which what there is is sent; 0: 1000", "0", 0, DELAY_MAX},
	{"joiner", FIELD_TEXT, IN(coalescing, joiner),
         "between texts that are gathered; not given: as break_preference says",
         .check = check_joiner, .lines = true},
	{"flush_on_enqueue", FIELD_CHOICE, IN(coalescing, flush_on_enqueue),
         "each text leaves by itself: auto, true, false", "auto", .choices = switches},
	{"idle", FIELD_CHOICE, IN(coalescing, idle),
         "of a text below min_chars: sends, or gated (it waits for more)", "auto",
         .choices = idles},
	{0},
};

static const struct field chunking_fields[] = {
	{"min_chars", FIELD_COUNT, IN(chunking, min_chars),
         "of a piece, before it is cut at a good place; 0: 800", "0", 0, CHARS_MAX},
	{"max_chars", FIELD_COUNT, IN(chunking, max_chars), "of a piece; 0: 1200", "0", 0,
         CHARS_MAX},
	{"break_preference", FIELD_CHOICE, IN(chunking, break_preference),
         "where a piece ends if it can: paragraph, newline, sentence", "auto", .choices = breaks},
	{"flush_on_paragraph", FIELD_CHOICE, IN(chunking, flush_on_paragraph),
         "each paragraph is a piece: auto, true, false", "auto", .choices = switches},
	{0},
};

const struct field config_streaming_fields[] = {
	{"enabled", FIELD_CHOICE, IN(streaming, enabled),
         "the reply is sent as it grows: auto, true, false (one message at its end)", "auto",
         .choices = switches},
	{"mode", FIELD_CHOICE, IN(streaming, mode),
         "accumulate (one message at the end), blocks (a message for each block), draft_edit (one "
         "that is edited as it grows), progress (one that says what is done, taken away at the "
         "end); the last two where messages can be edited, else accumulate",
         "auto", .choices = modes},
	{"typing", FIELD_CHOICE, IN(streaming, typing),
         "when typing is shown: instant, message, thinking, never; auto: instant for who is "
         "spoken to, message in groups",
         "auto", .choices = typings},
	{"typing_interval_ms", FIELD_COUNT, IN(streaming, typing_interval_ms),
         "between two times that it is shown; 0: the channel's own", "0", 0, DELAY_MAX},
	{"tool_results", FIELD_CHOICE, IN(streaming, tool_results),
         "what tools of the agent did, a message each: off, on (which, and what it was about), "
         "full (and what it gave)",
         "auto", .choices = config_tools_words},
	{"human_delay", FIELD_GROUP, IN(streaming, human_delay), "pauses between blocks",
         .fields = config_delay_fields},
	{"coalescing", FIELD_GROUP, IN(streaming, coalescing), "how blocks are gathered",
         .fields = coalescing_fields},
	{"chunking", FIELD_GROUP, IN(streaming, chunking), "how text is cut",
         .fields = chunking_fields},
	{0},
};

const struct field config_adapter_fields[] = {
	{"name", FIELD_TEXT, IN(adapter, name), "how it is called", .check = check_name},
	{"channel", FIELD_TEXT, IN(adapter, channel),
         "what it is: discord, file, irc, ntfy, slack, telegram, terminal, or any other that "
         "`command` connects; not given: as it is called",
         .check = check_name},
	{"command", FIELD_TEXTS, IN(adapter, command),
         "of a channel that is none of these: the program that connects it, and its arguments",
         .check = check_argument, .count = IN(adapter, command_count)},
	{"agent", FIELD_TEXT, IN(adapter, agent), "the source that is asked there"},
	{"inbox", FIELD_TEXT, IN(adapter, inbox),
         "of a file: what people write, a JSON line each; from `data` unless it begins with /"},
	{"outbox", FIELD_TEXT, IN(adapter, outbox), "of a file: what they get, likewise"},
	{"url", FIELD_TEXT, IN(adapter, url), "of its platform, where that is not the usual one",
         .check = check_base_url},
	{"topic", FIELD_TEXT, IN(adapter, topic), "of ntfy: the one that is read"},
	{"press_url", FIELD_TEXT, IN(adapter, press_url),
         "of ntfy: how phones reach the box; without it questions have no buttons there",
         .check = check_base_url},
	{"nick", FIELD_TEXT, IN(adapter, nick), "of irc: how the box is called there"},
	{"rooms", FIELD_TEXTS, IN(adapter, rooms), "of irc: those that it enters by itself",
         .count = IN(adapter, room_count)},
	{"credential", FIELD_TEXT, IN(adapter, credential), "${NAME}: from the environment",
         .check = check_reference},
	{"credential_file", FIELD_TEXT, IN(adapter, credential_file),
         "or the file that holds it, from `data` unless it begins with /"},
	{"app_credential", FIELD_TEXT, IN(adapter, app_credential),
         "of slack: the token of the app, ${NAME}: from the environment", .check = check_reference},
	{"app_credential_file", FIELD_TEXT, IN(adapter, app_credential_file),
         "of slack: or the file that holds it, from `data` unless it begins with /"},
	{"response_prefix", FIELD_TEXT, IN(adapter, response_prefix),
         "each message begins so; {identity.name} is the agent, and {model}, {provider} and "
         "{modelFull} are its model, as the turn before or the configuration says"},
	{"on_restart", FIELD_CHOICE, IN(adapter, on_restart),
         "of a question whose run a restart ended: tell (that it has to be asked again), again",
         "tell", .choices = restarts},
	{"on_unknown", FIELD_CHOICE, IN(adapter, on_unknown),
         "of a message of which nobody knows whether it arrived: again (once, and it says so), "
         "leave",
         "again", .choices = unknowns},
	{"streaming", FIELD_GROUP, IN(adapter, streaming),
         "how replies are sent there; as the top level has it, and over that",
         .fields = config_streaming_fields},
	{0},
};

const struct field config_deliver_fields[] = {
	{"again", FIELD_TEXT, IN(deliver, again), "before a message that may come twice",
         "(again, after a restart)"},
	{"restarted", FIELD_TEXT, IN(deliver, restarted),
         "the answer to a question whose run a restart ended",
         "(the box restarted, please ask again)"},
	{"failed", FIELD_TEXT, IN(deliver, failed),
         "the answer where an agent failed after a part of its reply was sent",
         "Sorry, I encountered an error."},
	{"lost", FIELD_TEXT, IN(deliver, lost),
         "follows an answer that was sent twice, where nobody knows whether it arrived",
         "(nobody knows whether the answer arrived, please ask again)"},
	{"gather", FIELD_TIME, IN(deliver, gather_ms),
         "texts of one sender that come so quickly are one question, for at most 3s and 256 KiB",
         "300ms", 0, 10000},
	{0},
};

const struct field config_media_fields[] = {
	{"receive", FIELD_SWITCH, IN(media, receive),
         "pictures, files and voice notes of people who may ask are fetched, 20 MiB each", "true"},
	{"send", FIELD_SWITCH, IN(media, send),
         "pictures and files that agents name go to chats, 20 MiB each: of the internet, and of "
         "`directory`",
         "false"},
	{"directory", FIELD_TEXT, IN(media, directory),
         "what agents send is taken from it, and from nowhere else on the disk; from `data` unless "
         "it begins with /"},
	{"keep", FIELD_TIME, IN(media, keep_ms), "how long they stay in `data`", "168h", 60000,
         30U * 24 * 3600 * 1000},
	{"room", FIELD_SIZE, IN(media, room), "that all of them may take; the oldest go", "1GiB",
         32 * MIB, 1024 * 1024 * MIB},
	{0},
};

/* What the box has itself needs no program, and all others need one. */
static bool check_kind(const struct config_adapter *a, const char *channel, struct error *why)
{
	if (a->command_count)
		return !check_channel(text_of(channel), NULL) ||
		       error_set(why, "%s needs no 'command'", channel);
	return check_channel(text_of(channel), why) || error_within(why, "without 'command'");
}

bool config_check_adapter(const void *row, size_t rows_before, struct error *why)
{
	const struct config_adapter *a = row;
	const char *channel = a->channel ? a->channel : a->name;

	if (!check_kind(a, channel, why))
		return false;
	if (text_is(text_of(channel), "slack") && !((a->credential || a->credential_file) &&
	                                            (a->app_credential || a->app_credential_file)))
		return error_set(why, "slack needs 'credential' and 'app_credential', or the files "
		                      "that hold them");
	if (!text_is(text_of(channel), "file"))
		return true;
	return (a->inbox && a->outbox) || error_set(why, "a file needs 'inbox' and 'outbox'");
}
