/* run.c - `signalbox run`: an agent, its terminal as it is, its signals to the box.
 *
 * The output goes on first and is read second, and nothing that the box does or
 * does not do is waited for while the program runs.  After its end a box that was there
 * gets some time to take the rest.  Whoever watches it on a screen may interrupt it or
 * end it.
 *
 * It is one run.  An agent that names its session speaks under that name, so the run has
 * it too: its start is told when the name is known, or when that takes too long.  What the
 * agent says of its end goes into the one end there is, which is the program's.  Where hooks
 * tell what it does, its output is not told as well.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/random.h"
#include "cli/child.h"
#include "cli/courier.h"
#include "cli/guess.h"
#include "cli/hook_read.h"
#include "cli/hooked.h"
#include "cli/run_words.h"
#include "cli/runs.h"
#include "cli/steer.h"
#include "cli/verbs.h"
#include "config/field.h"
#include "net/interrupt.h"
#include "parse/parse.h"

#define PIECE (64 * KIB)
/* After the program's end: for what others still write to its output, for a box to take
 * the last signals that never said a word, and for one that did. */
#define LAST_WORDS_MS 100
/* So long a program may take to name its session: one that is known to, and any other. */
#define NAMED_MS 10000
#define UNNAMED_MS 1000
#define LAST_POST_MS 1000
/* For a hook that may be on its way with what the output says. */
#define LAST_HOOK_MS 1000
#define WAIT "30s"
#define WAIT_MAX_MS (24.0 * 3600 * 1000)

struct program_run {
	struct run_words words;
	const struct parse_kind *kind;
	const char *data;
	bool keeps_name;   /* it was given one */
	bool has_begun;    /* that was told */
	uint64_t begin_ms; /* when it is, whatever it is called by then */
	struct child child;
	int interrupts;
	struct parse *parse;
	struct hooked hooked;
	struct steer *steer;
	uint64_t bad;
	struct error last_bad;
	uint64_t end_ms;   /* of the output, once the program has ended */
	unsigned wait_ms;  /* for a box, after that */
	bool waits_always; /* also for one that never was there */
};

static uint64_t now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

/* ---- signals ---- */

static void take_bad(void *self, const char *why)
{
	struct program_run *run = self;

	run->bad++;
	error_set(&run->last_bad, "%s", why);
}

static void take_control(void *self, struct text op);

/* From here on it has its name, and can be stopped by it. */
static void begin_run(struct program_run *run)
{
	if (run->has_begun)
		return;
	run->has_begun = true;
	free(run->words.task);
	run->words.task = text_dup(parse_correlation(run->parse));
	parse_keep_correlation(run->parse);
	run->steer = steer_create(run->data, run->words.task, take_control, run);
	run->words.pid = run->child.pid;
	run_tell_start(&run->words);
}

static void take_signal(void *self, struct text envelope)
{
	struct program_run *run = self;

	begin_run(run);
	if (parse_said_end(run->parse))
		run_keep_end(&run->words, envelope);
	else
		courier_add(run->words.courier, envelope);
}

static struct parse *make_parse(struct program_run *run, const char *correlation)
{
	return parse_create(run->kind, &(struct parse_options){.source = text_of(run->words.source),
	                                                       .correlation = text_of(correlation),
	                                                       .agent = text_of(run->words.name),
	                                                       .self = run,
	                                                       .signal = take_signal,
	                                                       .bad = take_bad});
}

/* ---- its hooks ---- */

/* Of what was kept nobody else tells. */
static void release(struct program_run *run)
{
	struct text kept = hooked_release(&run->hooked);

	if (kept.len)
		parse_feed(run->parse, kept);
	buf_clear(&run->hooked.kept);
}

/* It began to speak under another name, or does so from now on. */
static void take_hooks(struct program_run *run)
{
	if (!hooked_hear(&run->hooked, run->child.pid) || run->keeps_name)
		return;
	if (run->has_begun && strcmp(run->words.task, run->hooked.session) == 0)
		return;
	if (run->has_begun) {
		parse_end(run->parse, NULL);
		run_tell_move(&run->words, run->hooked.session);
		steer_destroy(run->steer);
		run->steer = NULL;
		run->has_begun = false;
		run->words.began_ms = clock_wall_ms();
	}
	parse_destroy(run->parse);
	run->parse = make_parse(run, run->hooked.session);
	begin_run(run);
}

