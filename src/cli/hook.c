/* hook.c - `signalbox hook`: what an agent tells a hook, on to the box.
 *
 * An agent waits for its hooks, and takes what they print and how they end for
 * decisions.  So this prints nothing, ends with 0 whatever happens, and waits for nobody:
 * the kernel takes the payload for the box, or else the spool does.
 *
 * With --decide a permission waits for what a person says, as long as the box shows that
 * it is alive, and a tool of a session that is held waits until it may pass.  Whether it is
 * held is a file, so it does not matter here what the box is at.  When the agent is gone,
 * killed or not, one that asks ends, too.
 */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/brake.h"
#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "base/spool.h"
#include "cli/agent.h"
#include "cli/command.h"
#include "cli/hook_read.h"
#include "cli/hooked.h"
#include "cli/remote.h"
#include "cli/send.h"
#include "net/parcel.h"
#include "parse/claude_status.h"
#include "signal/json.h"

extern const struct command command_hook;

/* Of one that asks: the box begins to answer at once and beats each five seconds. */
#define FIRST_BYTE_S 3
#define BEAT_S 20
#define DECIDE_S (58 * 60) /* the agent's own patience is an hour */
#define DECISION_MAX (16 * MIB)
/* Of one that is held. */
#define HELD_MS 60000
#define LOOK_MS 20
#define WORDS_MAX (32 * KIB)

struct hook_errand {
	struct command_context *context;
	const struct options *options;
	const char *data;
	int64_t at_ms; /* Unix time */
	struct buf payload;
	uint64_t whole; /* bytes that it had; more than those of payload: that is a stub of it */
};

static uint64_t now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

/* ---- handing over ---- */

static struct parcel parcel_of(const struct hook_errand *e, char kind)
{
	return (struct parcel){kind, e->at_ms, e->whole, buf_text(&e->payload),
	                       (uint32_t)agent_pid()};
}

static int connect_line(const struct hook_errand *e)
{
	char *path = must_print("%s/hooks", e->data);
	int line = parcel_connect(path);

	free(path);
	return line;
}

/* The line to the box after that; -1: there is none, and the spool has it. */
static int hand_over(const struct hook_errand *e, char kind)
{
	struct parcel parcel = parcel_of(e, kind);
	int line = connect_line(e);

	if (line >= 0 && parcel_send(line, &parcel))
		return line;
	if (line >= 0)
		close(line);
	spool_add(e->data, e->at_ms, parcel.body);
	return -1;
}

/* What `signalbox run` reads of the agent's output is not told twice; a step that was used up
 * is known here alone. */
static void tell_box(const struct hook_errand *e, char kind)
{
	int line = getenv(HOOK_TOLD) && kind != 's' ? -1 : hand_over(e, kind);

	if (line >= 0)
		close(line);
}

/* ---- a permission ---- */

struct hook_decision {
	struct buf said;
	uint64_t began_ms, heard_ms; /* heard_ms 0: nothing yet */
	int agent;                   /* agent_open(); open until our end, which is near then */
};

static bool hear_bytes(void *self, long status, struct text bytes)
{
	struct hook_decision *d = self;

	d->heard_ms = status == 200 ? now_ms() : 0;
	return (status == 200 || status == 429) && buf_add(&d->said, bytes);
}

