/* recorded_test.c - files of people, whatever their samples are, become what a box hears. */
#include "sound/recorded.h"

#include <math.h>

#include "base/fixture.h"

#define OUT_RATE 16000
#define FRAMES 48000

static struct buf out, file;
static struct error why;

static int set_up(void **state)
{
	buf_init(&out, 1 * MIB);
	buf_init(&file, 8 * MIB);
	return 0;
}

static int take_down(void **state)
{
	buf_finish(&out);
	buf_finish(&file);
	return 0;
}

static void put_number(uint64_t number, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_add_char(&file, (char)(number >> (8 * i)));
}

static void put_value(double value, int bits, bool is_float)
{
	float single = (float)value;
	uint64_t number = 0;

	if (is_float && bits == 32)
		memcpy(&number, &single, sizeof(single));
	else if (is_float)
		memcpy(&number, &value, sizeof(value));
	else
		number = (uint64_t)(int64_t)ldexp(value, bits - 1) + (bits == 8 ? 128 : 0);
	put_number(number, bits / 8);
}

/* A tone of half the loudness, the same in all channels. */
static void make_file(int bits, bool is_float, int channels)
{
	buf_clear(&file);
	buf_add(&file, TEXT("RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0"));
	put_number(is_float ? 3 : 1, 2);
	put_number((uint64_t)channels, 2);
	put_number(48000, 4);
	put_number((uint64_t)(48000 * channels * bits / 8), 4);
	put_number((uint64_t)(channels * bits / 8), 2);
	put_number((uint64_t)bits, 2);
	buf_add(&file, TEXT("data\xff\xff\xff\xff"));
	for (int i = 0; i < FRAMES; i++)
		for (int c = 0; c < channels; c++)
			put_value(sin(i * 440 * 2 * M_PI / 48000) / 2, bits, is_float);
}

static void assert_tone(int tolerance)
{
	const int16_t *samples = (const int16_t *)(const void *)out.at;

	assert_in_range(out.len / 2, OUT_RATE - 2, OUT_RATE + 2);
	for (int i = 100; i < OUT_RATE - 100; i++) {
		double wanted = 16384 * sin(i * 440 * 2 * M_PI / OUT_RATE);

		assert_true(fabs(samples[i] - wanted) < tolerance);
	}
}

static void a_tone_of_every_kind_is_the_same_tone(void **state)
{
	static const struct {
		int bits;
		bool is_float;
		int tolerance;
	} kinds[] = {{8, false, 400}, {16, false, 40}, {24, false, 40},
	             {32, false, 40}, {32, true, 40},  {64, true, 40}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int channels = 1; channels <= 3; channels++) {
			make_file(kinds[i].bits, kinds[i].is_float, channels);
			buf_clear(&out);
			assert_true(recorded_read(buf_text(&file), OUT_RATE, &out, &why));
			assert_tone(kinds[i].tolerance);
		}
}

static void what_is_longer_than_there_is_room_for_is_told(void **state)
{
	struct buf small;

	make_file(24, false, 1);
	buf_init(&small, 1000);
	assert_true(recorded_read(buf_text(&file), OUT_RATE, &small, &why));
	assert_true(small.full);
	buf_finish(&small);
}

static void what_is_no_file_of_sound_is_refused(void **state)
{
	assert_false(recorded_read(TEXT("no sound"), OUT_RATE, &out, &why));
	assert_string_equal(why.words, "no WAV file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_tone_of_every_kind_is_the_same_tone, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(what_is_longer_than_there_is_room_for_is_told,
	                                        set_up, take_down),
		cmocka_unit_test_setup_teardown(what_is_no_file_of_sound_is_refused, set_up,
	                                        take_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
