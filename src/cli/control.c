/* control.c - `signalbox control`: pause a run, step it, end it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/brake.h"
#include "base/must.h"
#include "base/put.h"
#include "cli/command.h"
#include "cli/remote.h"
#include "net/parcel.h"

extern const struct command command_control;

#define ANSWER_MS 30000
#define SHORT_MS 3000 /* when it is done already, and the box only to be told */
#define BODY_MAX (16 * KIB)

static bool post(struct remote *remote, const struct options *options, uint64_t n,
                 unsigned timeout_ms, struct error *why)
{
	struct remote_request request = {.method = "POST",
	                                 .path = "/api/control",
	                                 .type = "application/json",
	                                 .timeout_ms = timeout_ms};
	struct buf body, answer;
	bool good;

	buf_init(&body, BODY_MAX);
	put_object(&body, NULL);
	put_word(&body, "screen", "cli");
	put_word(&body, "run", options->words[0]);
	put_word(&body, "do", options->words[1]);
	if (n)
		put_u64(&body, "n", n);
	buf_add_char(&body, '}');
	request.body = buf_text(&body);
	good = body.full ? error_set(why, "there is no such run")
	                 : remote_ask(remote, &request, &answer, why);
	if (good)
		buf_finish(&answer);
	buf_finish(&body);
	return good;
}

/* A session that a file holds goes on without a box; a box that hangs hears of it when it
 * is back.  True: it was held. */
static bool release(const struct remote *remote, const struct options *options)
{
	const struct text session = text_of(options->words[0]);
	const char *data = remote_data(remote);
	struct parcel changed = {.kind = 'l', .body = session};
	uint64_t uses;
	char *path;
	int line;

	if (strcmp(options->words[1], "continue") != 0 || options_value(options, "url") ||
	    !brake_look(data, session, &uses) || !brake_release(data, session, NULL))
		return false;
	path = must_print("%s/hooks", data);
	line = parcel_connect(path);
	if (line >= 0) {
		parcel_send(line, &changed);
		close(line);
	}
	free(path);
	return true;
}

static int control_run(struct command_context *context, const struct options *options)
{
	uint64_t n = 0;
	struct error why;
	struct remote *remote;
	bool released;
	int status;

	if (options->word_count < 2 || options->word_count > 3)
		return command_misused(&command_control, "it takes a run, and what to do with it");
	if (options->word_count == 3 && (!text_to_u64(text_of(options->words[2]), &n) || !n))
		return command_misused(&command_control, "'%s' is no number of steps",
		                       options->words[2]);
	if (n && strcmp(options->words[1], "step") != 0)
		return command_misused(&command_control, "only step takes a number");
	remote = remote_create(&command_control, context, options, &status);
	if (!remote)
		return status;
	status = STATUS_DONE;
	released = release(remote, options);
	if (!post(remote, options, n, released ? SHORT_MS : ANSWER_MS, &why)) {
		if (released)
			out_say("it goes on; the box was not told: %s", why.words);
		else
			out_say("%s", why.words);
		status = released ? STATUS_DONE : STATUS_FAILED;
	}
	remote_destroy(remote);
	return status;
}

static const struct option_group *const groups[] = {&options_box, &options_common, NULL};

const struct command command_control = {
	.name = "control",
	.summary = "pause, step, continue or end a run",
	.usage = "RUN pause|step [N]|continue|arm|ui-interrupt|ui-quit|cancel",
	.examples = "  signalbox control checkout-2 pause\n"
		    "  signalbox control 0f8fad5b-d9cb-469f-a165-70867728950e step 3\n",
	.about = "RUN is a handle of `signalbox run list`, or the id of a run.\n"
		 "It goes to the source that owns the run; one that cannot do it says so. `arm`\n"
		 "pauses at the next event from outside. A paused run still asks, and takes\n"
		 "answers. `continue` of a session of Claude Code needs no box.\n",
	.groups = groups,
	.run = control_run,
};
