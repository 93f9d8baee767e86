/* discord.c - fuzz: frames and answers of Discord, places that were kept, texts as they are. */
#include <stdlib.h>

#include "deliver/discord/discord.h"
#include "deliver/discord/discord_limits.h"
#include "deliver/discord/discord_place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (256 * KIB)

static const struct discord_self self = {"42", "box"};

static void read_data(yyjson_val *data)
{
	struct discord_words words = {.in_guild = false};
	struct channel_inbound inbound;
	struct discord_pressed pressed;
	struct channel_press press;
	struct discord_self bot;
	uint64_t oldest;

	buf_init(&words.text, CHANNEL_TEXT_MAX);
	if (discord_read_message(data, &self, &words, &inbound) &&
	    (!discord_id(inbound.sender) || !discord_id(inbound.peer) ||
	     !(inbound.text.len + inbound.file_count) || text_is(inbound.sender, self.id)))
		abort();
	if (discord_read_press(data, &pressed, &press) &&
	    (!discord_id(press.sender) || !press.value.len || press.value.len > BUTTON_VALUE_MAX ||
	     memmem(press.press.at, press.press.len, "..", 2) == press.press.at))
		abort();
	discord_read_self(data, &bot);
	discord_find_nonce(data, &self, "abc", &oldest);
	buf_finish(&words.text);
}

/* A place that was read and written is the same again. */
static void read_place(struct text input)
{
	struct discord_place place, again;
	struct buf one, two;

	buf_init(&one, 4 * KIB);
	buf_init(&two, 4 * KIB);
	discord_place_read(&place, input);
	discord_place_put(&place, &one);
	discord_place_read(&again, buf_text(&one));
	discord_place_put(&again, &two);
	if (one.full || !text_equal(buf_text(&one), buf_text(&two)))
		abort();
	buf_finish(&one);
	buf_finish(&two);
}

static void write_plain(struct text input)
{
	struct buf out;

	if (input.len > DISCORD_TEXT_MAX)
		return;
	buf_init(&out, 64 * KIB);
	discord_put_plain(input, &out);
	if (out.full || chunk_length(CHUNK_POINTS, buf_text(&out)) > DISCORD_TEXT_MAX)
		abort();
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text input = {(const char *)data, size};
	struct discord_said said = {0};
	struct discord_frame frame;
	struct discord_error error;
	struct json_reader reader;

	if (size > INPUT_MAX)
		return 0;
	json_reader_init(&reader, INPUT_MAX);
	if (discord_read_frame(&reader, input, &frame))
		read_data(frame.data);
	discord_read_error(&reader, input, &error);
	if (error.after_ms < 0)
		abort();
	json_reader_finish(&reader);
	discord_read_said(&said, TEXT("X-RateLimit-Reset-After"), input);
	discord_read_said(&said, TEXT("X-RateLimit-Bucket"), input);
	read_place(input);
	write_plain(input);
	return 0;
}
