/* files_test.c - files of people: their names, records and lines. */
#include "deliver/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct json_reader reader;
static struct buf out;

static void begin(void)
{
	json_reader_init(&reader, MIB);
	buf_init(&out, MIB);
}

static void end(void)
{
	json_reader_finish(&reader);
	buf_finish(&out);
}

static void expect_name(enum channel_file_kind kind, struct text name, const char *wanted)
{
	const struct channel_file file = {.kind = kind, .name = name};

	buf_clear(&out);
	files_put_name(&file, 1, &out);
	if (!text_is(buf_text(&out), wanted))
		fail_msg("%.*s is no %s", TEXT_ARG(buf_text(&out)), wanted);
}

static void names_are_of_one_part(void **state)
{
	begin();
	expect_name(CHANNEL_PICTURE, TEXT(""), "1-picture.jpg");
	expect_name(CHANNEL_VOICE, TEXT(""), "1-voice.ogg");
	expect_name(CHANNEL_DOCUMENT, TEXT("report.pdf"), "1-report.pdf");
	expect_name(CHANNEL_DOCUMENT, TEXT("../../etc/passwd"), "1-passwd");
	expect_name(CHANNEL_DOCUMENT, TEXT("a\\..\\b.txt"), "1-b.txt");
	expect_name(CHANNEL_DOCUMENT, TEXT(".."), "1-..");
	expect_name(CHANNEL_DOCUMENT, TEXT("a/"), "1-file");
	expect_name(CHANNEL_DOCUMENT, TEXT("a\nb]\0\x1b[1m.txt"), "1-a_b____1m.txt");
	end();
}

static void first_bytes_say_what_it_is(void **state)
{
	static const struct {
		struct text head;
		const char *name, *type;
	} all[] = {
		{{"\x89PNG\r\n\x1A\n..", 10}, "a", "image/png"},
		{{"\x89PNG", 4}, "a.png", ""},
		{{"\xFF\xD8\xFF\xE0", 4}, "a.png", "image/jpeg"},
		{{"GIF89a", 6}, "a.txt", "image/gif"},
		{{"RIFF1234WEBPVP8", 15}, "a.jpg", "image/webp"},
		{{"RIFF1234WAVE", 12}, "a.wav", "audio/wav"},
		{{"OggS", 4}, "a.ogg", "audio/ogg"},
		{{"OggS", 4}, "a.opus", "audio/opus"},
		{{"Ogg", 3}, "a.opus", ""},
		{{"ID3", 3}, "a.bin", "audio/mpeg"},
		{{"\xFF\xFB", 2}, "a.mp3", "audio/mpeg"},
		{{"%PDF-1.7", 8}, "a.zip", "application/pdf"},
		{{"<html>", 6}, "a.pdf", ""},
		{{"PK", 2}, "a.zip", "application/zip"},
		{{"", 0}, "a", ""},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct text named = files_type_of(text_of(all[i].name));

		if (!text_is(files_type_in(all[i].head, named), all[i].type))
			fail_msg("%zu is no %s", i, all[i].type);
	}
}

static void names_stay_short(void **state)
{
	char name[10000];

	begin();
	memset(name, 'x', sizeof(name));
	memcpy(name + sizeof(name) - 4, ".png", 4);
	buf_clear(&out);
	files_put_name(&(struct channel_file){.name = {name, sizeof(name)}}, 32, &out);
	assert_true(out.len <= FILES_NAME_MAX);
	assert_true(text_ends(buf_text(&out), TEXT("x.png")));
	end();
}

static void a_list_is_read_as_it_was_put(void **state)
{
	const struct channel_file files[] = {
		{CHANNEL_PICTURE, TEXT("a\".png"), TEXT("image/png"), TEXT("id-1"), 120},
		{CHANNEL_VOICE, TEXT(""), TEXT("audio/ogg]\n[picture: x"), TEXT("id-2"), 0},
	};
	struct channel_file got[FILES_MAX];
	struct buf both;

	begin();
	buf_init(&both, MIB);
	files_put(files, 2, &out);
	assert_int_equal(files_read(&reader, buf_text(&out), got), 2);
	assert_true(text_is(got[0].name, "a\".png"));
	assert_true(text_is(got[1].type, "audio/ogg"));
	assert_int_equal(got[1].kind, CHANNEL_VOICE);
	for (unsigned i = 0; i < 20; i++) {
		struct text old = {both.len ? text_dup(buf_text(&both)) : NULL, both.len};

		buf_clear(&both);
		files_join(old, buf_text(&out), &both);
		free((char *)old.at);
	}
	assert_int_equal(files_read(&reader, buf_text(&both), got), FILES_MAX);
	assert_int_equal(files_read(&reader, TEXT("{}"), got), 0);
	buf_finish(&both);
	end();
}

static void a_line_tells_where_it_is_or_why_not(void **state)
{
	const struct channel_file picture = {.kind = CHANNEL_PICTURE, .name = TEXT("../a]\nb.jpg")};

	begin();
	files_put_line(&picture, &(struct files_end){.path = TEXT("/data/1-a.jpg"), .size = 119600},
	               &out);
	assert_true(text_is(buf_text(&out), "[picture: /data/1-a.jpg, image/jpeg, 120 KB]"));
	buf_clear(&out);
	files_put_line(&picture, &(struct files_end){.why = TEXT("it is larger than 20 MiB")},
	               &out);
	assert_true(text_is(buf_text(&out),
	                    "[picture: a__b.jpg is not here: it is larger than 20 MiB]"));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_of_one_part),
		cmocka_unit_test(first_bytes_say_what_it_is),
		cmocka_unit_test(names_stay_short),
		cmocka_unit_test(a_list_is_read_as_it_was_put),
		cmocka_unit_test(a_line_tells_where_it_is_or_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
