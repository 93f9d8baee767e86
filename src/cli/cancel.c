/* cancel.c - `signalbox cancel`. */
#include "cli/cancel.h"

#include "cli/command.h"
#include "cli/follow.h"

extern const struct command command_cancel;

#define ANSWER_MS 30000
#define PATH_MAX_LEN (4 * KIB)

bool cancel_run(struct remote *remote, const char *run, struct error *why)
{
	struct remote_request request = {
		.method = "POST", .type = "application/json", .timeout_ms = ANSWER_MS};
	struct buf path, answer;
	bool ok;

	buf_init(&path, PATH_MAX_LEN);
	buf_add(&path, TEXT("/api/runs/"));
	follow_add_escaped(&path, text_of(run));
	buf_add(&path, TEXT("/cancel"));
	buf_add_char(&path, '\0');
	request.path = path.at;
	ok = path.full ? error_set(why, "that is no run")
	               : remote_ask(remote, &request, &answer, why);
	if (ok)
		buf_finish(&answer);
	buf_finish(&path);
	return ok;
}

static int cancel(struct command_context *context, const struct options *options)
{
	struct error why;
	struct remote *remote;
	int status;

	if (options->word_count != 1)
		return command_misused(&command_cancel, "it takes a run");
	remote = remote_create(&command_cancel, context, options, &status);
	if (!remote)
		return status;
	status = STATUS_DONE;
	if (!cancel_run(remote, options->words[0], &why)) {
		out_say("%s", why.words);
		status = STATUS_FAILED;
	}
	remote_destroy(remote);
	return status;
}

static const struct option_group *const cancel_groups[] = {&options_box, &options_common, NULL};

const struct command command_cancel = {
	.name = "cancel",
	.summary = "end a run, upstream too",
	.usage = "RUN",
	.examples = "  signalbox cancel checkout-2\n",
	.about = "RUN is a handle of `signalbox run list`, or the correlationId of its signals.\n"
		 "It ends in one completion that is no success.\n",
	.groups = cancel_groups,
	.run = cancel,
};
