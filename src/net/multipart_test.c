/* multipart_test.c - forms, to the letter. */
#include "net/multipart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* With MARK where its mark stands. */
static void assert_body(const struct multipart *m, const char *expected)
{
	struct text rest = text_of(expected);
	struct buf whole;

	buf_init(&whole, 4 * KIB);
	for (const char *at; (at = memmem(rest.at, rest.len, "MARK", 4));) {
		buf_add(&whole, (struct text){rest.at, (size_t)(at - rest.at)});
		buf_add(&whole, text_of(m->mark));
		rest = (struct text){at + 4, rest.len - (size_t)(at - rest.at) - 4};
	}
	buf_add(&whole, rest);
	assert_int_equal(m->body.len, whole.len);
	assert_memory_equal(m->body.at, whole.at, whole.len);
	buf_finish(&whole);
}

static void a_form_has_fields_and_a_file(void **state)
{
	struct multipart m;

	multipart_begin(&m, KIB);
	assert_non_null(strstr(m.header, m.mark));
	multipart_add(&m, "model", TEXT("whisper-1"));
	multipart_add_json(&m, "more", TEXT("{}"));
	multipart_begin_file(&m,
	                     &(struct multipart_file){"file", TEXT("a.wav"), TEXT("audio/wav")});
	buf_add(&m.body, TEXT("RIFF"));
	multipart_end_file(&m);
	multipart_end(&m);
	assert_body(&m, "--MARK\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\n"
	                "whisper-1\r\n"
	                "--MARK\r\nContent-Disposition: form-data; name=\"more\"\r\n"
	                "Content-Type: application/json\r\n\r\n{}\r\n"
	                "--MARK\r\nContent-Disposition: form-data; name=\"file\"; "
	                "filename=\"a.wav\"\r\nContent-Type: audio/wav\r\n\r\nRIFF\r\n"
	                "--MARK--\r\n");
	multipart_finish(&m);
}

static void a_name_of_a_stranger_ends_no_line(void **state)
{
	struct multipart_file file = {"file", TEXT("a\"; x=\"\r\nX: \\y"), TEXT("a/b\r\nX: y")};
	struct multipart m;

	multipart_begin(&m, KIB);
	multipart_begin_file(&m, &file);
	assert_body(&m, "--MARK\r\nContent-Disposition: form-data; name=\"file\"; "
	                "filename=\"a; x=X: y\"\r\nContent-Type: a/bX: y\r\n\r\n");
	multipart_finish(&m);
}

static void two_forms_have_two_marks(void **state)
{
	struct multipart a, b;

	multipart_begin(&a, KIB);
	multipart_begin(&b, KIB);
	assert_string_not_equal(a.mark, b.mark);
	multipart_finish(&a);
	multipart_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_form_has_fields_and_a_file),
		cmocka_unit_test(a_name_of_a_stranger_ends_no_line),
		cmocka_unit_test(two_forms_have_two_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
