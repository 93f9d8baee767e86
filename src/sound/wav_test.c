/* wav_test.c - files of sound that programs write, and bytes that are none. */
#include "sound/wav.h"

#include "base/fixture.h"

#define RIFF "RIFF\xff\xff\xff\xffWAVE"
#define FORMAT(kind, channels, bits) \
	"fmt \x10\0\0\0" kind channels "\x80\x3e\0\0\0\x7d\0\0\2\0" bits
#define PCM "\1\0"
#define BYTES(literal) TEXT(literal)

static struct wav wav;
static struct error why;

static void a_head_of_ours_is_read(void **state)
{
	struct buf file;

	buf_init(&file, KIB);
	wav_put_head(&file, 22050, 4);
	assert_int_equal(file.len, WAV_HEAD_BYTES);
	buf_add(&file, TEXT("\1\2\3\4"));
	assert_true(wav_read(buf_text(&file), &wav, &why));
	assert_int_equal(wav.rate, 22050);
	assert_int_equal(wav.channels, 1);
	assert_int_equal(wav.sound.len, 4);
	assert_memory_equal(wav.sound.at, "\1\2\3\4", 4);
	buf_finish(&file);
}

static void one_by_a_pipe_ends_with_its_bytes(void **state)
{
	assert_true(wav_read(BYTES(RIFF FORMAT(PCM, "\2\0", "\x10\0") "LIST\3\0\0\0abc\0"
	                                                              "data\xff\xff\xff\xff"
	                                                              "12345678ab"),
	                     &wav, &why));
	assert_int_equal(wav.rate, 16000);
	assert_int_equal(wav.channels, 2);
	assert_int_equal(wav.sound.len, 8);
}

static void assert_refused(struct text file, const char *words)
{
	assert_false(wav_read(file, &wav, &why));
	assert_string_equal(why.words, words);
}

static void other_files_are_refused_in_words(void **state)
{
	assert_refused(BYTES("ID3"), "no WAV file");
	assert_refused(BYTES(RIFF), "a WAV file without sound");
	assert_refused(BYTES(RIFF "data\1\0\0\0a"), "a WAV file that does not say its format");
	assert_refused(BYTES(RIFF "fmt \2\0\0\0\1\0"), "a WAV file whose format is cut off");
	assert_refused(BYTES(RIFF FORMAT("\7\0", "\1\0", "\x08\0")),
	               "a WAV file with 8 bits of format 7; PCM of 8, 16, 24 and 32 bits and "
	               "floating point are known");
	assert_refused(BYTES(RIFF FORMAT(PCM, "\1\0", "\x0c\0")),
	               "a WAV file with 12 bits of format 1; PCM of 8, 16, 24 and 32 bits and "
	               "floating point are known");
	assert_refused(BYTES(RIFF FORMAT("\3\0", "\1\0", "\x10\0")),
	               "a WAV file with 16 bits of format 3; PCM of 8, 16, 24 and 32 bits and "
	               "floating point are known");
	assert_refused(BYTES(RIFF FORMAT(PCM, "\0\0", "\x10\0")), "a WAV file with 0 channels");
}

static void what_an_engine_says_is_pcm_of_16_bits(void **state)
{
	assert_false(wav_read_plain(BYTES(RIFF FORMAT("\3\0", "\1\0", "\x20\0") "data\0\0\0\0"),
	                            &wav, &why));
	assert_string_equal(why.words,
	                    "a WAV file with 32 bits of format 3; PCM of 16 bits is known");
	assert_true(wav_read_plain(BYTES(RIFF FORMAT(PCM, "\1\0", "\x10\0") "data\2\0\0\0ab"), &wav,
	                           &why));
}

static void without_a_length_the_rest_of_the_file_is_sound(void **state)
{
	assert_true(wav_read(BYTES(RIFF FORMAT(PCM, "\1\0", "\x10\0") "data\0\0\0\0abcde"), &wav,
	                     &why));
	assert_int_equal(wav.sound.len, 4);
}

/* Head of a file, whose samples follow; of the extensible form, too. */
#define KIND(kind, bits) RIFF FORMAT(kind, "\1\0", bits) "data\xff\xff\xff\xff"
#define EXTENSIBLE(kind, bits) \
	RIFF "fmt \x28\0\0\0\xfe\xff\1\0\x80\x3e\0\0\0\x7d\0\0\2\0" bits "\x16\0" bits \
	     "\4\0\0\0" kind "\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71" \
	     "data\xff\xff\xff\xff"
#define FLOATS "\3\0"

static const struct {
	struct text file;
	int16_t samples[8];
	size_t count;
} kinds[] = {
	/* 8 bits have no sign, and 128 is silence */
	{BYTES(KIND(PCM, "\x08\0") "\x80\0\xff\x81\x7f"), {0, -32768, 32512, 256, -256}, 5},
	{BYTES(KIND(PCM, "\x10\0") "\0\0\0\x80\xff\x7f\xff\xff"), {0, -32768, 32767, -1}, 4},
	/* 24: the lowest byte rounds, and the loudest stays as loud as 16 bits can be */
	{BYTES(KIND(PCM, "\x18\0") "\0\0\0\0\0\x80\xff\xff\x7f\x7f\1\0\x80\1\0"),
         {0, -32768, 32767, 1, 2},
         5},
	{BYTES(KIND(PCM, "\x20\0") "\0\0\0\0\0\0\0\x80\xff\xff\xff\x7f\0\0\xff\xff"),
         {0, -32768, 32767, -1},
         4},
	/* 0, 0.5, -1, 2, -1e30, NaN, infinity, the smallest of all */
	{BYTES(KIND(FLOATS, "\x20\0") "\0\0\0\0\0\0\0\x3f\0\0\x80\xbf\0\0\0\x40"
                                      "\xca\xf2\x49\xf1\0\0\xc0\x7f\0\0\x80\xff\1\0\0\0"),
         {0, 16384, -32768, 32767, -32768, 0, 0, 0},
         8},
	/* -0.25, 1, NaN, infinity */
	{BYTES(KIND(FLOATS, "\x40\0") "\0\0\0\0\0\0\xd0\xbf\0\0\0\0\0\0\xf0\x3f"
                                      "\1\0\0\0\0\0\xf0\x7f\0\0\0\0\0\0\xf0\x7f"),
         {-8192, 32767, 0, 0},
         4},
	{BYTES(EXTENSIBLE(PCM, "\x18\0") "\0\0\x40\0\0\xc0"), {16384, -16384}, 2},
	{BYTES(EXTENSIBLE(FLOATS, "\x20\0") "\0\0\0\xbf"), {-16384}, 1},
};

static void each_kind_of_sample_becomes_16_bits(void **state)
{
	struct buf out;

	buf_init(&out, KIB);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		buf_clear(&out);
		assert_true(wav_read(kinds[i].file, &wav, &why));
		wav_add_plain(&wav, wav.sound, &out);
		assert_int_equal(out.len, 2 * kinds[i].count);
		assert_memory_equal(out.at, kinds[i].samples, out.len);
	}
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_of_ours_is_read),
		cmocka_unit_test(one_by_a_pipe_ends_with_its_bytes),
		cmocka_unit_test(other_files_are_refused_in_words),
		cmocka_unit_test(what_an_engine_says_is_pcm_of_16_bits),
		cmocka_unit_test(without_a_length_the_rest_of_the_file_is_sound),
		cmocka_unit_test(each_kind_of_sample_becomes_16_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
