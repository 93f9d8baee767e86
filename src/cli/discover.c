/* discover.c - `signalbox discover`: what runs on this machine. */
#include <yyjson.h>

#include "cli/dial.h"
#include "cli/verbs.h"

#define DISCOVER_MS 10000
#define MODELS_SHOWN 3

static struct text text_in(yyjson_val *object, const char *name)
{
	yyjson_val *value = yyjson_obj_get(object, name);

	return (struct text){yyjson_get_str(value), yyjson_get_len(value)};
}

/* Text from outside, and spaces up to the next column. */
static void show_column(struct out *out, struct text t, size_t width)
{
	out_add_shown(out, t);
	out_print(out, "%*s", t.len < width ? (int)(width - t.len) : 1, "");
}

static void show_models(struct out *out, yyjson_val *models)
{
	size_t n = yyjson_arr_size(models);

	for (size_t i = 0; i < n && i < MODELS_SHOWN; i++) {
		yyjson_val *name = yyjson_arr_get(models, i);

		out_print(out, "%s", i ? ", " : "  ");
		out_add_shown(out, (struct text){yyjson_get_str(name), yyjson_get_len(name)});
	}
	if (n > MODELS_SHOWN)
		out_print(out, " and %zu more", n - MODELS_SHOWN);
}

static void show_service(struct out *out, yyjson_val *service)
{
	bool is_there = yyjson_get_bool(yyjson_obj_get(service, "available"));

	out_paint(out, is_there ? "\033[32m" : "\033[2m");
	out_print(out, "%-8s", is_there ? "here" : "-");
	out_paint(out, "\033[0m");
	show_column(out, text_in(service, "label"), 24);
	out_add_shown(out, text_in(service, "url"));
	show_models(out, yyjson_obj_get(service, "models"));
	out_print(out, "\n");
}

static void show_all(struct out *out, struct text json)
{
	yyjson_doc *doc = yyjson_read(json.at, json.len, 0);
	static const char *const lists[] = {"services", "midi"};

	for (size_t i = 0; i < 2; i++) {
		yyjson_val *list = yyjson_obj_get(yyjson_doc_get_root(doc), lists[i]);
		yyjson_arr_iter each = yyjson_arr_iter_with(list);
		yyjson_val *service;

		while ((service = yyjson_arr_iter_next(&each)) != NULL)
			show_service(out, service);
	}
	yyjson_doc_free(doc);
}

static int look(struct command_context *context, const struct options *options, struct dial *dial)
{
	bool rescan = options_has(options, "rescan");
	const struct dial_request request = {
		.method = rescan ? "POST" : "GET",
		.path = rescan ? "/api/discover/rescan" : "/api/discover/local",
		.timeout_ms = DISCOVER_MS,
	};
	struct error why;
	struct buf body;

	if (!dial_ask(dial, &request, &body, &why)) {
		say("%s", why.words);
		return STATUS_FAILED;
	}
	if (options_has(options, "json")) {
		out_add(&context->out, text_trim(buf_text(&body)));
		out_print(&context->out, "\n");
	} else {
		show_all(&context->out, buf_text(&body));
	}
	buf_finish(&body);
	return STATUS_DONE;
}

static int discover(struct command_context *context, const struct options *options)
{
	struct dial *dial;
	int result;

	if (options->word_count > 0)
		return command_misused(&command_discover, "'%s' is too much", options->words[0]);
	dial = dial_create(&command_discover, context, options, &result);
	if (!dial)
		return result;
	result = look(context, options, dial);
	dial_destroy(dial);
	return result;
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
	.about = "The box probes Claude Code, OpenClaw, LM Studio, Ollama and Codex, each for at\n"
		 "most 300 ms and without any credential, and asks JACK for its MIDI ports.\n",
	.groups = groups,
	.run = discover,
};
