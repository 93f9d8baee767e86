/* wav_test.c - files of sound that programs write, and bytes that are none. */
#include "sound/wav.h"

#include "base/fixture.h"

#define RIFF "RIFF\xff\xff\xff\xffWAVE"
#define FORMAT(kind, channels, bits) \
	"fmt \x10\0\0\0" kind channels "\x80\x3e\0\0\0\x7d\0\0\2\0" bits
#define PCM "\1\0"
#define BYTES(literal) ((struct text){(literal), sizeof(literal) - 1})

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
	assert_int_equal(wav.pcm.len, 4);
	assert_memory_equal(wav.pcm.at, "\1\2\3\4", 4);
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
	assert_int_equal(wav.pcm.len, 8);
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
	assert_refused(BYTES(RIFF FORMAT("\3\0", "\1\0", "\x20\0")),
	               "a WAV file with 32 bits of format 3; PCM of 16 bits is known");
	assert_refused(BYTES(RIFF FORMAT(PCM, "\0\0", "\x10\0")), "a WAV file with 0 channels");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_of_ours_is_read),
		cmocka_unit_test(one_by_a_pipe_ends_with_its_bytes),
		cmocka_unit_test(other_files_are_refused_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
