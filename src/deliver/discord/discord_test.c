/* discord_test.c - what Discord says, what is said to it, its limits, and how far it was read. */
#include "deliver/discord/discord.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "deliver/discord/discord_limits.h"
#include "deliver/discord/discord_place.h"

static const struct discord_self bot = {"42", "box"};

/* ---- messages ---- */

static bool reads(const char *json, struct discord_words *words, struct channel_inbound *in)
{
	static struct json_reader reader;
	yyjson_val *root;

	json_reader_finish(&reader);
	json_reader_init(&reader, 64 * KIB);
	root = yyjson_doc_get_root(json_read(&reader, text_of(json), NULL));
	return discord_read_message(root, &bot, words, in);
}

#define ADA "\"author\":{\"id\":\"7\",\"username\":\"ada\",\"global_name\":\"Ada\"}"

static void a_message_is_read(void **state)
{
	struct discord_words words = {.in_guild = false};
	struct channel_inbound in;

	buf_init(&words.text, CHANNEL_TEXT_MAX);
	assert_true(reads("{\"id\":\"10\",\"channel_id\":\"70\",\"type\":19," ADA
	                  ",\"content\":\" hi\\u0000 there \",\"x\":1,"
	                  "\"message_reference\":{\"message_id\":\"9\"}}",
	                  &words, &in));
	assert_true(text_is(in.text, "hi there") && text_is(in.sender, "7"));
	assert_true(text_is(in.sender_name, "Ada") && text_is(in.reply_to, "9"));
	assert_true(in.kind == CHANNEL_DM && in.is_mentioned);
	assert_true(reads("{\"id\":\"10\",\"channel_id\":\"70\",\"guild_id\":\"1\"," ADA
	                  ",\"content\":\"<@!42> go\",\"mentions\":[{\"id\":\"42\"}]}",
	                  &words, &in));
	assert_true(text_is(in.text, "go") && in.kind == CHANNEL_GROUP && in.is_mentioned);
	words.in_guild = true;
	assert_true(reads("{\"id\":\"10\",\"channel_id\":\"70\"," ADA ",\"content\":\"x\"}", &words,
	                  &in));
	assert_true(in.kind == CHANNEL_GROUP && !in.is_mentioned);
	buf_finish(&words.text);
}

static void files_are_read(void **state)
{
	struct discord_words words = {.in_guild = false};
	struct channel_inbound in;

	buf_init(&words.text, CHANNEL_TEXT_MAX);
	assert_true(reads("{\"id\":\"10\",\"channel_id\":\"70\"," ADA ",\"content\":\"\","
	                  "\"attachments\":[7,{\"filename\":\"none\"},"
	                  "{\"filename\":\"a.txt\",\"content_type\":\"text/plain; charset=utf-8\","
	                  "\"size\":3,\"url\":\"https://cdn.discordapp.com/a?ex=1\"},"
	                  "{\"filename\":\"b.png\",\"url\":\"https://x/b\"},"
	                  "{\"filename\":\"v.ogg\",\"content_type\":\"audio/ogg\","
	                  "\"waveform\":\"AA==\",\"url\":\"https://x/v\"}]}",
	                  &words, &in));
	assert_int_equal(in.file_count, 3);
	assert_true(text_is(in.files[0].type, "text/plain") && in.files[0].size == 3);
	assert_true(text_is(in.files[0].where, "https://cdn.discordapp.com/a?ex=1"));
	assert_int_equal(in.files[1].kind, CHANNEL_PICTURE);
	assert_int_equal(in.files[2].kind, CHANNEL_VOICE);
	buf_finish(&words.text);
}

static void files_come_from_discord_alone(void **state)
{
	static const char base[] = "https://discord.com/api/v10";

	assert_true(discord_has_file(base, TEXT("https://cdn.discordapp.com/attachments/1/2/a")));
	assert_true(discord_has_file(base, TEXT("https://media.discordapp.net/a")));
	assert_true(discord_has_file(base, TEXT("https://discord.com/a")));
	assert_false(discord_has_file(base, TEXT("http://cdn.discordapp.com/a")));
	assert_false(discord_has_file(base, TEXT("https://cdn.discordapp.com.evil.org/a")));
	assert_false(discord_has_file(base, TEXT("https://cdn.discordapp.com@evil.org/a")));
	assert_false(discord_has_file(base, TEXT("https://cdn.discordapp.com:81/a")));
	assert_false(discord_has_file(base, TEXT("")));
	assert_true(discord_has_file("http://[::1]:81", TEXT("http://[::1]:81/a")));
	assert_false(discord_has_file("http://[::1]:81", TEXT("http://[::1]:82/a")));
}

