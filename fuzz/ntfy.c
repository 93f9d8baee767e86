/* ntfy.c - fuzz: lines of a server of ntfy, and texts that go there. */
#include <stdlib.h>

#include "deliver/ntfy/ntfy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (64 * KIB)

/* A text of the longest kind fits, whatever is in it. */
static void put_text_there(struct text text)
{
	struct channel_message m = {.peer = TEXT("t"), .text = text, .is_plain = text.len % 2};
	struct buf out;

	m.text.len = chunk_reach(CHUNK_BYTES, text, NTFY_TEXT_MAX);
	buf_init(&out, INPUT_MAX);
	ntfy_put_message(&m, "https://box", &out);
	if (out.full || out.len > 8192)
		abort();
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text input = {(const char *)data, size};
	struct json_reader reader;
	struct ntfy_event event;

	if (size > INPUT_MAX)
		return 0;
	json_reader_init(&reader, INPUT_MAX);
	if (ntfy_read_event(&reader, input, &event) &&
	    (!event.id.len || !ntfy_is_topic(event.topic)))
		abort();
	ntfy_read_refusal(&reader, input);
	json_reader_finish(&reader);
	put_text_there(input);
	return 0;
}
