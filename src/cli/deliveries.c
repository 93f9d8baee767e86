/* deliveries.c - `signalbox deliveries`: what goes to people in chats, and what became of it. */
#include <string.h>
#include <yyjson.h>

#include "cli/command.h"
#include "cli/follow.h"
#include "cli/remote.h"
#include "cli/table.h"
#include "signal/json.h"

extern const struct command command_deliveries;

#define ANSWER_MS 10000
#define PATH_BYTES (2 * KIB)

static void show_deliveries(struct out *out, struct text body)
{
	static const char *const heading[] = {"ID", "AT", "CHAT", "PEER", "KIND", "STATE", "WHY"};
	yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
	yyjson_val *list = yyjson_obj_get(yyjson_doc_get_root(doc), "deliveries"), *one;
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	struct table table;

	if (yyjson_arr_size(list) == 0) {
		out_print(out, "nothing was delivered, and nothing waits\n");
		yyjson_doc_free(doc);
		return;
	}
	table_init(&table, 7);
	for (unsigned i = 0; i < 7; i++)
		table_add(&table, text_of(heading[i]), 20);
	while ((one = yyjson_arr_iter_next(&it))) {
		table_add(&table, json_text_at(one, "id"), 60);
		table_add_time(&table, yyjson_get_sint(yyjson_obj_get(one, "at")));
		table_add(&table, json_text_at(one, "account"), 24);
		table_add(&table, json_text_at(one, "peer"), 24);
		table_add(&table, json_text_at(one, "kind"), 10);
		table_add(&table, json_text_at(one, "state"), 10);
		table_add(&table, json_text_at(one, "why"), 60);
	}
	table_show(&table, out);
	table_finish(&table);
	yyjson_doc_free(doc);
}

static int retry(struct command_context *context, const struct options *options)
{
	struct remote_request request = {
		.method = "POST", .type = "application/json", .timeout_ms = ANSWER_MS};
	struct remote *remote;
	struct buf path, answer;
	struct error why;
	int status;

	if (options->word_count != 2)
		return command_misused(&command_deliveries, "retry takes the ID of a delivery");
	remote = remote_create(&command_deliveries, context, options, &status);
	if (!remote)
		return status;
	buf_init(&path, PATH_BYTES);
	buf_add(&path, TEXT("/api/deliveries/"));
	follow_add_escaped(&path, text_of(options->words[1]));
	buf_add(&path, TEXT("/retry"));
	buf_add_char(&path, '\0');
	request.path = path.at;
	status = STATUS_FAILED;
	if (path.full)
		out_say("there is no such delivery");
	else if (remote_ask(remote, &request, &answer, &why)) {
		buf_finish(&answer);
		status = STATUS_DONE;
	} else {
		out_say("%s", why.words);
	}
	buf_finish(&path);
	remote_destroy(remote);
	return status;
}

static int deliveries(struct command_context *context, const struct options *options)
{
	const struct remote_request request = {.method = "GET",
	                                       .path = options_has(options, "failed")
	                                                       ? "/api/deliveries?state=failed"
	                                                       : "/api/deliveries",
	                                       .timeout_ms = ANSWER_MS};

	if (options->word_count > 0 && strcmp(options->words[0], "retry") == 0)
		return retry(context, options);
	if (options->word_count > 0)
		return command_misworded(&command_deliveries, options);
	return remote_show(&command_deliveries, context, options, &request, show_deliveries);
}

static const char *const words[] = {"retry", NULL};
static const struct option own[] = {
	{"failed", .help = "only those that failed"},
	{"json", 'j', .help = "as the box tells them"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_deliveries = {
	.name = "deliveries",
	.summary = "list what went to chats, and send what failed again",
	.usage = "[--failed] | retry ID",
	.examples = "  signalbox deliveries\n"
		    "  signalbox deliveries --failed\n"
		    "  signalbox deliveries retry 01M7P08TYRKY723S21ERK3T57Y.1\n",
	.about = "A delivery is prepared, queued while its channel is away, started, accepted\n"
		 "piece by piece, and then delivered, or it failed. Those that are not over and\n"
		 "the newest thousand of the others are listed, the oldest first.\n",
	.words = words,
	.groups = groups,
	.run = deliveries,
};
