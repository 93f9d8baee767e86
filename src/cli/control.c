/* control.c - `signalbox control`: pause a run, step it, end it. */
#include <string.h>

#include "cli/dial.h"
#include "cli/verbs.h"

#define ANSWER_MS 30000
#define BODY_MAX (16 * KIB)

static bool post(struct dial *dial, const struct options *options, uint64_t n, struct error *why)
{
	struct dial_request request = {.method = "POST",
	                               .path = "/api/control",
	                               .type = "application/json",
	                               .timeout_ms = ANSWER_MS};
	struct buf body, answer;
	bool good;

	buf_init(&body, BODY_MAX);
	buf_add(&body, TEXT("{\"screen\":\"cli\",\"run\":"));
	buf_add_json(&body, text_of(options->words[0]));
	buf_add(&body, TEXT(",\"do\":"));
	buf_add_json(&body, text_of(options->words[1]));
	if (n)
		buf_print(&body, ",\"n\":%llu", (unsigned long long)n);
	buf_add_char(&body, '}');
	request.body = buf_text(&body);
	good = body.full ? error_set(why, "there is no such run")
	                 : dial_ask(dial, &request, &answer, why);
	if (good)
		buf_finish(&answer);
	buf_finish(&body);
	return good;
}

static int control(struct command_context *context, const struct options *options)
{
	uint64_t n = 0;
	struct error why;
	struct dial *dial;
	int status;

	if (options->word_count < 2 || options->word_count > 3)
		return command_misused(&command_control, "it takes a run, and what to do with it");
	if (options->word_count == 3 && (!text_to_u64(text_of(options->words[2]), &n) || !n))
		return command_misused(&command_control, "'%s' is no number of steps",
		                       options->words[2]);
	if (n && strcmp(options->words[1], "step") != 0)
		return command_misused(&command_control, "only step takes a number");
	dial = dial_create(&command_control, context, options, &status);
	if (!dial)
		return status;
	status = STATUS_DONE;
	if (!post(dial, options, n, &why)) {
		say("%s", why.words);
		status = STATUS_FAILED;
	}
	dial_destroy(dial);
	return status;
}

static const struct option_group *const groups[] = {&options_box, &options_common, NULL};

const struct command command_control = {
	.name = "control",
	.summary = "pause a run, step it, let it go on, end it",
	.usage = "RUN pause|step [N]|continue|arm|ui-interrupt|ui-quit|cancel",
	.examples = "  signalbox control 0f8fad5b-d9cb-469f-a165-70867728950e pause\n"
		    "  signalbox control 0f8fad5b-d9cb-469f-a165-70867728950e step 3\n",
	.about = "It goes to the source that owns the run; one that cannot do it says so. `arm`\n"
		 "pauses at the next event from outside. A paused run still asks, and takes\n"
		 "answers.\n",
	.groups = groups,
	.run = control,
};
