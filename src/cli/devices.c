/* devices.c - `signalbox devices`: what is paired with the box. */
#include <stdlib.h>

#include "base/clock.h"
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

static bool ask_devices(struct remote *remote, const char *method, const char *path,
                        struct buf *answer)
{
	const struct remote_request request = {.method = method,
	                                       .path = path,
	                                       .type = "application/json",
	                                       .timeout_ms = DEVICES_MS};
	struct error why;

	if (remote_ask(remote, &request, answer, &why))
		return true;
	out_say("%s", why.words);
	return false;
}

static void add_scopes(struct table *table, yyjson_val *scopes)
{
	struct buf cell;
	yyjson_val *one;
	size_t at, count;

	buf_init(&cell, CELL_BYTES);
	yyjson_arr_foreach(scopes, at, count, one)
	{
		if (at)
			buf_add_char(&cell, ',');
		buf_add(&cell, json_text(one));
	}
	table_add(table, buf_text(&cell), 40);
	buf_finish(&cell);
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

static void show_devices(struct out *out, yyjson_val *devices)
{
	static const char *const heading[] = {"NAME", "SCOPES", "PAIRED", "LAST SEEN", NULL};
	struct table table;
	yyjson_val *one;
	size_t at, count;

	table_init(&table, 4);
	for (unsigned i = 0; heading[i]; i++)
		table_add(&table, text_of(heading[i]), 20);
	yyjson_arr_foreach(devices, at, count, one)
	{
		table_add(&table, json_text_at(one, "name"), 40);
		add_scopes(&table, yyjson_obj_get(one, "scopes"));
		add_age(&table, yyjson_obj_get(one, "pairedMs"));
		add_age(&table, yyjson_obj_get(one, "seenMs"));
	}
	table_show(&table, out);
	table_finish(&table);
}

static bool list_devices(struct command_context *context, const struct options *options,
                         struct remote *remote)
{
	struct buf answer;
	yyjson_doc *doc;
	yyjson_val *devices;

	if (!ask_devices(remote, "GET", "/api/devices", &answer))
		return false;
	doc = yyjson_read(answer.at, answer.len, 0);
	devices = yyjson_obj_get(yyjson_doc_get_root(doc), "devices");
	if (options_has(options, "json")) {
		size_t len;
		char *json = yyjson_val_write(devices, 0, &len);

		out_add(&context->out, (struct text){json, json ? len : 0});
		out_add(&context->out, TEXT("\n"));
		free(json);
	} else if (yyjson_arr_size(devices) == 0) {
		out_say("no device is paired; `signalbox pair` pairs one");
	} else {
		show_devices(&context->out, devices);
	}
	yyjson_doc_free(doc);
	buf_finish(&answer);
	return true;
}

static bool revoke_device(struct remote *remote, const char *name)
{
	struct buf path, answer;
	bool good;

	buf_init(&path, PATH_BYTES);
	buf_add(&path, TEXT("/api/devices/"));
	follow_add_escaped(&path, text_of(name));
	buf_add_char(&path, '\0');
	good = ask_devices(remote, "DELETE", path.at, &answer);
	if (good)
		buf_finish(&answer);
	buf_finish(&path);
	return good;
}

static int devices(struct command_context *context, const struct options *options)
{
	const char *verb = options->word_count ? options->words[0] : "list";
	bool revokes = strcmp(verb, "revoke") == 0;
	struct remote *remote;
	int status;
	bool good;

	if (!revokes && strcmp(verb, "list") != 0)
		return command_misworded(&command_devices, options);
	if (revokes ? options->word_count != 2 : options->word_count > 1)
		return command_misused(&command_devices, "%s",
		                       revokes ? "revoke wants the name of one device"
		                               : "list wants nothing more");
	remote = remote_create(&command_devices, context, options, &status);
	if (!remote)
		return status;
	good = revokes ? revoke_device(remote, options->words[1])
	               : list_devices(context, options, remote);
	remote_destroy(remote);
	return good ? STATUS_DONE : STATUS_FAILED;
}

static const struct option own[] = {
	{"json", 'j', .help = "list: as JSON on one line"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

static const char *const words[] = {"list", "revoke", NULL};

const struct command command_devices = {
	.name = "devices",
	.summary = "list and revoke paired devices",
	.usage = "[list | revoke NAME]",
	.examples = "  signalbox devices\n"
		    "  signalbox devices revoke phone\n",
	.about = "A device that is revoked is signed out at once: what it has open is closed,\n"
		 "and its secret opens nothing. `signalbox pair` pairs one.\n",
	.words = words,
	.groups = groups,
	.run = devices,
};