static bool goes_on(void *self)
{
	struct hook_decision *d = self;
	uint64_t now = now_ms();

	if (agent_is_gone(d->agent))
		return false;
	if (!d->heard_ms)
		return now - d->began_ms < FIRST_BYTE_S * 1000;
	return now - d->heard_ms < BEAT_S * 1000 && now - d->began_ms < DECIDE_S * 1000;
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

/* What the box says at last; empty when it decides nothing, or did not come to its end. */
static struct text decision_of(struct remote *remote, const struct hook_errand *e,
                               struct hook_decision *d)
{
	struct remote_request request = {
		.method = "POST",
		.path = "/api/hooks/claude-code/decide",
		.type = "application/json",
		.body = buf_text(&e->payload),
		.heard = hear_bytes,
		.goes_on = goes_on,
		.self = d,
	};
	enum remote_result result;
	struct text said;
	struct error why;
	long status;

	d->began_ms = now_ms();
	d->agent = agent_open();
	do {
		buf_clear(&d->said);
		result = remote_run(remote, &request, &status, &why);
		if (result == REMOTE_NOBODY)
			spool_add(e->data, e->at_ms, buf_text(&e->payload));
		if (result != REMOTE_ANSWERED)
			return (struct text){NULL, 0};
	} while (waits(status, buf_text(&d->said), d->began_ms + FIRST_BYTE_S * 1000));
	if (status != 200)
		return (struct text){NULL, 0};
	said = text_trim(buf_text(&d->said));
	return text_is(said, "{}") ? (struct text){NULL, 0} : said;
}

static bool box_is_stopped(const struct hook_errand *e)
{
	int line = connect_line(e);
	bool is_stopped = line >= 0 && agent_box_is_stopped(line);

	if (line >= 0)
		close(line);
	return is_stopped;
}

/* In a terminal Claude Code shows its own dialog at once, beside our question: there nobody
 * waits for us.  Without one (`claude -p`) the agent does wait.  So a box that is stopped is
 * not asked at all, and hears of it when it goes on; one that is alive, on a machine that may
 * be busy, has FIRST_BYTE_S to begin its answer. */
static void ask_permission(const struct hook_errand *e)
{
	struct hook_decision d = {0};
	struct remote *remote;
	int status;

	/* Nobody decides about a stub, which does not show what would be done. */
	if (e->whole > e->payload.len || box_is_stopped(e)) {
		tell_box(e, 'h');
		return;
	}
	remote = remote_create(&command_hook, e->context, e->options, &status);
	if (!remote)
		return;
	buf_init(&d.said, DECISION_MAX);
	out_add(&e->context->out, decision_of(remote, e, &d));
	buf_finish(&d.said);
	remote_destroy(remote);
}

/* ---- a tool ---- */

static void deny(const struct hook_errand *e, struct text session)
{
	char *where = command_data_words(e->context, e->data);
	struct buf words, out;

	buf_init(&words, WORDS_MAX);
	buf_init(&out, WORDS_MAX * 2);
	buf_print(&words,
	          "This session is paused. A person lets it go on with `signalbox control %.*s "
	          "continue%s`; until then no tool is used.",
	          TEXT_ARG(session), where);
	free(where);
	put_object(&out, NULL);
	put_object(&out, "hookSpecificOutput");
	put_word(&out, "hookEventName", "PreToolUse");
	put_word(&out, "permissionDecision", "deny");
	put_text(&out, "permissionDecisionReason", buf_text(&words));
	put_end(&out);
	put_end(&out);
	out_add(&e->context->out, buf_text(&out));
	buf_finish(&out);
	buf_finish(&words);
}

/* Its line stays while it waits, so that screens show that it does. */
static void wait_until_free(const struct hook_errand *e, struct text session)
{
	uint64_t end = now_ms() + HELD_MS;
	int line = hand_over(e, 'w');
	int agent = agent_open(); /* open until our end, which is near then */
	struct parcel last = {.kind = 'p'};
	enum brake_pass pass = BRAKE_HELD;
	bool is_gone;

	/* A use of a tool that nobody waits for takes no step away from another. */
	while (!(is_gone = agent_is_gone(agent)) &&
	       (pass = brake_pass(e->data, session)) == BRAKE_HELD && now_ms() < end)
		poll(NULL, 0, LOOK_MS);
	if (pass == BRAKE_HELD && !is_gone) {
		last.kind = 'x';
		deny(e, session);
	}
	if (line >= 0) {
		parcel_send(line, &last);
		close(line);
	}
}

static void use_tool(const struct hook_errand *e, struct text session)
{
	switch (brake_pass(e->data, session)) {
	case BRAKE_FREE:
		tell_box(e, 'd');
		break;
	case BRAKE_PASSED:
		tell_box(e, 's');
		break;
	case BRAKE_HELD:
		wait_until_free(e, session);
		break;
	}
}

static void decide(const struct hook_errand *e, struct text session, struct text event)
{
	if (text_is(event, "PreToolUse"))
		use_tool(e, session);
	else if (text_is(event, "PermissionRequest"))
		ask_permission(e);
	else
		tell_box(e, 'h');
}

/* ---- a status line ---- */

/* Who has two accounts has two folders of configuration; the usual one needs no name. */
static void put_account(const struct hook_errand *e, yyjson_val *root, struct buf *out)
{
	struct text path = json_text_at(root, "transcript_path"), folder = {path.at, 0};
	struct text home = text_of(command_env(e->context, "HOME"));
	const char *found = path.len ? memmem(path.at, path.len, "/projects/", 10) : NULL;

	if (!found)
		return;
	folder.len = (size_t)(found - path.at);
	if (home.len && text_starts(folder, home) && folder.at[home.len] == '/') {
		struct text below = {folder.at + home.len, folder.len - home.len};
		struct buf name;

		if (text_is(below, "/.claude"))
			return;
		buf_init(&name, PARCEL_MAX);
		buf_print(&name, "~%.*s", TEXT_ARG(below));
		put_text(out, "account", buf_text(&name));
		buf_finish(&name);
	} else {
		put_text(out, "account", folder);
	}
}

/* Only the limits are anybody's business; a box that is away does not miss them. */
static void tell_limits(const struct hook_errand *e, yyjson_val *root)
{
	static const char *const names[] = {"session_id", "rate_limits"};
	int line;
	struct hook_errand small = *e;

	buf_init(&small.payload, PARCEL_MAX);
	put_object(&small.payload, NULL);
	put_word(&small.payload, "hook_event_name", CLAUDE_STATUS_LINE);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		put_key(&small.payload, names[i]);
		json_add(&small.payload, yyjson_obj_get(root, names[i]));
	}
	put_account(e, root, &small.payload);
	put_end(&small.payload);
	small.whole = small.payload.len;
	line = connect_line(&small);
	if (line >= 0) {
		struct parcel parcel = parcel_of(&small, 'h');

		parcel.agent = 0; /* who draws a line tells nothing of a session's process */
		parcel_send(line, &parcel);
		close(line);
	}
	buf_finish(&small.payload);
}

