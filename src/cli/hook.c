/* hook.c - `signalbox hook`: what an agent tells a hook, on to the box.
 *
 * An agent waits for its hooks, and takes what they print and how they end for
 * decisions.  So this prints nothing, ends with 0 whatever happens, and is over
 * within a fifth of a second: a box that is away, slow or stopped holds nobody up.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cli/post.h"
#include "cli/verbs.h"

#define DEADLINE_MS 200
#define PAYLOAD_MAX (16 * MIB) /* the box takes less */
#define PIECE (64 * KIB)

static uint64_t now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

static bool wait_for(struct pollfd wait, uint64_t end)
{
	uint64_t now = now_ms();

	return now < end && poll(&wait, 1, (int)(end - now)) != 0;
}

/* All of standard input; false when its end does not come. */
static bool read_payload(struct buf *payload, uint64_t end)
{
	for (;;) {
		char *to = buf_reserve(payload, PIECE);
		ssize_t n;

		if (!to || !wait_for((struct pollfd){.fd = 0, .events = POLLIN}, end))
			return false;
		n = read(0, to, PIECE);
		if (n < 0 && errno != EINTR)
			return false;
		if (n == 0)
			return payload->len > 0;
		payload->len += n > 0 ? (size_t)n : 0;
	}
}

static void send_payload(const char *data, struct text payload, uint64_t end)
{
	struct post *post = post_create(data);
	enum post_state state =
		post_start(post, "/api/hooks/claude-code", "application/json", payload);

	while (state == POST_UNDER_WAY && wait_for(post_poll(post), end))
		state = post_step(post);
	post_destroy(post);
}

static int hook(struct command_context *context, const struct options *options)
{
	const struct config_flag flag = {"--data", "data", options_value(options, "data")};
	const struct config_sources sources = {.file = options_value(options, "config"),
	                                       .env = context->env,
	                                       .flags = &flag,
	                                       .flag_count = flag.value != NULL};
	uint64_t end = now_ms() + DEADLINE_MS;
	struct config config;
	struct buf payload;

	buf_init(&payload, PAYLOAD_MAX);
	if (read_payload(&payload, end) && config_load(&config, &sources, NULL)) {
		send_payload(config.data, buf_text(&payload), end);
		config_finish(&config);
	}
	buf_finish(&payload);
	return STATUS_DONE;
}

static const struct option_group *const groups[] = {&options_where, &options_common, NULL};

const struct command command_hook = {
	.name = "hook",
	.summary = "pass on what Claude Code tells a hook",
	.usage = "< PAYLOAD",
	.examples = "  signalbox hook < payload.json\n",
	.about = "`signalbox tap install` makes Claude Code run it, where an http hook is not\n"
		 "allowed. It prints nothing, decides nothing, and ends with 0 within a fifth\n"
		 "of a second, whether or not there is a box.\n",
	.groups = groups,
	.is_harmless = true,
	.run = hook,
};
