/* prompts.c - `signalbox prompts`: what agents ask and nobody has answered yet. */
#include <yyjson.h>

#include "base/visible.h"
#include "cli/asked.h"
#include "cli/command.h"
#include "cli/members.h"
#include "cli/remote.h"
#include "cli/table.h"
#include "parse/tool_words.h"
#include "signal/json.h"

extern const struct command command_prompts;

#define ANSWER_MS 10000
#define JSON_MAX (64 * MIB)
#define WORDS_MAX (64 * MIB)
#define CELL_MAX 80 /* bytes of words that stand in the table */

/* ---- one prompt ---- */

/* Behind a mark, line by line, so that no text passes for a line of ours. */
static void show_words(struct out *out, struct text words)
{
	struct text rest = words;
	struct buf line;

	do {
		buf_init(&line, WORDS_MAX);
		visible_add(&line, text_cut(rest, '\n', &rest), VISIBLE_MARK_LINES);
		out_print(out, "    | ");
		out_add(out, buf_text(&line));
		out_print(out, "\n");
		buf_finish(&line);
	} while (rest.at);
}

static void show_visible(struct out *out, struct text words)
{
	struct buf shown;

	buf_init(&shown, WORDS_MAX);
	visible_add(&shown, words, VISIBLE_MARK_LINES);
	out_add(out, buf_text(&shown));
	buf_finish(&shown);
}

static void show_option(struct out *out, yyjson_val *option)
{
	struct text rule = json_text_at(option, "rule");
	struct buf value;

	buf_init(&value, JSON_MAX);
	json_add(&value, yyjson_obj_get(option, "value"));
	out_print(out, "    ");
	show_visible(out, buf_text(&value));
	out_print(out, "  ");
	show_visible(out, json_text_at(option, "label"));
	if (rule.len) {
		out_print(out, " - ");
		show_visible(out, rule);
	}
	out_print(out, "\n");
	buf_finish(&value);
}

static void show_options(struct out *out, yyjson_val *prompt)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(prompt, "options"));
	yyjson_val *option;

	while ((option = yyjson_arr_iter_next(&it)))
		show_option(out, option);
}

/* The table has the whole of what fits into a cell. */
static bool fits_cell(yyjson_val *prompt)
{
	struct text words = json_text_at(prompt, "prompt");
	struct buf shown;
	bool fits;

	buf_init(&shown, CELL_MAX);
	fits = visible_add(&shown, words, VISIBLE_MARK_LINES) && text_find(words, '\n') < 0;
	buf_finish(&shown);
	return fits;
}

static void show_below(struct out *out, yyjson_val *prompt)
{
	struct text id = json_text_at(prompt, "id");

	if (fits_cell(prompt) && !yyjson_obj_get(prompt, "options"))
		return;
	out_print(out, "\n  ");
	out_add_shown(out, id);
	out_print(out, "\n");
	if (!fits_cell(prompt))
		show_words(out, json_text_at(prompt, "prompt"));
	if (asked_is_cut(prompt) && yyjson_obj_get(prompt, "inputBytes"))
		out_print(out, "    all of it: signalbox prompts %.*s\n", TEXT_ARG(id));
	show_options(out, prompt);
}

/* All of it, and what says that it was printed. */
static bool show_whole(struct out *out, struct remote *remote, yyjson_val *prompt,
                       struct error *why)
{
	yyjson_doc *doc = NULL;
	yyjson_val *input;
	char word[ASKED_WORD_LEN + 1];
	struct buf words;

	if (!asked_is_cut(prompt)) {
		show_words(out, json_text_at(prompt, "prompt"));
		show_options(out, prompt);
		return true;
	}
	doc = asked_input(remote, prompt, why);
	if (!doc)
		return false;
	input = yyjson_obj_get(yyjson_doc_get_root(doc), "input");
	buf_init(&words, WORDS_MAX);
	tool_words(&words, json_text_at(prompt, "tool"), input, WORDS_MAX);
	show_words(out, buf_text(&words));
	show_options(out, prompt);
	asked_word(input, word);
	out_print(out, "    --seen %s says that all of it was printed\n", word);
	buf_finish(&words);
	yyjson_doc_free(doc);
	return true;
}

/* ---- all of them ---- */