static void what_nobody_wrote_is_passed_over(void **state)
{
	static const char *const others[] = {
		"{}",
		"[]",
		"7",
		"{\"id\":\"10\",\"channel_id\":\"70\"," ADA ",\"content\":\"<@42>\"}",
		"{\"id\":\"10\",\"channel_id\":\"70\"," ADA ",\"content\":\"x\",\"type\":6}",
		"{\"id\":\"10\",\"channel_id\":\"70\"," ADA
		",\"content\":\"x\",\"webhook_id\":\"1\"}",
		"{\"id\":10,\"channel_id\":\"70\"," ADA ",\"content\":\"x\"}",
		"{\"id\":\"10\",\"channel_id\":\"../x\"," ADA ",\"content\":\"x\"}",
		"{\"id\":\"10\",\"channel_id\":\"70\",\"author\":{\"id\":\"42\"},"
		"\"content\":\"x\"}",
		"{\"id\":\"10\",\"channel_id\":\"70\",\"author\":{\"id\":\"8\",\"bot\":true},"
		"\"content\":\"x\"}",
	};
	struct discord_words words = {.in_guild = false};
	struct channel_inbound in;

	buf_init(&words.text, CHANNEL_TEXT_MAX);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(reads(others[i], &words, &in));
	buf_finish(&words.text);
}

static bool lacks(const char *guild, const char *want)
{
	struct json_reader reader;
	char words[100];
	bool does;

	json_reader_init(&reader, KIB);
	does = discord_lacks(discord_read_body(&reader, text_of(guild)), words, sizeof(words));
	json_reader_finish(&reader);
	assert_string_equal(words, want);
	return does;
}

static void what_a_server_forbids_is_named(void **state)
{
	assert_true(lacks("{\"permissions\":\"0\"}",
	                  "View Channels, Send Messages, Read Message History"));
	assert_true(lacks("{\"permissions\":\"3072\"}", "Read Message History"));
	assert_false(lacks("{\"permissions\":\"68608\"}", ""));
	assert_false(lacks("{\"permissions\":\"8\"}", "")); /* an administrator */
	assert_false(lacks("{\"permissions\":8192}", ""));
	assert_false(lacks("{}", ""));
	assert_false(lacks("[]", ""));
}

/* ---- texts ---- */

static void plain_is_shown_as_it_is(void **state)
{
	char long_text[1999];
	struct buf out;

	buf_init(&out, 64 * KIB);
	discord_put_plain(TEXT("a ||b|| <@7> *c*"), &out);
	assert_true(text_is(buf_text(&out), "a \\|\\|b\\|\\| \\<\\@7\\> \\*c\\*"));
	buf_clear(&out);
	memset(long_text, '|', sizeof(long_text));
	discord_put_plain((struct text){long_text, sizeof(long_text)}, &out);
	assert_int_equal(chunk_length(CHUNK_POINTS, buf_text(&out)), sizeof(long_text));
	assert_null(memchr(out.at, '|', out.len));
	buf_finish(&out);
}

static void a_nonce_names_a_message(void **state)
{
	struct channel_message m = {.delivery = TEXT("01ABC.1"), .piece = 1};
	char one[DISCORD_NONCE_LEN + 1], two[DISCORD_NONCE_LEN + 1];

	discord_nonce(&m, one);
	discord_nonce(&m, two);
	assert_string_equal(one, two);
	assert_int_equal(strlen(one), DISCORD_NONCE_LEN);
	m.piece = 2;
	discord_nonce(&m, two);
	assert_string_not_equal(one, two);
	m.piece = 1;
	m.stale = TEXT("77");
	discord_nonce(&m, two);
	assert_string_not_equal(one, two);
}

static void closes_have_a_meaning(void **state)
{
	assert_true(discord_read_close(4004).is_final && discord_read_close(4014).is_final);
	assert_non_null(strstr(discord_read_close(4014).words, "Message Content Intent"));
	assert_true(discord_read_close(4009).ends_session && !discord_read_close(4009).is_final);
	assert_false(discord_read_close(1006).ends_session || discord_read_close(4000).is_final);
}

