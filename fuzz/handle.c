/* handle.c - fuzz: what peers of a listener that speaks Wyoming say. */
#include <stdlib.h>

#include "voice/handle_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A wish keeps its limits, and a session is a plain word that no agent's own has. */
static void check_wish(const struct wyoming_event *event, struct buf *out)
{
	struct handle_wish wish;
	struct error why;

	if (!handle_read_wish(event, &wish, &why)) {
		handle_write_text(out, "not-handled", text_of(why.words));
		return;
	}
	if (!wish.text.len || wish.text.len > HANDLE_TEXT_MAX)
		abort();
	if (wish.session[0] && !text_starts(text_of(wish.session), TEXT("wyoming:")))
		abort();
	for (const char *c = wish.session; *c; c++)
		if (*c <= ' ' || *c > '~')
			abort();
	handle_write_text(out, "handled", wish.text);
	if (out->full)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wyoming_reader reader;
	struct wyoming_event event;
	struct error why;
	struct buf out;

	wyoming_reader_init(&reader);
	buf_init(&out, 4 * MIB);
	if (wyoming_reader_add(&reader, (struct text){(const char *)data, size}))
		while (wyoming_read(&reader, &event, &why) == WYOMING_EVENT) {
			buf_clear(&out);
			if (handle_is_wish(event.type))
				check_wish(&event, &out);
			else
				handle_write_text(&out, "pong", wyoming_text(&event, "text"));
		}
	wyoming_reader_finish(&reader);
	buf_finish(&out);
	return 0;
}
