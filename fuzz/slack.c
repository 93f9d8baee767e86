/* slack.c - fuzz: what Slack says, and texts as its mrkdwn. */
#include <stdlib.h>

#include "deliver/slack/slack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (64 * KIB)

static const struct slack_self self = {"U0BOX"};

static void read_answer(struct json_reader *reader, struct text input)
{
	struct slack_sought sought = {
		.delivery = TEXT("D1"), .stale = TEXT("1.1 2.2"), .piece = 1, .self = &self};
	struct slack_answer answer;
	struct slack_place place;
	struct slack_self bot;
	char ts[SLACK_ID_MAX];

	if (!slack_read_answer(reader, input, &answer))
		return;
	slack_read_self(&answer, &bot);
	if (slack_read_place(&answer, "https://slack.com/api", &place) &&
	    !text_starts(text_of(place.url), TEXT("https://")))
		abort();
	if (slack_find_message(&answer, &sought, ts) &&
	    (!slack_is_ts(text_of(ts)) || text_is(text_of(ts), "1.1")))
		abort();
}

static void read_envelope(struct json_reader *reader, struct text input)
{
	struct slack_words words = {.name = ""};
	struct slack_envelope envelope;
	struct channel_inbound in;
	struct channel_press press;

	if (!slack_read_envelope(reader, input, &envelope))
		return;
	buf_init(&words.text, CHANNEL_TEXT_MAX + KIB);
	if (slack_read_message(&envelope, &self, &words, &in) &&
	    (!in.sender.len || !in.peer.len || !in.message.len || !(in.text.len + in.file_count) ||
	     text_is(in.sender, self.user) || (in.text.len && memchr(in.text.at, 0, in.text.len))))
		abort();
	if (slack_read_press(&envelope, &press) && (!press.sender.len || !press.value.len))
		abort();
	buf_finish(&words.text);
}

/* A "<" begins a link that ends with ">", and nothing else. */
static void check_links(struct text block)
{
	for (size_t i = 0; i < block.len; i++) {
		struct text rest = {block.at + i, block.len - i};
		const char *end = memchr(rest.at, '>', rest.len);

		if (block.at[i] == '>' && i > 0 && block.at[i - 1] != '\n')
			abort();
		if (block.at[i] != '<')
			continue;
		if (!end ||
		    (!text_starts(rest, TEXT("<http://")) && !text_starts(rest, TEXT("<https://"))))
			abort();
		i = (size_t)(end - block.at);
	}
}

static void check_block(void *of, struct text block)
{
	const bool *is_plain = of;

	if (!block.len || chunk_length(CHUNK_UTF16, block) > SLACK_BLOCK_MAX)
		abort();
	if (!*is_plain)
		check_links(block);
}

static void show(struct text input)
{
	struct slack_shape shape = {.delivery = TEXT("D1"), .text = input, .piece = 1};
	struct buf blocks, text, form;

	buf_init(&blocks, 64 * INPUT_MAX);
	buf_init(&text, 64 * INPUT_MAX);
	buf_init(&form, 256 * INPUT_MAX);
	slack_put_blocks(&shape, &blocks, &text);
	slack_put_form(&form, "blocks", buf_text(&blocks));
	if (blocks.full || text.full || form.full)
		abort();
	buf_finish(&blocks);
	buf_finish(&text);
	buf_finish(&form);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text input = {(const char *)data, size};
	struct json_reader reader;

	if (size > INPUT_MAX)
		return 0;
	json_reader_init(&reader, INPUT_MAX);
	read_answer(&reader, input);
	read_envelope(&reader, input);
	json_reader_finish(&reader);
	for (unsigned plain = 0; plain < 2; plain++)
		slack_cut_blocks(input, plain, check_block, &(bool){plain});
	show(input);
	return 0;
}