/* ---- limits ---- */

static void says(struct discord_said *said, const char *name, const char *value)
{
	discord_read_said(said, text_of(name), text_of(value));
}

static void limits_are_kept(void **state)
{
	struct discord_way to = {DISCORD_TO_SEND, TEXT("70")},
			   other = {DISCORD_TO_SEND, TEXT("71")};
	struct discord_said said = {0};
	struct discord_limits l;

	discord_limits_init(&l);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(discord_limits_ready(&l, &to, 1000), 1000);
		discord_limits_take(&l, &to, 1000);
	}
	assert_int_equal(discord_limits_ready(&l, &to, 1000), 6000);
	assert_int_equal(discord_limits_ready(&l, &other, 1000), 1000);
	assert_int_equal(discord_limits_ready(&l, &to, 6000), 6000);
	says(&said, "x-ratelimit-limit", "2");
	says(&said, "X-RateLimit-Remaining", "0");
	says(&said, "X-RateLimit-Reset-After", "0.6501");
	says(&said, "X-RateLimit-Bucket", "abcd");
	discord_limits_learn(&l, &to, &said, 7000);
	assert_int_equal(discord_limits_ready(&l, &to, 7000), 7651);
	assert_int_equal(discord_limits_ready(&l, &other, 7000), 7000);
	discord_limits_stop(&l, &other, &(struct discord_stop){9000, false}, 7000);
	assert_int_equal(discord_limits_ready(&l, &other, 7000), 9000);
	assert_int_equal(discord_limits_ready(&l, &to, 8000), 8000);
	discord_limits_stop(&l, &other, &(struct discord_stop){9500, true}, 7000);
	assert_int_equal(discord_limits_ready(&l, &to, 8000), 9500);
	discord_limits_finish(&l);
}

static void no_second_has_more_than_fifty(void **state)
{
	struct discord_limits l;
	unsigned left = 0;

	discord_limits_init(&l);
	for (int64_t now = 5000; now < 6000; now++)
		for (unsigned i = 0; i < 100; i++) {
			char chat[16];
			struct discord_way way = {
				DISCORD_TO_SEND,
				{chat, (size_t)snprintf(chat, sizeof(chat), "%u", left + 1)}};

			if (discord_limits_ready(&l, &way, now) > now)
				break;
			discord_limits_take(&l, &way, now);
			left++;
		}
	assert_in_range(left, 40, 50);
	discord_limits_finish(&l);
}

/* ---- places ---- */

static void a_place_is_kept(void **state)
{
	struct discord_place place = {.last = 99, .seq = 12}, again;
	struct buf out;

	buf_init(&out, KIB);
	assert_true(discord_place_begin(&place, TEXT("s1"), TEXT("wss://x.y")));
	assert_false(discord_place_begin(&place, TEXT("s 1"), TEXT("wss://x.y")));
	for (uint64_t i = 1; i <= 20; i++)
		discord_place_dm(&place, i);
	discord_place_dm(&place, 10);
	discord_place_put(&place, &out);
	discord_place_read(&again, buf_text(&out));
	assert_int_equal(again.last, 99);
	assert_int_equal(again.seq, 12);
	assert_string_equal(again.session, "s1");
	assert_string_equal(again.url, "wss://x.y");
	assert_int_equal(again.dm_count, DISCORD_DMS);
	assert_int_equal(again.dms[0], 10);
	assert_int_equal(again.dms[1], 20);
	discord_place_end(&place);
	buf_clear(&out);
	discord_place_put(&place, &out);
	discord_place_read(&again, buf_text(&out));
	assert_string_equal(again.session, "");
	assert_int_equal(again.dm_count, DISCORD_DMS);
	discord_place_read(&again, TEXT("what is this"));
	assert_int_equal(again.last, 0);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_is_read),
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(files_come_from_discord_alone),
		cmocka_unit_test(what_nobody_wrote_is_passed_over),
		cmocka_unit_test(what_a_server_forbids_is_named),
		cmocka_unit_test(plain_is_shown_as_it_is),
		cmocka_unit_test(a_nonce_names_a_message),
		cmocka_unit_test(closes_have_a_meaning),
		cmocka_unit_test(limits_are_kept),
		cmocka_unit_test(no_second_has_more_than_fifty),
		cmocka_unit_test(a_place_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
