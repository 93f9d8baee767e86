/* midi_test.c - bytes of a device, in messages and torn apart. */
#include "parse/fixture.h"
#include "parse/kinds.h"

#define BYTES(...) ((struct text){(const char[]){__VA_ARGS__}, sizeof((const char[]){__VA_ARGS__})})
#define MIDI(type, payload) \
	"{\"type\":\"midi." type \
	"\",\"source\":\"src\",\"correlationId\":\"run\",\"payload\":" payload "}"

static struct taken t;

static void assert_gives(struct text bytes, const char *json)
{
	taken_read_cut(&t, &parse_midi, bytes);
	assert_int_equal(t.signals, json != NULL);
	if (json)
		assert_line(&t, 0, json);
	taken_finish(&t);
}

static void every_message_of_a_channel_is_a_signal(void **state)
{
	assert_gives(BYTES('\x99', 36, 1),
	             MIDI("note_on", "{\"channel\":10,\"note\":36,\"velocity\":1,"
	                             "\"raw\":[153,36,1]}"));
	assert_gives(BYTES('\x8F', 60, 64),
	             MIDI("note_off", "{\"channel\":16,\"note\":60,\"velocity\":64,"
	                              "\"raw\":[143,60,64]}"));
	assert_gives(BYTES('\xB0', 7, 127),
	             MIDI("control_change", "{\"channel\":1,\"controller\":7,\"value\":127,"
	                                    "\"raw\":[176,7,127]}"));
	assert_gives(BYTES('\xC1', 5),
	             MIDI("program_change", "{\"channel\":2,\"program\":5,\"raw\":[193,5]}"));
	assert_gives(BYTES('\xA0', 60, 9),
	             MIDI("aftertouch", "{\"channel\":1,\"note\":60,"
	                                "\"pressure\":9,\"raw\":[160,60,9]}"));
	assert_gives(BYTES('\xD0', 33),
	             MIDI("aftertouch", "{\"channel\":1,\"pressure\":33,\"raw\":[208,33]}"));
}

static void a_bend_is_counted_from_the_middle(void **state)
{
	assert_gives(BYTES('\xE0', 0, 0),
	             MIDI("pitch_bend", "{\"channel\":1,\"value\":-8192,\"raw\":[224,0,0]}"));
	assert_gives(BYTES('\xE0', 0, 64),
	             MIDI("pitch_bend", "{\"channel\":1,\"value\":0,\"raw\":[224,0,64]}"));
	assert_gives(BYTES('\xE0', 127, 127),
	             MIDI("pitch_bend", "{\"channel\":1,\"value\":8191,\"raw\":[224,127,127]}"));
}

static void a_note_without_force_is_let_go(void **state)
{
	assert_gives(BYTES('\x90', 60, 0),
	             MIDI("note_off", "{\"channel\":1,\"note\":60,\"velocity\":0,"
	                              "\"raw\":[144,60,0]}"));
}

static void what_is_of_the_system_or_not_whole_is_no_signal(void **state)
{
	assert_gives(BYTES('\xF8'), NULL);
	assert_gives(BYTES('\x90', 60), NULL);
	assert_gives(BYTES(60, 100), NULL);
	assert_gives(BYTES('\xF0', 1, 2, 3, '\xF7', 4, 5), NULL);
	assert_gives(BYTES('\xF2', 1, 2, '\xF1', 3, '\xF6', 4, 4), NULL);
	assert_gives(BYTES('\x90', 60, '\xF1', 1, 100), NULL);
	assert_gives(BYTES('\x90', '\xB0', 7, '\xC0'), NULL);
}

static void a_status_runs_on_and_time_beats_anywhere(void **state)
{
	taken_read_cut(&t, &parse_midi,
	               BYTES('\xF8', '\x90', 60, '\xFE', 1, '\xF8', 62, '\xFA', 2, 64, 0, '\xC0', 1,
	                     '\xFF', 2));
	assert_int_equal(taken_count(&t, "midi.note_on"), 2);
	assert_int_equal(taken_count(&t, "midi.note_off"), 1);
	assert_int_equal(taken_count(&t, "midi.program_change"), 2);
	assert_true(taken_has(&t, "\"raw\":[144,62,2]"));
	assert_true(taken_has(&t, "\"raw\":[192,2]"));
	taken_finish(&t);
}

static void an_exclusive_message_may_be_of_any_length(void **state)
{
	char bulk[4096] = "";

	taken_init(&t, &parse_midi);
	parse_feed(t.parse, BYTES('\xF0'));
	for (int i = 0; i < 1024; i++)
		parse_feed(t.parse, (struct text){bulk, sizeof(bulk)});
	parse_feed(t.parse, BYTES('\xF7', '\x80', 1, 2));
	assert_int_equal(t.signals, 1);
	assert_int_equal(t.bads, 0);
	taken_finish(&t);
}

static void a_recording_is_read_the_same_however_it_is_cut(void **state)
{
	struct buf bytes;

	load_fixture(&bytes, "midi/keys.bin");
	taken_read_cut(&t, &parse_midi, buf_text(&bytes));
	assert_int_equal(t.signals, 13);
	taken_finish(&t);
	buf_finish(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_of_a_channel_is_a_signal),
		cmocka_unit_test(a_bend_is_counted_from_the_middle),
		cmocka_unit_test(a_note_without_force_is_let_go),
		cmocka_unit_test(what_is_of_the_system_or_not_whole_is_no_signal),
		cmocka_unit_test(a_status_runs_on_and_time_beats_anywhere),
		cmocka_unit_test(an_exclusive_message_may_be_of_any_length),
		cmocka_unit_test(a_recording_is_read_the_same_however_it_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
