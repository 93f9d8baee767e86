/* resample_test.c - tones keep their pitch and loudness, and what would become noise is gone. */
#include "sound/resample.h"

#include <math.h>
#include <stdlib.h>

#include "base/fixture.h"
#include "base/must.h"

#define OUT 16000
#define OUT_MAX (4 * MIB)

static struct buf pcm, out;

static int set_up(void **state)
{
	buf_init(&pcm, OUT_MAX);
	buf_init(&out, OUT_MAX);
	return 0;
}

static int take_down(void **state)
{
	buf_finish(&pcm);
	buf_finish(&out);
	return 0;
}

/* A second of a tone, in each channel. */
static void make_tone(int rate, int channels, double hertz)
{
	buf_clear(&pcm);
	for (int i = 0; i < rate; i++) {
		int16_t sample = (int16_t)lround(10000 * sin(2 * M_PI * hertz * i / rate));

		for (int c = 0; c < channels; c++)
			buf_add(&pcm, (struct text){(const char *)&sample, sizeof(sample)});
	}
}

static void resample_in_pieces(int rate, int channels, size_t piece)
{
	struct resample *resample = resample_create(rate, channels, OUT);

	buf_clear(&out);
	for (size_t i = 0; i < pcm.len; i += piece)
		resample_feed(resample,
		              (struct text){pcm.at + i, pcm.len - i < piece ? pcm.len - i : piece},
		              &out);
	resample_end(resample, &out);
	resample_destroy(resample);
}

static int sample_at(size_t i)
{
	int16_t sample;

	memcpy(&sample, out.at + 2 * i, sizeof(sample));
	return sample;
}

/* The middle of what came out: as far as its edges reach nothing is promised. */
static double loudness(void)
{
	double sum = 0;
	size_t from = 2000, to = OUT - 2000;

	for (size_t i = from; i < to; i++)
		sum += (double)sample_at(i) * sample_at(i);
	return sqrt(sum / (double)(to - from)) * sqrt(2);
}

static void a_tone_stays_where_it_is(void **state)
{
	static const int rates[] = {8000, 16000, 22050, 24000, 44100, 48000};

	for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
		make_tone(rates[r], 2, 440);
		resample_in_pieces(rates[r], 2, 4096);
		assert_in_range(out.len / 2, OUT - 2, OUT + 2);
		for (size_t i = 2000; i < OUT - 2000; i++)
			assert_in_range(
				sample_at(i) -
					lround(10000 * sin(2 * M_PI * 440 * (double)i / OUT)) + 100,
				0, 200);
	}
}

static void what_is_too_high_is_silent(void **state)
{
	make_tone(48000, 1, 11000);
	resample_in_pieces(48000, 1, 4096);
	assert_true(loudness() < 30);
	make_tone(48000, 1, 6000);
	resample_in_pieces(48000, 1, 4096);
	assert_true(loudness() > 9500);
}

static void pieces_of_any_size_give_the_same(void **state)
{
	static const size_t sizes[] = {1, 3, 7, 640, 100000};
	struct buf whole;

	buf_init(&whole, OUT_MAX);
	make_tone(22050, 2, 1000);
	resample_in_pieces(22050, 2, pcm.len);
	buf_add(&whole, buf_text(&out));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		resample_in_pieces(22050, 2, sizes[i]);
		assert_int_equal(out.len, whole.len);
		assert_memory_equal(out.at, whole.at, whole.len);
	}
	buf_finish(&whole);
}

static void the_same_rate_is_the_same_sound(void **state)
{
	make_tone(OUT, 1, 1000);
	resample_in_pieces(OUT, 1, 640);
	assert_int_equal(out.len, pcm.len);
	assert_memory_equal(out.at, pcm.at, pcm.len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_tone_stays_where_it_is, set_up, take_down),
		cmocka_unit_test_setup_teardown(what_is_too_high_is_silent, set_up, take_down),
		cmocka_unit_test_setup_teardown(pieces_of_any_size_give_the_same, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(the_same_rate_is_the_same_sound, set_up, take_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