/* ---- what people want ---- */

static void take_control(void *self, struct text op)
{
	struct program_run *run = self;

	if (run->child.has_ended)
		return;
	if (text_is(op, "ui-interrupt") || text_is(op, "cancel"))
		interrupt_ask(run->child.pid);
	else if (text_is(op, "ui-quit"))
		interrupt_end(run->child.pid);
	else
		run_tell_cannot(&run->words, op);
}

/* ---- the output ---- */

/* False when nobody can be written to any more. */
static bool pass_on(struct text bytes)
{
	while (bytes.len) {
		ssize_t n = write(1, bytes.at, bytes.len);
		struct pollfd room = {.fd = 1, .events = POLLOUT};

		if (n < 0 && errno == EAGAIN)
			poll(&room, 1, -1);
		else if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			bytes = (struct text){bytes.at + n, bytes.len - (size_t)n};
	}
	return true;
}

/* When our reader leaves, the program learns it by its next write, as it would
 * without us. */
static void take_output(struct program_run *run)
{
	static char piece[PIECE];
	ssize_t n = read(run->child.out, piece, sizeof(piece));
	struct text bytes = {piece, n > 0 ? (size_t)n : 0};
	bool goes_on = n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));

	if (bytes.len && !pass_on(bytes))
		goes_on = false;
	if (bytes.len && !hooked_keep(&run->hooked, bytes)) {
		release(run);
		parse_feed(run->parse, bytes);
	}
	if (!goes_on)
		child_finish(&run->child);
}

/* ---- the program ---- */

static void take_interrupts(struct program_run *run)
{
	struct interrupt_caught caught;

	while (interrupt_read(run->interrupts, &caught)) {
		if (caught.is_child)
			child_look(&run->child);
		else if (caught.is_resize)
			child_resize(&run->child);
		if (!caught.is_child && (caught.was_sent || caught.is_resize) &&
		    !run->child.has_ended)
			interrupt_pass(caught.number, run->child.pid);
	}
	if (run->child.has_ended && run->end_ms == 0)
		run->end_ms =
			now_ms() + (hooked_is_unsure(&run->hooked) ? LAST_HOOK_MS : LAST_WORDS_MS);
}

static int patience(const struct program_run *run)
{
	uint64_t now = now_ms();
	int most = courier_patience(run->words.courier);
	int steer = run->steer ? steer_patience(run->steer)
	                       : (int)(run->begin_ms > now ? run->begin_ms - now : 0);

	if (most < 0 || (steer >= 0 && steer < most))
		most = steer;
	if (run->end_ms == 0)
		return most;
	return run->end_ms > now ? (int)(run->end_ms - now) : 0;
}

static bool is_over(const struct program_run *run)
{
	bool is_all = run->child.out < 0 && !hooked_is_unsure(&run->hooked);

	return run->child.has_ended && (is_all || now_ms() >= run->end_ms);
}

static void follow_program(struct program_run *run)
{
	while (!is_over(run)) {
		struct pollfd waits[] = {
			{.fd = run->child.out, .events = POLLIN},
			{.fd = run->interrupts, .events = POLLIN},
			courier_poll(run->words.courier),
			run->steer ? steer_poll(run->steer) : (struct pollfd){.fd = -1},
			{.fd = run->hooked.fd, .events = POLLIN},
		};

		poll(waits, 5, patience(run));
		take_hooks(run);
		if (waits[0].revents)
			take_output(run);
		take_interrupts(run);
		if (!run->has_begun && now_ms() >= run->begin_ms) {
			release(run);
			begin_run(run);
		}
		courier_step(run->words.courier);
		if (run->steer)
			steer_step(run->steer);
	}
}

/* ---- after its end ---- */

/* Whoever interrupts us now wants us to end. */
static bool is_interrupted(const struct program_run *run)
{
	struct interrupt_caught caught;

	while (interrupt_read(run->interrupts, &caught))
		if (!caught.is_child && !caught.is_resize)
			return true;
	return false;
}

