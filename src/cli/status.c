/* status.c - `signalbox status`: how the box is. */
#include "cli/dial.h"
#include "cli/report.h"
#include "cli/verbs.h"

#define STATUS_MS 10000

static int status_of(struct command_context *context, const struct options *options,
                     struct dial *dial)
{
	const struct dial_request request = {
		.method = "GET", .path = "/api/status", .timeout_ms = STATUS_MS};
	struct buf body;
	struct error why;

	if (!dial_ask(dial, &request, &body, &why)) {
		say("%s", why.words);
		return STATUS_FAILED;
	}
	if (options_has(options, "json")) {
		out_add(&context->out, text_trim(buf_text(&body)));
		out_print(&context->out, "\n");
	} else {
		report_show(&context->out, buf_text(&body));
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
	.about = "Ends with 1 when no box is running there. Counters that are 0 are left out,\n"
		 "except in --json.\n",
	.groups = groups,
	.run = status,
};
