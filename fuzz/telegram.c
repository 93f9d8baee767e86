/* telegram.c - fuzz: what Telegram answers, and texts as its HTML. */
#include <stdlib.h>

#include "deliver/telegram/telegram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (256 * KIB)

static void read_updates(yyjson_val *result)
{
	static const struct telegram_self self = {42, "box_bot"};
	yyjson_arr_iter it = yyjson_arr_iter_with(result);
	struct telegram_words words = {.place = ""};
	struct channel_inbound inbound;
	struct channel_press press;
	yyjson_val *one;

	buf_init(&words.text, CHANNEL_TEXT_MAX);
	while ((one = yyjson_arr_iter_next(&it))) {
		if (telegram_read_press(one, &words, &press) &&
		    (!press.sender.len || !press.press.len || press.value.len > BUTTON_VALUE_MAX))
			abort();
		if (telegram_read_message(one, &self, &words, &inbound) &&
		    (!inbound.sender.len || !inbound.peer.len ||
		     (!inbound.text.len && !inbound.file_count) || telegram_update(one) < 0))
			abort();
	}
	buf_finish(&words.text);
}

/* Tags are closed in the order in which they were opened, and nothing else begins with "<". */
static void check_html(struct text html)
{
	unsigned depth = 0;

	for (size_t i = 0; i < html.len; i++) {
		const char *end = html.at[i] == '<' ? memchr(html.at + i, '>', html.len - i) : NULL;

		if (html.at[i] != '<')
			continue;
		if (!end || i + 1 >= html.len || (html.at[i + 1] == '/' && depth-- == 0))
			abort();
		depth += html.at[i + 1] != '/';
		i = (size_t)(end - html.at);
	}
	if (depth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text input = {(const char *)data, size};
	struct telegram_answer answer;
	struct telegram_self self;
	struct text path;
	struct json_reader reader;
	struct buf html;

	if (size > INPUT_MAX)
		return 0;
	json_reader_init(&reader, INPUT_MAX);
	if (telegram_read_answer(&reader, input, &answer)) {
		telegram_read_self(answer.result, &self);
		path = telegram_read_path(answer.result);
		if (path.len && (path.at[0] == '/' || memmem(path.at, path.len, "..", 2)))
			abort();
		read_updates(answer.result);
	}
	json_reader_finish(&reader);
	buf_init(&html, 32 * INPUT_MAX);
	telegram_put_html(input, &html);
	check_html(buf_text(&html));
	buf_finish(&html);
	return 0;
}
