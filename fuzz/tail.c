/* tail.c - hostile agents on a terminal: what a stream says is the same however it is cut,
 * and no control sequence of theirs is shown.
 *
 * The first byte of the input says how to cut; a stream of server-sent events follows, and
 * each of its data is shown as a signal, and as a status.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/report.h"
#include "cli/show.h"
#include "lib/hold.h"
#include "parse/sse.h"

#define HEARD_MAX (16 * MIB)
#define EVENT_MAX (64 * MIB)
#define COLUMNS 100

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void hear(void *self, const struct parse_event *event)
{
	struct buf *heard = self;

	buf_add(heard, event->name);
	buf_add_char(heard, '\0');
	buf_add(heard, event->data);
	buf_add_char(heard, '\0');
}

/* None of an input is that long. */
static void hear_too_long(void *self)
{
	must_hold(false);
}

/* Everything that came of it, and the last id. */
static void listen(struct text bytes, size_t cut, struct buf *heard)
{
	struct sse_reader reader;

	buf_init(heard, HEARD_MAX);
	sse_reader_init(&reader, EVENT_MAX);
	reader.self = heard;
	reader.event = hear;
	reader.too_long = hear_too_long;
	while (bytes.len) {
		size_t n = cut < bytes.len ? cut : bytes.len;

		sse_reader_feed(&reader, (struct text){bytes.at, n});
		bytes = (struct text){bytes.at + n, bytes.len - n};
	}
	buf_add(heard, buf_text(&reader.id));
	sse_reader_finish(&reader);
}

static void check_shown(const struct out *out)
{
	must_hold(utf8_is_valid(buf_text(&out->bytes)));
	for (size_t i = 0; i < out->bytes.len; i++) {
		unsigned char c = (unsigned char)out->bytes.at[i];

		must_hold((c >= ' ' && c != 0x7f) || c == '\n');
		/* The same as two bytes: U+0080 to U+009F. */
		must_hold(c != 0xc2 || (unsigned char)out->bytes.at[i + 1] >= 0xa0);
	}
}

static void show(struct text data)
{
	static int nowhere = -1;
	struct out out;

	if (nowhere < 0)
		nowhere = memfd_create("nowhere", MFD_CLOEXEC);
	must_hold(ftruncate(nowhere, 0) == 0 && lseek(nowhere, 0, SEEK_SET) == 0);
	out_init(&out, nowhere);
	show_signal(&out, data, COLUMNS, NULL);
	check_shown(&out);
	report_show(&out, data);
	check_shown(&out);
	out_finish(&out, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct text stream = {(const char *)bytes + 1, n - 1}, rest;
	struct buf whole, cut;

	if (n < 2)
		return 0;
	listen(stream, n, &whole);
	listen(stream, bytes[0] % 7 + 1, &cut);
	must_hold(text_equal(buf_text(&whole), buf_text(&cut)));
	for (rest = buf_text(&whole); rest.len;) {
		text_cut(rest, '\0', &rest);
		show(text_cut(rest, '\0', &rest));
	}
	buf_finish(&whole);
	buf_finish(&cut);
	return 0;
}
