/* channels.c - `signalbox channels`: the chats of the configuration, and how they stand. */
#include <string.h>
#include <yyjson.h>

#include "cli/command.h"
#include "cli/follow.h"
#include "cli/remote.h"
#include "cli/table.h"
#include "signal/json.h"

extern const struct command command_channels;

#define ANSWER_MS 10000
#define CHECK_MS 40000
#define PATH_BYTES (2 * KIB)

/* ---- list ---- */

/* NAME knows these accounts: ID (NAME, STATUS), ... */
static void show_accounts(struct out *out, yyjson_val *channel)
{
	yyjson_val *list = yyjson_obj_get(channel, "accounts"), *one;
	size_t at, count;

	if (!yyjson_arr_size(list))
		return;
	out_add_shown(out, json_text_at(channel, "name"));
	out_print(out, " knows these accounts:");
	yyjson_arr_foreach(list, at, count, one)
	{
		struct text name = json_text_at(one, "name"), status = json_text_at(one, "status");

		out_print(out, at ? ", " : " ");
		out_add_shown(out, json_text_at(one, "id"));
		if (!name.len && !status.len)
			continue;
		out_print(out, " (");
		out_add_shown(out, name);
		out_print(out, name.len && status.len ? ", " : "");
		out_add_shown(out, status);
		out_print(out, ")");
	}
	out_print(out, "\n");
}

static void show_channels(struct out *out, struct text body)
{
	static const char *const heading[] = {"NAME",  "CHANNEL", "STATE",
	                                      "SINCE", "WAITING", "WHY"};
	yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
	yyjson_val *list = yyjson_obj_get(yyjson_doc_get_root(doc), "channels"), *one;
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	char digits[TEXT_U64_MAX];
	struct table table;

	table_init(&table, 6);
	for (unsigned i = 0; i < 6; i++)
		table_add(&table, text_of(heading[i]), 20);
	while ((one = yyjson_arr_iter_next(&it))) {
		uint64_t waiting = yyjson_get_uint(yyjson_obj_get(one, "waiting"));

		table_add(&table, json_text_at(one, "name"), 32);
		table_add(&table, json_text_at(one, "channel"), 20);
		table_add(&table, json_text_at(one, "state"), 12);
		table_add_time(&table, yyjson_get_sint(yyjson_obj_get(one, "since")));
		table_add(&table, text_of_u64(waiting, digits), 20);
		table_add(&table, json_text_at(one, "why"), 100);
	}
	table_show(&table, out);
	table_finish(&table);
	it = yyjson_arr_iter_with(list);
	while ((one = yyjson_arr_iter_next(&it)))
		show_accounts(out, one);
	yyjson_doc_free(doc);
}

/* ---- check ---- */

static void show_check(struct out *out, yyjson_val *findings)
{
	yyjson_val *one;
	size_t at, count;

	yyjson_arr_foreach(findings, at, count, one)
	{
		bool good = yyjson_is_true(yyjson_obj_get(one, "good"));

		out_paint(out, good ? "\033[32m" : "\033[31m");
		out_print(out, "%-4s", good ? "ok" : "bad");
		out_paint(out, "\033[0m");
		out_print(out, "  ");
		out_add_shown(out, json_text_at(one, "words"));
		out_print(out, "\n");
	}
}

/* False: something is bad. */
static bool show_answer(struct command_context *context, const struct options *options,
                        struct text body)
{
	yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	bool is_good = yyjson_is_true(yyjson_obj_get(root, "good"));

	if (options_has(options, "json"))
		out_add(&context->out, body);
	else
		show_check(&context->out, yyjson_obj_get(root, "findings"));
	yyjson_doc_free(doc);
	return is_good;
}

static bool ask_check(struct command_context *context, const struct options *options,
                      struct remote *remote)
{
	struct remote_request request = {
		.method = "POST", .type = "application/json", .timeout_ms = CHECK_MS};
	struct buf path, answer;
	struct error why;
	bool is_good = false;

	buf_init(&path, PATH_BYTES);
	buf_add(&path, TEXT("/api/channels/"));
	follow_add_escaped(&path, text_of(options->words[1]));
	buf_add(&path, TEXT("/check"));
	buf_add_char(&path, '\0');
	request.path = path.at;
	if (path.full) {
		out_say("there is no such channel");
	} else if (!remote_ask(remote, &request, &answer, &why)) {
		out_say("%s", why.words);
	} else {
		is_good = show_answer(context, options, buf_text(&answer));
		buf_finish(&answer);
	}
	buf_finish(&path);
	return is_good;
}

static int check_one(struct command_context *context, const struct options *options)
{
	struct remote *remote;
	int status;

	if (options->word_count != 2)
		return command_misused(&command_channels, "check takes the NAME of a channel");
	remote = remote_create(&command_channels, context, options, &status);
	if (!remote)
		return status;
	status = ask_check(context, options, remote) ? STATUS_DONE : STATUS_FAILED;
	remote_destroy(remote);
	return status;
}

/* ---- the verb ---- */

static int channels(struct command_context *context, const struct options *options)
{
	static const struct remote_request request = {
		.method = "GET", .path = "/api/channels", .timeout_ms = ANSWER_MS};

	if (options->word_count > 0 && strcmp(options->words[0], "check") == 0)
		return check_one(context, options);
	if (options->word_count > 0)
		return command_misworded(&command_channels, options);
	return remote_show(&command_channels, context, options, &request, show_channels);
}

static const char *const words[] = {"check", NULL};
static const struct option own[] = {
	{"json", 'j', .help = "as the box tells them"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_channels = {
	.name = "channels",
	.summary = "list the chats of the configuration, and check one",
	.usage = "[check NAME]",
	.examples = "  signalbox channels\n"
		    "  signalbox channels check telegram\n",
	.about = "A channel is connected, connecting, away, or refused: its platform does not\n"
		 "let the box in, or its configuration is wrong. Waiting deliveries are counted.\n"
		 "Accounts that an adapter knows stand below.\n"
		 "check asks the platform whether everything is there that the box needs, and\n"
		 "ends with status 1 if something is not.\n",
	.words = words,
	.groups = groups,
	.run = channels,
};
