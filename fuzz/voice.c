/* voice.c - fuzz: messages of a client of a voice session, in virtual time.
 *
 * The first byte has the features, each further line is a message, and a line that begins with a
 * digit is time that passes.  A message is an event as its schema has it or is refused in words;
 * a session says nothing of a turn that is over, and its turns begin and end one after the other.
 */
#include "base/utf8.h"
#include "lib/hold.h"
#include "voice/message.h"
#include "voice/mock.h"
#include "voice/session.h"

#define TEXT_MAX (64 * KIB)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct talk {
	struct voice_session session;
	uint64_t turn, now; /* 0: none is under way */
};

static void talk_say(void *self, const struct voice_said *said)
{
	const struct talk *t = self;

	must_hold(said->turn == t->turn);
	must_hold(said->event < TOLD_EVENTS && said->state < VOICE_STATES);
	if (said->event == TOLD_RESPONSE_TEXT_DELTA || said->event == TOLD_RESPONSE_COMPLETED)
		must_hold(t->turn);
}

static void talk_mark(void *self, uint64_t turn, enum voice_mark mark)
{
	struct talk *t = self;

	if (mark == MARK_BEGAN) {
		must_hold(!t->turn && turn);
		t->turn = turn;
		return;
	}
	must_hold(turn == t->turn);
	if (mark != MARK_HEARD)
		t->turn = 0;
}

static void hear(struct talk *t, const struct voice_message *message)
{
	static const enum voice_input inputs[ASKED_EVENTS] = {
		[ASKED_SESSION_START] = INPUT_START,
		[ASKED_MOCKED_TURN_TRIGGER] = INPUT_TRIGGER,
		[ASKED_INPUT_AUDIO_APPEND] = INPUT_APPEND,
		[ASKED_INPUT_AUDIO_COMMIT] = INPUT_COMMIT,
		[ASKED_RESPONSE_CANCEL] = INPUT_CANCEL,
		[ASKED_INPUT_TEXT] = INPUT_TEXT,
		[ASKED_SESSION_RESUME] = INPUT_START,
	};
	struct text text = json_text_at(message->payload, "text");

	must_hold(message->event < ASKED_EVENTS && yyjson_is_obj(message->payload));
	must_hold(message->event != ASKED_INPUT_TEXT || text.len);
	must_hold(message->event != ASKED_INPUT_AUDIO_APPEND ||
	          json_text_at(message->payload, "chunk").at);
	voice_session_hear(&t->session, inputs[message->event], text, t->now);
}

static void take_line(struct talk *t, struct json_reader *reader, struct text line,
                      unsigned features)
{
	struct voice_message message;
	struct voice_refusal why = {VOICE_CODES, ""};

	if (line.len && line.at[0] >= '0' && line.at[0] <= '9') {
		t->now += 25U * (unsigned)(line.at[0] - '0');
		voice_session_tick(&t->session, t->now);
		must_hold(voice_session_due(&t->session) > t->now);
	} else if (voice_message_read(reader, line, features, &message, &why)) {
		hear(t, &message);
	} else {
		must_hold(why.code < VOICE_CODES && why.words[0]);
		must_hold(utf8_is_valid(text_of(why.words)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct voice_mock_times times = {75, 150, 225, 300, 375};
	static struct json_reader reader;
	struct voice_engine engine = voice_mock(&times);
	struct talk t = {0};
	struct voice_desk desk = {&t, talk_say, talk_mark};
	struct text lines = {(const char *)bytes + 1, n - 1};

	if (n < 1 || n > TEXT_MAX)
		return 0;
	if (!reader.copy.max)
		json_reader_init(&reader, TEXT_MAX);
	voice_session_init(&t.session, &engine, &desk);
	while (lines.len)
		take_line(&t, &reader, text_cut(lines, '\n', &lines), bytes[0]);
	voice_session_finish(&t.session);
	must_hold(!t.turn);
	return 0;
}
