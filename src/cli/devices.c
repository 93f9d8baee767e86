/* devices.c - `signalbox devices`: what is paired with the box. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/put.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/remote.h"
#include "cli/table.h"
#include "crew/words.h"
#include "signal/json.h"

extern const struct command command_devices;

#define DEVICES_MS 20000
#define PATH_BYTES (4 * KIB)
#define CELL_BYTES 256

static bool ask_devices(struct remote *remote, const struct remote_request *request,
                        struct buf *answer)
{
	struct remote_request whole = *request;
	struct error why;

	whole.type = "application/json";
	whole.timeout_ms = DEVICES_MS;
	if (remote_ask(remote, &whole, answer, &why))
		return true;
	out_say("%s", why.words);
	return false;
}

static void add_age(struct table *table, yyjson_val *when)
{
	struct buf cell;

	buf_init(&cell, CELL_BYTES);
	words_age(&cell, (double)(clock_wall_ms() - yyjson_get_sint(when)));
	buf_add(&cell, TEXT(" ago"));
	table_add(table, buf_text(&cell), 20);
	buf_finish(&cell);
}

/* What it says of itself, and of one that waits from where. */
static void add_where(struct table *table, yyjson_val *device)
{
	static const char *const names[] = {"displayName", "platform", "from"};
	struct buf cell;

	buf_init(&cell, CELL_BYTES);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct text word = json_text_at(device, names[i]);

		if (!word.len)
			continue;
		if (cell.len)
			buf_add(&cell, TEXT(", "));
		buf_add(&cell, word);
	}
	table_add(table, buf_text(&cell), 40);
	buf_finish(&cell);
}

static void add_devices(struct table *table, yyjson_val *devices, bool waits)
{
	yyjson_val *one;
	size_t at, count;

	yyjson_arr_foreach(devices, at, count, one)
	{
		table_add(table, json_text_at(one, "name"), 48);
		table_add_list(table, yyjson_obj_get(one, "scopes"), 40);
		if (waits)
			table_add(table, TEXT("waits"), 20);
		else
			add_age(table, yyjson_obj_get(one, "pairedMs"));
		add_age(table, yyjson_obj_get(one, waits ? "sinceMs" : "seenMs"));
		add_where(table, one);
	}
}

static void show_devices(struct out *out, yyjson_val *answer)
{
	static const char *const heading[] = {"NAME",      "SCOPES", "PAIRED",
	                                      "LAST SEEN", "WHAT",   NULL};
	yyjson_val *waiting = yyjson_obj_get(answer, "waiting");
	struct table table;

	table_init(&table, 5);
	for (unsigned i = 0; heading[i]; i++)
		table_add(&table, text_of(heading[i]), 20);
	add_devices(&table, yyjson_obj_get(answer, "devices"), false);
	add_devices(&table, waiting, true);
	table_show(&table, out);
	table_finish(&table);
	if (yyjson_arr_size(waiting))
		out_say("`signalbox devices approve NAME` lets in one that waits");
}

/* Those that wait are in the same list. */
static void print_devices(struct out *out, yyjson_val *answer)
{
	yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *list = yyjson_val_mut_copy(doc, yyjson_obj_get(answer, "devices"));
	yyjson_val *one;
	size_t at, count, len;
	char *json;

	yyjson_arr_foreach(yyjson_obj_get(answer, "waiting"), at, count, one)
	{
		yyjson_mut_val *row = yyjson_val_mut_copy(doc, one);

		yyjson_mut_obj_add_bool(doc, row, "waiting", true);
		yyjson_mut_arr_append(list, row);
	}
	json = yyjson_mut_val_write(list, 0, &len);
	out_add(out, (struct text){json, json ? len : 0});
	out_add(out, TEXT("\n"));
	free(json);
	yyjson_mut_doc_free(doc);
}

static bool list_devices(struct command_context *context, const struct options *options,
                         struct remote *remote)
{
	struct buf bytes;
	yyjson_doc *doc;
	yyjson_val *answer;

