/* wyoming.c - fuzz: what speech engines and their clients say, cut anywhere. */
#include <stdlib.h>

#include "parse/wyoming.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read can be written, and read again. */
static void check_event(const struct wyoming_event *event)
{
	struct wyoming_reader reader;
	struct wyoming_event again;
	struct wyoming_format format;
	struct error why;
	struct buf out;

	buf_init(&out, 4 * MIB);
	if (wyoming_format_of(event, &format, &why)) {
		wyoming_write_sound(&out, "audio-chunk", &format, event->payload);
		wyoming_reader_init(&reader);
		if (!wyoming_reader_add(&reader, buf_text(&out)) ||
		    wyoming_read(&reader, &again, &why) != WYOMING_EVENT ||
		    !text_equal(again.payload, event->payload) ||
		    wyoming_number(&again, "rate", 0) != format.rate)
			abort();
		wyoming_reader_finish(&reader);
	}
	if (!wyoming_text(event, "text").at && wyoming_text(event, "text").len)
		abort();
	buf_finish(&out);
}

/* The first byte says how long the pieces are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data + 1, size - 1};
	struct wyoming_reader reader;
	struct wyoming_event event;
	enum wyoming_read read = WYOMING_MORE;
	struct error why;
	size_t piece;

	if (!size)
		return 0;
	piece = 1 + data[0] * 7;
	wyoming_reader_init(&reader);
	while (rest.len && read != WYOMING_BROKEN) {
		size_t len = rest.len < piece ? rest.len : piece;

		if (!wyoming_reader_add(&reader, (struct text){rest.at, len}))
			break;
		while ((read = wyoming_read(&reader, &event, &why)) == WYOMING_EVENT)
			check_event(&event);
		rest = (struct text){rest.at + len, rest.len - len};
	}
	wyoming_reader_finish(&reader);
	return 0;
}