/* How long there is still hope, as it looks now. */
static uint64_t hope_ms(const struct program_run *run, uint64_t begun_ms)
{
	struct courier_state state = courier_state(run->words.courier);
	uint64_t since = state.life_ms > begun_ms ? state.life_ms : begun_ms, now = now_ms();
	uint64_t end = since + run->wait_ms;

	if (!state.has_work)
		return 0;
	if (!run->waits_always && !state.was_heard)
		end = state.is_away ? 0 : begun_ms + LAST_POST_MS;
	return end > now ? end - now : 0;
}

/* What the box has not taken yet, as long as it does something, and then for a while. */
static void deliver(struct program_run *run)
{
	uint64_t begun_ms = now_ms(), hope;
	bool has_said = false;

	courier_hurry(run->words.courier);
	courier_step(run->words.courier);
	while ((hope = hope_ms(run, begun_ms)) && !is_interrupted(run)) {
		struct pollfd waits[] = {courier_poll(run->words.courier),
		                         {.fd = run->interrupts, .events = POLLIN}};
		int most = courier_patience(run->words.courier);

		if (!has_said && now_ms() > begun_ms + LAST_POST_MS) {
			out_say("waiting for the box to take the last signals; "
			        "Ctrl-C gives them up");
			has_said = true;
		}
		if (!has_said && hope > LAST_POST_MS)
			hope = LAST_POST_MS;
		poll(waits, 2, most >= 0 && (uint64_t)most < hope ? most : (int)hope);
		courier_step(run->words.courier);
	}
}

/* ---- the verb ---- */

static void say_losses(const struct program_run *run)
{
	struct courier_loss loss = courier_loss(run->words.courier);

	if (run->bad)
		out_say("%llu pieces of the output were not understood: %s",
		        (unsigned long long)run->bad, run->last_bad.words);
	if (loss.refused)
		out_say("%llu signals were refused: %s", (unsigned long long)loss.refused,
		        loss.why ? loss.why : "?");
	if (loss.lost)
		out_say("%llu signals did not reach the box%s%s", (unsigned long long)loss.lost,
		        loss.why ? ": " : "", loss.why ? loss.why : "");
}

static int watch(struct program_run *run, char *const *argv)
{
	struct error why;
	int status = STATUS_FAILED;

	run->words.began_ms = clock_wall_ms();
	run->interrupts = interrupt_catch();
	if (run->interrupts < 0 || !child_start(&run->child, argv, &why)) {
		out_say("%s", run->interrupts < 0 ? "no descriptor for interrupts" : why.words);
		return status;
	}
	courier_step(run->words.courier);
	follow_program(run);
	status = child_status(&run->child);
	child_finish(&run->child);
	release(run);
	parse_end(run->parse, NULL);
	begin_run(run);
	run_tell_end(&run->words, status);
	deliver(run);
	say_losses(run);
	close(run->interrupts);
	return status;
}

/* Who tells what Claude Code does: we by its stream, or else its hooks. */
static void share_out(struct program_run *run, const struct options *options)
{
	hooked_init(&run->hooked);
	unsetenv(HOOK_TOLD); /* of a run around this one */
	if (strcmp(run->kind->name, "claude-stream") == 0)
		setenv(HOOK_TOLD, "run", 1);
	else
		hooked_listen(&run->hooked, guess_has_hooks(options->words, run->kind->name));
}

static int run_with(struct program_run *run, const struct options *options,
                    const struct parse_kind *kind, const char *data)
{
	const char *source = options_value(options, "source");
	const char *correlation = options_value(options, "correlation-id");
	char **argv = must_zero(options->word_count + 1, sizeof(*argv));
	char made[RANDOM_UUID_LEN + 1] = "";
	int status;

	for (size_t i = 0; i < options->word_count; i++)
		argv[i] = (char *)options->words[i];
	random_uuid(made);
	run->data = data;
	run->words.name = guess_name(options->words[0]);
	run->words.source =
		source ? must_dup(source) : must_print("adapter:tap:%s", run->words.name);
	run->words.task = must_dup(correlation ? correlation : made);
	run->words.courier = courier_create(data);
	run->kind = kind;
	run->parse = make_parse(run, run->words.task);
	share_out(run, options);
	run->begin_ms =
		now_ms() + (kind->is_answer || run->hooked.is_awaited ? NAMED_MS : UNNAMED_MS);
	if (correlation) { /* whatever the agent calls it */
		parse_keep_correlation(run->parse);
		run->keeps_name = true;
		run->begin_ms = 0;
	}
	status = watch(run, argv);
	hooked_finish(&run->hooked);
	parse_destroy(run->parse);
	steer_destroy(run->steer);
	courier_destroy(run->words.courier);
	run_words_finish(&run->words);
	free(argv);
	return status;
}

