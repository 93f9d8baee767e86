/* heard.c - fuzz: answers of servers that hear, in each form, cut anywhere. */
#include <stdlib.h>

#include "voice/heard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const types[] = {"text/event-stream", "application/json", "text/plain", ""};

/* The first byte says the form and how long the pieces are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data + 1, size - 1};
	enum heard_news news = HEARD_NOTHING;
	struct heard_answer heard;
	struct error why;
	size_t piece;

	if (!size)
		return 0;
	piece = 1 + data[0] / 4 * 5U;
	heard_init(&heard);
	if (!heard_begin(&heard, text_of(types[data[0] % 4]), &why))
		abort();
	while (rest.len && news < HEARD_ALL) {
		size_t len = rest.len < piece ? rest.len : piece;

		news = heard_feed(&heard, (struct text){rest.at, len});
		rest = (struct text){rest.at + len, rest.len - len};
	}
	if (news < HEARD_ALL)
		news = heard_end(&heard);
	if (news < HEARD_ALL || heard.words.len > HEARD_WORDS_MAX ||
	    (news == HEARD_BROKEN) != (heard.why.words[0] != '\0'))
		abort();
	heard_is_speech(buf_text(&heard.words));
	heard_finish(&heard);
	return 0;
}
