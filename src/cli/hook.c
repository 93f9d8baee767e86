/* hook.c - `signalbox hook`: what an agent tells a hook, on to the box.
 *
 * An agent waits for its hooks, and takes what they print and how they end for
 * decisions.  So this prints nothing, ends with 0 whatever happens, and is over
 * within a fifth of a second: a box that is away, slow or stopped holds nobody up.
 *
 * With --decide it waits for what a person says, as long as the box shows that it is
 * alive, and prints that.  Without an answer it prints nothing all the same, and the agent
 * asks as it would without us.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cli/dial.h"
#include "cli/post.h"
#include "cli/send.h"
#include "cli/verbs.h"

#define DEADLINE_MS 200
#define PAYLOAD_MAX (16 * MIB) /* the box takes less */
#define PIECE (64 * KIB)
/* Of one that decides: the box begins to answer at once and beats each five seconds. */
#define FIRST_BYTE_S 3
#define BEAT_S 20
#define DECIDE_S (58 * 60) /* the agent's own patience is an hour */
#define DECISION_MAX (16 * MIB)

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

/* True when the box wants it again, and there is time for it. */
static bool waits(long status, struct text answer, uint64_t end)
{
	unsigned ms = send_wait_ms(status, answer);

	if (ms == 0 || now_ms() + ms >= end)
		return false;
	poll(NULL, 0, (int)ms);
	return true;
}

static void send_payload(const char *data, struct text payload, uint64_t end)
{
	struct post *post = post_create(data);
	enum post_state state;

	do {
		state = post_start(post, "/api/hooks/claude-code", "application/json", payload);
		while (state == POST_UNDER_WAY && wait_for(post_poll(post), end))
			state = post_step(post);
	} while (state == POST_ANSWERED && waits(post_status(post), post_answer(post), end));
	post_destroy(post);
}

/* ---- one that decides ---- */

struct decision {
	struct buf said;
	uint64_t began_ms, heard_ms; /* heard_ms 0: nothing yet */
};

static bool hear(void *self, long status, struct text bytes)
{
	struct decision *d = self;

	d->heard_ms = status == 200 ? now_ms() : 0;
	return (status == 200 || status == 429) && buf_add(&d->said, bytes);
}

static bool goes_on(void *self)
{
	struct decision *d = self;
	uint64_t now = now_ms();

	if (!d->heard_ms)
		return now - d->began_ms < FIRST_BYTE_S * 1000;
	return now - d->heard_ms < BEAT_S * 1000 && now - d->began_ms < DECIDE_S * 1000;
}

/* What the box says at last; empty when it decides nothing, or did not come to its end. */
static struct text decision_of(struct dial *dial, struct text payload, struct decision *d)
{
	struct dial_request request = {
		.method = "POST",
		.path = "/api/hooks/claude-code/decide",
		.type = "application/json",
		.body = payload,
		.heard = hear,
		.goes_on = goes_on,
		.self = d,
	};
	struct text said;
	struct error why;
	long status;

	d->began_ms = now_ms();
	do {
		buf_clear(&d->said);
		if (dial_run(dial, &request, &status, &why) != DIAL_ANSWERED)
			return (struct text){NULL, 0};
	} while (waits(status, buf_text(&d->said), d->began_ms + FIRST_BYTE_S * 1000));
	if (status != 200)
		return (struct text){NULL, 0};
	said = text_trim(buf_text(&d->said));
	return text_is(said, "{}") ? (struct text){NULL, 0} : said;
}

static void decide(struct command_context *context, const struct options *options,
                   struct text payload)
{
	struct decision d = {0};
	int status;
	struct dial *dial = dial_create(&command_hook, context, options, &status);

	if (!dial)
		return;
	buf_init(&d.said, DECISION_MAX);
	out_add(&context->out, decision_of(dial, payload, &d));
	buf_finish(&d.said);
	dial_destroy(dial);
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
		if (options_has(options, "decide"))
			decide(context, options, buf_text(&payload));
		else
			send_payload(config.data, buf_text(&payload), end);
		config_finish(&config);
	}
	buf_finish(&payload);
	return STATUS_DONE;
}

static const struct option own[] = {
	{"decide", .help = "wait for what a person says, and print it"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

const struct command command_hook = {
	.name = "hook",
	.summary = "pass on what Claude Code tells a hook",
	.usage = "[--decide] < PAYLOAD",
	.examples = "  signalbox hook < payload.json\n",
	.about = "`signalbox tap install` makes Claude Code run it, where an http hook is not\n"
		 "allowed. It prints nothing, decides nothing, and ends with 0 within a fifth\n"
		 "of a second, whether or not there is a box.\n"
		 "\n"
		 "With --decide it waits while the box holds it: for the answer to a permission\n"
		 "request, or for the end of a pause. It prints the decision as Claude Code\n"
		 "wants it. When there is none, because nobody answered, the prompt was closed,\n"
		 "or the box is away or died, it prints nothing and ends with 0: then Claude\n"
		 "Code asks in its own dialog.\n",
	.groups = groups,
	.is_harmless = true,
	.run = hook,
};
