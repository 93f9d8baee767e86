/* discover.c - `signalbox discover`: what runs on this machine. */
#include "cli/command.h"
#include "cli/remote.h"
#include "cli/table.h"
#include "signal/json.h"

extern const struct command command_discover;

#define DISCOVER_MS 10000
#define MODELS_SHOWN 3
#define COLUMNS 5
#define CELL_MAX 200

/* "m1, m2, m3 and 4 more" */
static void add_models(struct table *table, yyjson_val *models)
{
	size_t n = yyjson_arr_size(models);
	struct buf cell;

	buf_init(&cell, CELL_MAX);
	for (size_t i = 0; i < n && i < MODELS_SHOWN; i++) {
		yyjson_val *name = yyjson_arr_get(models, i);

		buf_add(&cell, i ? TEXT(", ") : TEXT(""));
		buf_add(&cell, json_text(name));
	}
	if (n > MODELS_SHOWN)
		buf_print(&cell, " and %zu more", n - MODELS_SHOWN);
	table_add(table, buf_text(&cell), CELL_MAX);
	buf_finish(&cell);
}

static void add_services(struct table *table, yyjson_val *list)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *service;

	while ((service = yyjson_arr_iter_next(&each)) != NULL) {
		bool is_there = yyjson_get_bool(yyjson_obj_get(service, "available"));

		table_add(table, json_text_at(service, "label"), CELL_MAX);
		table_add(table, is_there ? TEXT("yes") : TEXT("no"), CELL_MAX);
		table_add(table, json_text_at(service, "id"), CELL_MAX);
		table_add(table, json_text_at(service, "url"), CELL_MAX);
		add_models(table, yyjson_obj_get(service, "models"));
	}
}

static void show_all(struct out *out, struct text json)
{
	static const char *const heading[] = {"SERVICE", "HERE", "ID", "URL", "MODELS"};
	yyjson_doc *doc = yyjson_read(json.at, json.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct table table;

	table_init(&table, COLUMNS);
	for (size_t i = 0; i < COLUMNS; i++)
		table_add(&table, text_of(heading[i]), CELL_MAX);
	add_services(&table, yyjson_obj_get(root, "services"));
	add_services(&table, yyjson_obj_get(root, "midi"));
	table_show(&table, out);
	table_finish(&table);
	yyjson_doc_free(doc);
}

static int discover(struct command_context *context, const struct options *options)
{
	bool rescan = options_has(options, "rescan");
	const struct remote_request request = {
		.method = rescan ? "POST" : "GET",
		.path = rescan ? "/api/discover/rescan" : "/api/discover/local",
		.timeout_ms = DISCOVER_MS,
	};

	return remote_show(&command_discover, context, options, &request, show_all);
}

static const struct option own[] = {
	{"json", 'j', .help = "as one JSON object"},
	{"rescan", 'r', .help = "make the list of sources follow what is found"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_discover = {
	.name = "discover",
	.summary = "look for agents and models on this machine",
	.usage = "[--rescan] [--json]",
	.examples = "  signalbox discover\n"
		    "  signalbox discover --rescan --json | jq .services\n",
	.about = "The box probes Claude Code, OpenClaw, LM Studio, Ollama, Codex and opencode,\n"
		 "each for at most 300 ms and without any credential, and asks JACK for its\n"
		 "MIDI ports.\n",
	.groups = groups,
	.run = discover,
};
