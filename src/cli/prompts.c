/* prompts.c - `signalbox prompts`: what agents ask and nobody has answered yet. */
#include <yyjson.h>

#include "cli/dial.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "signal/json.h"

#define ANSWER_MS 10000
#define JSON_MAX (64 * MIB)

static void add_row(struct table *table, yyjson_val *prompt)
{
	table_add(table, json_text(yyjson_obj_get(prompt, "id")), 40);
	table_add(table, json_text(yyjson_obj_get(prompt, "type")), 10);
	table_add(table, json_text(yyjson_obj_get(prompt, "source")), 24);
	table_add(table, json_text(yyjson_obj_get(prompt, "run")), 36);
	table_add(table, json_text(yyjson_obj_get(prompt, "prompt")), 80);
}

static void show_options(struct out *out, yyjson_val *prompt)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(prompt, "options"));
	yyjson_val *option;
	struct buf value;

	while ((option = yyjson_arr_iter_next(&it))) {
		buf_init(&value, JSON_MAX);
		json_add(&value, yyjson_obj_get(option, "value"));
		out_print(out, "    ");
		out_add_shown(out, buf_text(&value));
		out_print(out, "  ");
		out_add_shown(out, json_text(yyjson_obj_get(option, "label")));
		out_print(out, "\n");
		buf_finish(&value);
	}
}

static void show_table(struct out *out, yyjson_val *prompts)
{
	static const char *const heading[] = {"ID", "TYPE", "SOURCE", "RUN", "PROMPT"};
	yyjson_arr_iter it = yyjson_arr_iter_with(prompts);
	yyjson_val *prompt;
	struct table table;

	table_init(&table, 5);
	for (unsigned i = 0; i < 5; i++)
		table_add(&table, text_of(heading[i]), 20);
	while ((prompt = yyjson_arr_iter_next(&it)))
		add_row(&table, prompt);
	table_show(&table, out);
	table_finish(&table);
	it = yyjson_arr_iter_with(prompts);
	while ((prompt = yyjson_arr_iter_next(&it))) {
		if (!yyjson_obj_get(prompt, "options"))
			continue;
		out_print(out, "\n  ");
		out_add_shown(out, json_text(yyjson_obj_get(prompt, "id")));
		out_print(out, "\n");
		show_options(out, prompt);
	}
}

static void show(struct out *out, bool as_json, struct text body)
{
	yyjson_doc *doc = yyjson_read(body.at, body.len, YYJSON_READ_BIGNUM_AS_RAW);
	yyjson_val *prompts = yyjson_obj_get(yyjson_doc_get_root(doc), "prompts");
	struct buf json;

	if (as_json) {
		buf_init(&json, JSON_MAX);
		json_add(&json, prompts);
		out_add(out, buf_text(&json));
		out_print(out, "\n");
		buf_finish(&json);
	} else if (yyjson_arr_size(prompts) == 0) {
		out_print(out, "no prompt is open\n");
	} else {
		show_table(out, prompts);
	}
	yyjson_doc_free(doc);
}

static int prompts(struct command_context *context, const struct options *options)
{
	const struct dial_request request = {
		.method = "GET", .path = "/api/prompts", .timeout_ms = ANSWER_MS};
	struct error why;
	struct dial *dial;
	struct buf body;
	int status;

	if (options->word_count > 0)
		return command_misused(&command_prompts, "'%s' is too much", options->words[0]);
	dial = dial_create(&command_prompts, context, options, &status);
	if (!dial)
		return status;
	status = STATUS_FAILED;
	if (dial_ask(dial, &request, &body, &why)) {
		show(&context->out, options_has(options, "json"), buf_text(&body));
		status = STATUS_DONE;
		buf_finish(&body);
	} else {
		say("%s", why.words);
	}
	dial_destroy(dial);
	return status;
}

static const struct option own[] = {{"json", 'j', .help = "as a JSON array"}, {0}};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_prompts = {
	.name = "prompts",
	.summary = "list what agents ask",
	.usage = "[--json]",
	.examples = "  signalbox prompts\n"
		    "  signalbox prompts --json | jq -r '.[].id'\n",
	.about = "Every question that an agent waits with, with the values that would answer it.\n"
		 "`signalbox answer` answers one; whoever is first, on any screen, wins.\n",
	.groups = groups,
	.run = prompts,
};
