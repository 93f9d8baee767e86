/* gate_test.c - who is taken for a speaker, and who is not. */
#include "voice/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"

#define SILENCE_MS 700

struct frame {
	char bytes[GATE_FRAME_BYTES];
};

/* Noise of this amplitude, around a level. */
static struct frame noise(uint64_t *seed, int amplitude, int level)
{
	struct frame frame;

	for (int i = 0; i < GATE_FRAME_BYTES / 2; i++) {
		int draw = amplitude ? (int)(random_draw(seed) % (2U * (unsigned)amplitude)) : 0;
		int sample = draw - amplitude + level;

		frame.bytes[2 * i] = (char)(sample & 0xFF);
		frame.bytes[2 * i + 1] = (char)(sample >> 8 & 0xFF);
	}
	return frame;
}

/* So much of it: when somebody spoke, and when no more, in ms from its beginning; -1: not. */
struct found {
	int started, stopped, changes;
};

static struct found feed(struct gate *gate, int ms, int amplitude, int level)
{
	static uint64_t seed = 7;
	struct found found = {-1, -1, 0};

	for (int at = 0; at < ms; at += GATE_FRAME_MS) {
		struct frame frame = noise(&seed, amplitude, level);
		enum gate_found now = gate_feed(gate, (struct text){frame.bytes, GATE_FRAME_BYTES});

		if (now == GATE_STARTED)
			found.started = at + GATE_FRAME_MS;
		if (now == GATE_STOPPED)
			found.stopped = at + GATE_FRAME_MS;
		found.changes += now != GATE_NOTHING;
	}
	return found;
}

static void speech_begins_soon_and_ends_after_the_silence(void **state)
{
	struct gate gate;

	gate_init(&gate, SILENCE_MS);
	assert_int_equal(feed(&gate, 1000, 20, 0).changes, 0);
	assert_int_equal(feed(&gate, 1000, 3000, 0).started, GATE_SPEECH_MS);
	assert_int_equal(feed(&gate, 600, 20, 0).changes, 0);
	assert_int_equal(feed(&gate, 300, 3000, 0).changes, 0);
	assert_int_equal(feed(&gate, 2000, 20, 0).stopped, SILENCE_MS);
	assert_int_equal(feed(&gate, 400, 3000, 0).started, GATE_SPEECH_MS);
}

static void a_click_is_no_speech(void **state)
{
	struct gate gate;

	gate_init(&gate, SILENCE_MS);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(feed(&gate, 500, 20, 0).changes, 0);
		assert_int_equal(feed(&gate, 60, 20000, 0).changes, 0);
	}
}

static void a_fan_is_no_speech_and_a_voice_above_it_is(void **state)
{
	struct gate gate;

	gate_init(&gate, SILENCE_MS);
	assert_int_equal(feed(&gate, 60000, 1500, 0).changes, 0);
	assert_int_equal(feed(&gate, 1000, 9000, 0).started, GATE_SPEECH_MS);
	assert_int_equal(feed(&gate, 1000, 1500, 0).stopped, SILENCE_MS);
}

static void a_hum_that_begins_is_no_speech_for_long(void **state)
{
	struct gate gate;
	struct found found;

	gate_init(&gate, SILENCE_MS);
	feed(&gate, 2000, 20, 0);
	found = feed(&gate, 60000, 2000, 0);
	assert_int_equal(found.changes, 2);
	assert_in_range(found.stopped, 1500, 4500);
}

static void silence_is_none_in_a_microphone_with_an_offset(void **state)
{
	struct gate gate;

	gate_init(&gate, SILENCE_MS);
	assert_int_equal(feed(&gate, 1000, 20, 4000).changes, 0);
	assert_int_equal(feed(&gate, 1000, 3000, 4000).started, GATE_SPEECH_MS);
	assert_int_equal(feed(&gate, 1000, 0, 4000).stopped, SILENCE_MS);
}

static void the_loudest_sound_and_no_sound_are_sound(void **state)
{
	struct gate gate;

	gate_init(&gate, SILENCE_MS);
	assert_int_equal(feed(&gate, 400, 16000, 16000).changes, 0);
	assert_int_equal(feed(&gate, 1000, 0, 0).changes, 0);
	assert_int_equal(feed(&gate, 1000, 32000, 0).started, GATE_SPEECH_MS);
	assert_int_equal(gate_feed(&gate, TEXT("")), GATE_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speech_begins_soon_and_ends_after_the_silence),
		cmocka_unit_test(a_click_is_no_speech),
		cmocka_unit_test(a_fan_is_no_speech_and_a_voice_above_it_is),
		cmocka_unit_test(a_hum_that_begins_is_no_speech_for_long),
		cmocka_unit_test(silence_is_none_in_a_microphone_with_an_offset),
		cmocka_unit_test(the_loudest_sound_and_no_sound_are_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