static bool read_wait(struct program_run *run, const char *value, struct error *why)
{
	static const struct field wait = {.name = "wait",
	                                  .type = FIELD_TIME,
	                                  .offset = offsetof(struct program_run, wait_ms),
	                                  .high = WAIT_MAX_MS};

	return field_set(&wait, run, text_of(value ? value : WAIT), why) ||
	       error_within(why, "--wait");
}

static int run_program(struct command_context *context, const struct options *options)
{
	const char *protocol = options_value(options, "parse");
	const struct parse_kind *kind;
	struct program_run run = {.interrupts = -1, .waits_always = options_has(options, "wait")};
	struct error why;
	struct config config;
	int status;

	if (runs_wants(options))
		return runs_run(context, options);
	if (options->word_count == 0)
		return command_misused(&command_run, "which program? `signalbox run -- CMD...`");
	if (!protocol)
		protocol = guess_protocol(options->words, options->word_count);
	kind = parse_find(text_of(protocol));
	if (!kind)
		return parse_no_protocol(&command_run, protocol);
	if (!read_wait(&run, options_value(options, "wait"), &why))
		return command_misused(&command_run, "%s", why.words);
	if (!command_config(context, options, &config))
		return STATUS_CONFIG;
	status = run_with(&run, options, kind, config.data);
	config_finish(&config);
	return status;
}

static const struct option own[] = {
	{"parse", 'p', "PROTOCOL", "what it prints, of `signalbox parse --list`", "guessed"},
	{"source", 's', "NAME", "who its signals come from", "adapter:tap:CMD"},
	{"correlation-id", 0, "ID", "what they belong to", "its session, or a new one"},
	{"wait", 'w', "TIME", "after its end, for a box that is slow or away", WAIT},
	{"handles", 0, .help = "of list: the names alone, one a line"},
	{"all", 'a', .help = "of list: those that are over, too"},
	{"json", 'j', .help = "of list and show: as JSON"},
	{"messages", 'm', .help = "of show: what it has said"},
	{"out", 'o', "FILE", "of export: write to it", "standard output"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

static const char *const words[] = {"list", "show", "export", NULL};

const struct command command_run = {
	.name = "run",
	.summary = "run an agent and send the box what it prints",
	.usage = "[OPTIONS] -- CMD... | list | show RUN | export RUN",
	.examples = "  signalbox run -- claude -p --output-format stream-json --verbose 'hello'\n"
		    "  signalbox run -- codex exec --json 'hello'\n"
		    "  signalbox run --parse raw -- make test\n"
		    "  signalbox run list\n"
		    "  signalbox run export RUN --out transcript.jsonl\n",
	.about = "The program has the terminal as if it were run alone, and its exit status is\n"
		 "ours. Its standard output is passed on and read at the same time: JSON of\n"
		 "claude and codex when they are told to print it, else JSON lines and plain\n"
		 "ones. The box is never waited for while it runs: without one, or with a slow\n"
		 "one, up to 8 MiB of signals are kept. After its end a box that was there\n"
		 "meanwhile, and is slow or restarts, gets --wait to take the rest; Ctrl-C gives\n"
		 "that up, and what is lost is said. The program's start and end are signals\n"
		 "too, with its exit code; its arguments are not.\n"
		 "`signalbox control RUN ui-interrupt` is its Ctrl-C, `ui-quit` ends it; RUN is\n"
		 "its correlation id.\n"
		 "\n"
		 "`list`, `show` and `export` are about the sessions of the box, whoever began\n"
		 "them; a program of such a name is run by its path. RUN is a handle of `list`,\n"
		 "or a correlation id. `export` writes the events, one JSON object a line, as\n"
		 "`signalbox open-run` shows them.\n",
	.words = words,
	.groups = groups,
	.run = run_program,
};