	if (!ask_devices(remote, &(struct remote_request){"GET", "/api/devices"}, &bytes))
		return false;
	doc = yyjson_read(bytes.at, bytes.len, 0);
	answer = yyjson_doc_get_root(doc);
	if (options_has(options, "json"))
		print_devices(&context->out, answer);
	else if (yyjson_arr_size(yyjson_obj_get(answer, "devices")) == 0 &&
	         yyjson_arr_size(yyjson_obj_get(answer, "waiting")) == 0)
		out_say("no device is paired; `signalbox pair` pairs one");
	else
		show_devices(&context->out, answer);
	yyjson_doc_free(doc);
	buf_finish(&bytes);
	return true;
}

/* POST /api/devices/NAME/VERB */
static bool decide_device(const struct options *options, struct remote *remote)
{
	const char *scopes = options_value(options, "scopes");
	struct buf path, body, answer;
	bool good;

	buf_init(&path, PATH_BYTES);
	buf_init(&body, PATH_BYTES);
	buf_add(&path, TEXT("/api/devices/"));
	follow_add_escaped(&path, text_of(options->words[1]));
	buf_print(&path, "/%s", options->words[0]);
	buf_add_char(&path, '\0');
	put_object(&body, NULL);
	if (scopes)
		put_word(&body, "scopes", scopes);
	put_end(&body);
	good = ask_devices(remote,
	                   &(struct remote_request){"POST", path.at, .body = buf_text(&body)},
	                   &answer);
	if (good)
		buf_finish(&answer);
	buf_finish(&path);
	buf_finish(&body);
	return good;
}

static bool revoke_device(const struct options *options, struct remote *remote)
{
	struct buf path, answer;
	bool good;

	buf_init(&path, PATH_BYTES);
	buf_add(&path, TEXT("/api/devices/"));
	follow_add_escaped(&path, text_of(options->words[1]));
	buf_add_char(&path, '\0');
	good = ask_devices(remote, &(struct remote_request){"DELETE", path.at}, &answer);
	if (good)
		buf_finish(&answer);
	buf_finish(&path);
	return good;
}

static const struct {
	const char *word;
	bool (*run)(const struct options *options, struct remote *remote); /* NULL: the list */
} verbs[] = {
	{"list", NULL},
	{"approve", decide_device},
	{"reject", decide_device},
	{"remove", decide_device},
	{"revoke", revoke_device},
};
#define VERBS (sizeof(verbs) / sizeof(*verbs))

static int devices(struct command_context *context, const struct options *options)
{
	const char *word = options->word_count ? options->words[0] : "list";
	struct remote *remote;
	size_t verb = 0;
	int status;
	bool good;

	while (verb < VERBS && strcmp(word, verbs[verb].word) != 0)
		verb++;
	if (verb == VERBS)
		return command_misworded(&command_devices, options);
	if (verbs[verb].run ? options->word_count != 2 : options->word_count > 1)
		return command_misused(&command_devices, "%s wants %s", word,
		                       verbs[verb].run ? "the name of one device" : "nothing more");
	if (options_has(options, "scopes") && strcmp(word, "approve") != 0)
		return command_misused(&command_devices, "--scopes goes with approve");
	remote = remote_create(&command_devices, context, options, &status);
	if (!remote)
		return status;
	good = verbs[verb].run ? verbs[verb].run(options, remote)
	                       : list_devices(context, options, remote);
	remote_destroy(remote);
	return good ? STATUS_DONE : STATUS_FAILED;
}

static const struct option own[] = {
	{"json", 'j', .help = "list: as JSON on one line"},
	{"scopes", 's', "LIST", "approve: what it may do", "as asked, but no admin"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

static const char *const words[] = {"list", "approve", "reject", "remove", "revoke", NULL};

const struct command command_devices = {
	.name = "devices",
	.summary = "list devices, let them in and remove them",
	.usage = "[list | approve NAME [--scopes LIST] | reject NAME | remove NAME]",
	.examples = "  signalbox devices\n"
		    "  signalbox devices approve openclaw-tui-3f9a01bc --scopes observe\n"
		    "  signalbox devices remove phone\n",
	.about = "A device that is removed is signed out at once: what it has open is closed,\n"
		 "and its secret opens nothing; revoke is the same. `signalbox pair` pairs a\n"
		 "browser. A client of the gateway dialect with a key of its own waits here\n"
		 "for five minutes, unless it comes with a token.\n",
	.words = words,
	.groups = groups,
	.run = devices,
};