/* It comes out as it went in, for whoever draws the line, whatever else is wrong. */
static void pass_status(struct hook_errand *e)
{
	struct json_reader reader;
	yyjson_val *root;

	if (!hook_pass(STDIN_FILENO, &e->payload, &e->context->out) || !e->data)
		return;
	json_reader_init(&reader, e->payload.max);
	root = yyjson_doc_get_root(json_read(&reader, buf_text(&e->payload), NULL));
	if (yyjson_is_obj(yyjson_obj_get(root, "rate_limits")) &&
	    yyjson_is_str(yyjson_obj_get(root, "session_id")))
		tell_limits(e, root);
	json_reader_finish(&reader);
}

/* ---- the verb ---- */

/* Nothing of it is looked at for a hook that only tells, unless a run wants to know. */
static void take_payload(const struct hook_errand *e)
{
	bool decides = options_has(e->options, "decide");
	struct json_reader reader;
	struct text session, event;
	yyjson_val *root;

	if (!decides && !hooked_is_heard()) {
		tell_box(e, 'h');
		return;
	}
	json_reader_init(&reader, e->payload.max);
	root = yyjson_doc_get_root(json_read(&reader, buf_text(&e->payload), NULL));
	event = json_text_at(root, "hook_event_name");
	session = json_text_at(root, "session_id");
	hooked_tell(session, event);
	if (decides)
		decide(e, session, event);
	else
		tell_box(e, 'h');
	json_reader_finish(&reader);
}

/* With --data there is nothing to read, and a configuration may be broken. */
static char *find_data(const struct command_context *context, const struct options *options)
{
	const char *given = options_value(options, "data");
	const struct config_sources sources = {.file = options_value(options, "config"),
	                                       .env = context->env};
	struct config config;
	char *data;

	if (given)
		return must_dup(given);
	if (!config_load(&config, &sources, NULL))
		return NULL;
	data = must_dup(config.data);
	config_finish(&config);
	return data;
}

static int hook(struct command_context *context, const struct options *options)
{
	char *data = find_data(context, options);
	struct hook_errand e = {context, options, data, clock_wall_ms(), {0}, 0};

	buf_init(&e.payload, PARCEL_MAX);
	if (options_has(options, "statusline"))
		pass_status(&e);
	else if (data && hook_read(STDIN_FILENO, &e.payload, &e.whole))
		take_payload(&e);
	buf_finish(&e.payload);
	free(data);
	return STATUS_DONE;
}

static const struct option own[] = {
	{"decide", .help = "wait for what a person says, and print it"},
	{"statusline", .help = "take the limits of what a status line is told, and print that"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

const struct command command_hook = {
	.name = "hook",
	.summary = "pass on what Claude Code tells a hook",
	.usage = "[--decide | --statusline] < PAYLOAD",
	.examples = "  signalbox hook < payload.json\n"
		    "  signalbox hook --statusline < status.json | ~/.claude/statusline.sh\n",
	.about =
		"`signalbox tap install` makes Claude Code run it. It reads one JSON object,\n"
		"hands it to the box and ends with 0. It prints nothing, decides nothing and\n"
		"waits for nobody: when the box is away or has no room, the payload goes to\n"
		"DATA/spool, and the box takes it from there when it is back.\n"
		"\n"
		"With --decide it waits in two cases. A permission request waits for its answer\n"
		"while the box holds it; when there is none, because nobody answered, the prompt\n"
		"was closed, or the box is away or died, it prints nothing: then Claude Code asks\n"
		"in its own dialog. A tool of a session that is paused waits until it may go on,\n"
		"whatever the box does; after a minute it is denied, in words that name\n"
		"`signalbox control SESSION continue`.\n"
		"\n"
		"With --statusline it is for your status line of Claude Code, which alone is told\n"
		"the limits of your account: it prints what it reads, for the program that draws\n"
		"the line, and tells the box the limits in it.\n",
	.groups = groups,
	.is_harmless = true,
	.run = hook,
};
