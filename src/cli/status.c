/* status.c - `signalbox status`: how the box is. */
#include "cli/command.h"
#include "cli/remote.h"
#include "cli/report.h"

extern const struct command command_status;

#define STATUS_MS 10000

static int status(struct command_context *context, const struct options *options)
{
	const struct remote_request request = {
		.method = "GET", .path = "/api/status", .timeout_ms = STATUS_MS};

	return remote_show(&command_status, context, options, &request, report_show);
}

static const struct option own[] = {{"json", 'j', .help = "as one JSON object"}, {0}};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_status = {
	.name = "status",
	.summary = "show the state of the box",
	.usage = "[--json]",
	.examples = "  signalbox status\n"
		    "  signalbox status --json | jq .seq\n",
	.about = "Ends with 1 when no box is running there. Counters that are 0 are left out,\n"
		 "except in --json.\n",
	.groups = groups,
	.run = status,
};
