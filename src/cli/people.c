/* people.c - `signalbox people`: who may write to agents in chats. */
#include <string.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/put.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/remote.h"
#include "cli/table.h"
#include "crew/words.h"
#include "signal/json.h"

extern const struct command command_people;

#define ANSWER_MS 10000
#define PATH_BYTES (4 * KIB)
#define CELL_BYTES KIB

static void add_waiting(struct table *table, yyjson_val *one)
{
	double left = (double)(yyjson_get_sint(yyjson_obj_get(one, "untilMs")) - clock_wall_ms());
	struct buf cell;

	buf_init(&cell, CELL_BYTES);
	words_age(&cell, left);
	buf_add(&cell, TEXT(" left"));
	table_add(table, json_text_at(one, "name"), 32);
	table_add(table, TEXT("waits"), 20);
	table_add(table, json_text_at(one, "identity"), 60);
	table_add(table, buf_text(&cell), 20);
	buf_finish(&cell);
}

static void show_people(struct out *out, struct text body)
{
	static const char *const heading[] = {"NAME", "IS", "IDENTITIES", "AGENT"};
	yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc), *one;
	yyjson_val *people = yyjson_obj_get(root, "people");
	yyjson_val *waiting = yyjson_obj_get(root, "waiting");
	struct table table;
	size_t at, count;

	if (yyjson_arr_size(people) == 0 && yyjson_arr_size(waiting) == 0)
		out_say("nobody is known: `people` of the configuration names owners");
	table_init(&table, 4);
	for (unsigned i = 0; i < 4; i++)
		table_add(&table, text_of(heading[i]), 20);
	yyjson_arr_foreach(people, at, count, one)
	{
		table_add(&table, json_text_at(one, "name"), 32);
		table_add(&table, json_text_at(one, "relationship"), 20);
		table_add_list(&table, yyjson_obj_get(one, "identities"), 60);
		table_add(&table, json_text_at(one, "agent"), 32);
	}
	yyjson_arr_foreach(waiting, at, count, one)
	{
		add_waiting(&table, one);
	}
	table_show(&table, out);
	table_finish(&table);
	if (yyjson_arr_size(waiting))
		out_say("`signalbox people approve CODE --agent NAME` lets in one who waits, "
		        "with the code that they got");
	yyjson_doc_free(doc);
}

static int tell_box(struct command_context *context, const struct options *options,
                    struct remote_request *request)
{
	struct remote *remote;
	struct buf answer;
	struct error why;
	int status;
	bool good;

	request->type = "application/json";
	request->timeout_ms = ANSWER_MS;
	remote = remote_create(&command_people, context, options, &status);
	if (!remote)
		return status;
	good = remote_ask(remote, request, &answer, &why);
	if (good)
		buf_finish(&answer);
	else
		out_say("%s", why.words);
	remote_destroy(remote);
	return good ? STATUS_DONE : STATUS_FAILED;
}

static int approve(struct command_context *context, const struct options *options)
{
	struct remote_request request = {.method = "POST", .path = "/api/people/approve"};
	const char *agent = options_value(options, "agent");
	const char *name = options_value(options, "name");
	struct buf body;
	int status;

	if (options->word_count != 2 || !agent)
		return command_misused(&command_people, "approve takes a CODE and --agent NAME");
	buf_init(&body, PATH_BYTES);
	put_object(&body, NULL);
	put_word(&body, "code", options->words[1]);
	put_word(&body, "agent", agent);
	if (name)
		put_word(&body, "name", name);
	put_end(&body);
	request.body = buf_text(&body);
	status = body.full ? command_misused(&command_people, "that is too long")
	                   : tell_box(context, options, &request);
	buf_finish(&body);
	return status;
}

static int remove_one(struct command_context *context, const struct options *options)
{
	struct remote_request request = {.method = "DELETE"};
	struct buf path;
	int status;

	if (options->word_count != 2)
		return command_misused(&command_people, "remove takes the NAME of a person");
	buf_init(&path, PATH_BYTES);
	buf_add(&path, TEXT("/api/people/"));
	follow_add_escaped(&path, text_of(options->words[1]));
	buf_add_char(&path, '\0');
	request.path = path.at;
	status = path.full ? command_misused(&command_people, "that is too long")
	                   : tell_box(context, options, &request);
	buf_finish(&path);
	return status;
}

static int people(struct command_context *context, const struct options *options)
{
	const struct remote_request request = {
		.method = "GET", .path = "/api/people", .timeout_ms = ANSWER_MS};
	const char *word = options->word_count ? options->words[0] : "list";
	bool approves = strcmp(word, "approve") == 0;

	if (!approves && (options_has(options, "agent") || options_has(options, "name")))
		return command_misused(&command_people, "--agent and --name go with approve");
	if (approves)
		return approve(context, options);
	if (strcmp(word, "remove") == 0)
		return remove_one(context, options);
	if (strcmp(word, "list") != 0 || options->word_count > 1)
		return command_misworded(&command_people, options);
	return remote_show(&command_people, context, options, &request, show_people);
}

static const char *const words[] = {"list", "approve", "remove", NULL};
static const struct option own[] = {
	{"agent", 'a', "NAME", "approve: the source that they may ask"},
	{"name", 'n', "NAME", "approve: how they are called", "as the platform says"},
	{"json", 'j', .help = "list: as the box tells it"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_people = {
	.name = "people",
	.summary = "list who may write in chats, and let people in",
	.usage = "[list | approve CODE --agent NAME | remove NAME]",
	.examples = "  signalbox people\n"
		    "  signalbox people approve 4f1c0de7a9b8342d5e6f70819a2b3c4d --agent claude\n"
		    "  signalbox people remove Ada\n",
	.about = "Owners are named by the configuration. Somebody else who writes to the box\n"
		 "alone gets a code, once; with it they can be let in for an hour, and may ask\n"
		 "that agent from then on, but never answer what agents ask.\n",
	.words = words,
	.groups = groups,
	.run = people,
};
