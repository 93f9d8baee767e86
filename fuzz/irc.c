/* irc.c - fuzz: lines of a server of IRC, and texts that become lines. */
#include <stdlib.h>

#include "deliver/irc/irc_line.h"
#include "deliver/plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(bool is_so)
{
	if (!is_so)
		abort();
}

static void cut_lines(struct text text)
{
	struct text line;
	size_t at = 0, max = 8 + text.len % 64;

	while (irc_next(text, max, &at, &line)) {
		look(line.len && line.len <= max);
		look(!memchr(line.at, '\n', line.len) && !memchr(line.at, '\r', line.len));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text text = {(const char *)data, size}, rest;
	struct irc_line line;
	struct buf out;

	buf_init(&out, 4 * size + 64);
	if (irc_read(&line, text)) {
		look(line.command.len && line.count <= IRC_PARAMS_MAX);
		irc_add_words(&out, irc_param(&line, 1));
		irc_mentions(buf_text(&out), irc_param(&line, 0), &rest);
	}
	buf_clear(&out);
	plain_add(&out, text);
	look(!out.full);
	cut_lines(buf_text(&out));
	cut_lines(text);
	buf_finish(&out);
	return 0;
}
