/* incoming_test.c - sound of servers: cut anywhere, with a head or without, and no sound at all. */
#include "sound/incoming.h"

#include "base/fixture.h"
#include "sound/wav.h"

#define OUT_MAX (1 * MIB)

static struct buf out, file;
static struct error why;

static int set_up(void **state)
{
	buf_init(&out, OUT_MAX);
	buf_init(&file, OUT_MAX);
	return 0;
}

static int take_down(void **state)
{
	buf_finish(&out);
	buf_finish(&file);
	return 0;
}

/* Pieces of this size; at the end what came of it. */
static bool take(struct incoming *incoming, struct text bytes, size_t piece)
{
	bool good = true;

	buf_clear(&out);
	for (size_t i = 0; good && i < bytes.len; i += piece)
		good = incoming_feed(
			incoming,
			(struct text){bytes.at + i, bytes.len - i < piece ? bytes.len - i : piece},
			&out, &why);
	good = good && incoming_end(incoming, &out, &why);
	incoming_destroy(incoming);
	return good;
}

static void make_sound(size_t samples, int channels)
{
	for (size_t i = 0; i < samples; i++)
		for (int c = 0; c < channels; c++) {
			int16_t sample = (int16_t)(i * 7 % 20000);

			buf_add(&file, (struct text){(const char *)&sample, sizeof(sample)});
		}
}

static void pcm_of_our_rate_stays_as_it_is_however_it_is_cut(void **state)
{
	make_sound(3000, 1);
	for (size_t piece = 1; piece < 20; piece += 3) {
		assert_true(take(incoming_create(24000, 1, 24000), buf_text(&file), piece));
		assert_int_equal(out.len, file.len);
		assert_memory_equal(out.at, file.at, file.len);
	}
}

static void half_a_sample_at_the_end_is_none(void **state)
{
	make_sound(100, 1);
	assert_true(take(incoming_create(24000, 1, 24000), (struct text){file.at, 151}, 7));
	assert_int_equal(out.len, 150);
	assert_true(take(incoming_create(24000, 1, 24000), (struct text){file.at, 1}, 1));
	assert_int_equal(out.len, 0);
	assert_true(take(incoming_create(24000, 1, 24000), TEXT(""), 1));
	assert_int_equal(out.len, 0);
}

static void put_head(unsigned rate, unsigned channels, unsigned bits, uint32_t length)
{
	uint16_t format[] = {1, (uint16_t)channels};
	uint32_t rates[] = {rate, rate * channels * bits / 8};
	uint16_t frame[] = {(uint16_t)(channels * bits / 8), (uint16_t)bits};

	buf_add(&file, (struct text){"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0", 20});
	buf_add(&file, (struct text){(const char *)format, sizeof(format)});
	buf_add(&file, (struct text){(const char *)rates, sizeof(rates)});
	buf_add(&file, (struct text){(const char *)frame, sizeof(frame)});
	buf_add(&file, TEXT("data"));
	buf_add(&file, (struct text){(const char *)&length, sizeof(length)});
}

static void a_file_says_itself_what_it_is(void **state)
{
	static const uint32_t lengths[] = {0, UINT32_MAX, 2 * 2 * 22050};

	for (size_t i = 0; i < 3; i++)
		for (size_t piece = 1; piece < 40000; piece = piece * 9 + 1) {
			buf_clear(&file);
			put_head(22050, 2, 16, lengths[i]);
			make_sound(22050, 2);
			if (i == 2)
				buf_add(&file, TEXT("LIST\3\0\0\0abc")); /* no sound */
			assert_true(take(incoming_create(24000, 1, 24000), buf_text(&file), piece));
			assert_in_range(out.len / 2, 23995, 24005);
		}
}

static void another_format_is_refused_in_words(void **state)
{
	put_head(24000, 1, 32, 4000);
	make_sound(20000, 1);
	assert_false(take(incoming_create(24000, 1, 24000), buf_text(&file), 1000));
	assert_non_null(strstr(why.words, "32 bits"));
	assert_int_equal(out.len, 0);
}

static void a_head_that_never_ends_is_refused(void **state)
{
	assert_false(take(incoming_create(24000, 1, 24000), TEXT("RIFF1234WAVEfmt "), 3));
	assert_string_equal(why.words, "a WAV file without sound");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pcm_of_our_rate_stays_as_it_is_however_it_is_cut,
	                                        set_up, take_down),
		cmocka_unit_test_setup_teardown(half_a_sample_at_the_end_is_none, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(a_file_says_itself_what_it_is, set_up, take_down),
		cmocka_unit_test_setup_teardown(another_format_is_refused_in_words, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(a_head_that_never_ends_is_refused, set_up,
	                                        take_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
