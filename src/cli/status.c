/* status.c - `signalbox status`: how the box is. */
#include <yyjson.h>

#include "cli/dial.h"
#include "cli/verbs.h"

#define STATUS_MS 10000
#define NESTING_MAX 4
#define NAME_COLUMN 18

static void show_scalar(struct out *out, yyjson_val *value)
{
	if (yyjson_is_str(value))
		out_add_shown(out, (struct text){yyjson_get_str(value), yyjson_get_len(value)});
	else if (yyjson_is_uint(value))
		out_print(out, "%llu", (unsigned long long)yyjson_get_uint(value));
	else if (yyjson_is_num(value))
		out_print(out, "%.6g", yyjson_get_num(value));
	else if (yyjson_is_bool(value))
		out_print(out, "%s", yyjson_get_bool(value) ? "yes" : "no");
	else
		out_print(out, "-");
}

static void show_list(struct out *out, yyjson_val *list)
{
	size_t at, count;
	yyjson_val *one;

	yyjson_arr_foreach(list, at, count, one)
	{
		out_print(out, "%s", at ? ", " : "");
		show_scalar(out, one);
	}
	if (yyjson_arr_size(list) == 0)
		out_print(out, "-");
}

/* Every member that the box tells, so that a new one is shown without a change
 * here. */
static void show_members(struct out *out, yyjson_val *object, unsigned nesting)
{
	size_t at, count;
	yyjson_val *name, *value;

	yyjson_obj_foreach(object, at, count, name, value)
	{
		struct text key = {yyjson_get_str(name), yyjson_get_len(name)};

		if (nesting == 0 && text_is(key, "ok"))
			continue;
		out_print(out, "%*s", (int)nesting * 2, "");
		out_add_shown(out, key);
		if (yyjson_is_obj(value)) {
			out_print(out, "\n");
			if (nesting < NESTING_MAX)
				show_members(out, value, nesting + 1);
			continue;
		}
		out_print(out, "%*s", key.len < NAME_COLUMN ? (int)(NAME_COLUMN - key.len) : 1, "");
		if (yyjson_is_arr(value))
			show_list(out, value);
		else
			show_scalar(out, value);
		out_print(out, "\n");
	}
}

static int status_of(struct command_context *context, const struct options *options,
                     struct dial *dial)
{
	const struct dial_request request = {
		.method = "GET", .path = "/api/status", .timeout_ms = STATUS_MS};
	struct buf body;
	struct error why;
	yyjson_doc *doc;

	if (!dial_ask(dial, &request, &body, &why)) {
		say("%s", why.words);
		return STATUS_FAILED;
	}
	if (options_has(options, "json")) {
		out_add(&context->out, text_trim(buf_text(&body)));
		out_print(&context->out, "\n");
	} else {
		doc = yyjson_read(body.at, body.len, 0);
		show_members(&context->out, yyjson_doc_get_root(doc), 0);
		yyjson_doc_free(doc);
	}
	buf_finish(&body);
	return STATUS_DONE;
}

static int status(struct command_context *context, const struct options *options)
{
	struct dial *dial;
	int result;

	if (options->word_count > 0)
		return command_misused(&command_status, "'%s' is too much", options->words[0]);
	dial = dial_create(&command_status, context, options, &result);
	if (!dial)
		return result;
	result = status_of(context, options, dial);
	dial_destroy(dial);
	return result;
}

static const struct option own[] = {{"json", 'j', .help = "as one JSON object"}, {0}};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_status = {
	.name = "status",
	.summary = "say how the box is",
	.usage = "[--json]",
	.examples = "  signalbox status\n"
		    "  signalbox status --json | jq .seq\n",
	.about = "Ends with 1 when no box is running there.\n",
	.groups = groups,
	.run = status,
};