static void add_prompt_row(struct table *table, const struct roll *roll, yyjson_val *prompt)
{
	struct text run = json_text_at(prompt, "run");
	struct buf cell;

	table_add(table, json_text_at(prompt, "id"), 40);
	table_add(table, json_text_at(prompt, "type"), 10);
	table_add(table, members_handle(roll, run), 48);
	table_add(table, json_text_at(roll_find(roll, run), "project"), 24);
	buf_init(&cell, CELL_MAX);
	if (fits_cell(prompt))
		visible_add(&cell, json_text_at(prompt, "prompt"), VISIBLE_MARK_LINES);
	else
		buf_add(&cell, TEXT("(below)"));
	table_add(table, buf_text(&cell), CELL_MAX);
	buf_finish(&cell);
}

static void show_table(struct out *out, const struct roll *roll, yyjson_val *prompts)
{
	static const char *const heading[] = {"ID", "TYPE", "SESSION", "PROJECT", "PROMPT"};
	yyjson_arr_iter it = yyjson_arr_iter_with(prompts);
	yyjson_val *prompt;
	struct table table;

	table_init(&table, 5);
	for (unsigned i = 0; i < 5; i++)
		table_add(&table, text_of(heading[i]), 20);
	while ((prompt = yyjson_arr_iter_next(&it)))
		add_prompt_row(&table, roll, prompt);
	table_show(&table, out);
	table_finish(&table);
	it = yyjson_arr_iter_with(prompts);
	while ((prompt = yyjson_arr_iter_next(&it)))
		show_below(out, prompt);
}

static void show_json(struct out *out, yyjson_val *value)
{
	struct buf json;

	buf_init(&json, JSON_MAX);
	json_add(&json, value);
	out_add(out, buf_text(&json));
	out_print(out, "\n");
	buf_finish(&json);
}

/* Without the sessions, prompts are told by their runs. */
static bool show_prompts(struct out *out, struct remote *remote, const struct options *options,
                         struct text body, struct error *why)
{
	struct roll roll = {0};
	yyjson_doc *doc = yyjson_read(body.at, body.len, YYJSON_READ_BIGNUM_AS_RAW);
	yyjson_val *prompts = yyjson_obj_get(yyjson_doc_get_root(doc), "prompts"), *one = NULL;
	bool shown = true;

	if (options->word_count > 0 || yyjson_arr_size(prompts) > 0)
		members_fetch(remote, &roll, why);
	if (options->word_count > 0) {
		one = asked_find_of(prompts, &roll, text_of(options->words[0]));
		shown = one || error_set(why, "no open prompt is '%.80s', or several are",
		                         options->words[0]);
	}
	if (shown && options_has(options, "json"))
		show_json(out, one ? one : prompts);
	else if (one)
		shown = show_whole(out, remote, one, why);
	else if (shown && yyjson_arr_size(prompts) == 0)
		out_print(out, "no prompt is open\n");
	else if (shown)
		show_table(out, &roll, prompts);
	roll_finish(&roll);
	yyjson_doc_free(doc);
	return shown;
}

static int prompts(struct command_context *context, const struct options *options)
{
	const struct remote_request request = {
		.method = "GET", .path = "/api/prompts", .timeout_ms = ANSWER_MS};
	struct error why;
	struct remote *remote;
	struct buf body;
	int status;

	if (options->word_count > 1)
		return command_misused(&command_prompts, "unexpected argument '%s'",
		                       options->words[1]);
	remote = remote_create(&command_prompts, context, options, &status);
	if (!remote)
		return status;
	status = STATUS_FAILED;
	if (remote_ask(remote, &request, &body, &why)) {
		if (show_prompts(&context->out, remote, options, buf_text(&body), &why))
			status = STATUS_DONE;
		buf_finish(&body);
	}
	if (status != STATUS_DONE)
		out_say("%s", why.words);
	remote_destroy(remote);
	return status;
}

static const struct option own[] = {
	{"json", 'j', .help = "as a JSON array; one of them as an object"}, {0}};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_prompts = {
	.name = "prompts",
	.summary = "list what agents ask",
	.usage = "[ID|RUN] [--json]",
	.examples = "  signalbox prompts\n"
		    "  signalbox prompts k5xq\n"
		    "  signalbox prompts --json | jq -r '.[].id'\n",
	.about = "Every question that an agent waits with, with the values that would answer it\n"
		 "and the rules that they would write. What cannot be seen is written out. With\n"
		 "an ID, or the beginning of one, or the handle of the session that asks, all of\n"
		 "that one, however long. `signalbox answer` answers one; whoever is first, on\n"
		 "any screen, wins.\n",
	.groups = groups,
	.run = prompts,
};
