/* ask.c - `signalbox ask`: a prompt to a source, its answer as it comes.
 *
 * The place in the log is taken before the question is put, so that no word of the
 * answer can be missed.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/cancel.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/interrupt.h"
#include "cli/who.h"
#include "signal/json.h"

extern const struct command command_ask;

#define ANSWER_MS 30000
#define PROMPT_MAX (256 * KIB) /* what a box takes */
#define BODY_MAX (8 * PROMPT_MAX)
#define PATH_MAX_LEN (4 * KIB)
#define INPUT_SHOWN 200 /* bytes of what a tool is called with */

struct ask {
	struct out *out;
	bool json, is_terminal;
	bool ends_line;    /* the last thing printed was a newline, or nothing was */
	bool is_over;      /* the run had its completion or error */
	bool is_cancelled; /* we asked for that */
	int status;
};

/* ---- what comes ---- */

/* Lines and tabs are the answer's; on a terminal nothing else of it may act. */
static void print_words(struct ask *ask, struct text words)
{
	if (words.len == 0)
		return;
	ask->ends_line = words.at[words.len - 1] == '\n';
	while (ask->is_terminal && words.len) {
		size_t n = 0;

		while (n < words.len && words.at[n] != '\n' && words.at[n] != '\t')
			n++;
		out_add_shown(ask->out, (struct text){words.at, n});
		if (n < words.len)
			out_add(ask->out, (struct text){words.at + n++, 1});
		words = (struct text){words.at + n, words.len - n};
	}
	out_add(ask->out, words);
}

static void end_line(struct ask *ask)
{
	if (!ask->ends_line)
		out_add(ask->out, TEXT("\n"));
	ask->ends_line = true;
	out_flush(ask->out);
}

static void say_call(struct ask *ask, yyjson_val *payload)
{
	char *input = yyjson_val_write(yyjson_obj_get(payload, "input"), 0, NULL);
	struct text name = json_text_at(payload, "toolName");

	end_line(ask);
	out_say("tool %.*s %.*s", TEXT_ARG(name), INPUT_SHOWN, input ? input : "");
	free(input);
}

static void end_run(struct ask *ask, yyjson_val *payload, bool is_error)
{
	struct text words = json_text_at(payload, is_error ? "message" : "result");
	bool success = !is_error && yyjson_get_bool(yyjson_obj_get(payload, "success"));

	ask->is_over = true;
	ask->status = success ? STATUS_DONE : STATUS_FAILED;
	if (ask->json)
		return;
	end_line(ask);
	if (!success)
		out_say("%.*s", TEXT_ARG(words.len ? words : TEXT("it failed")));
}

/* True while there is more to come. */
static bool print_signal(void *self, struct text envelope)
{
	struct ask *ask = self;
	yyjson_doc *doc = yyjson_read(envelope.at, envelope.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	yyjson_val *payload = yyjson_obj_get(root, "payload");
	struct text type = json_text_at(root, "type");

	if (ask->json) {
		out_add(ask->out, envelope);
		out_add(ask->out, TEXT("\n"));
	} else if (text_is(type, "text_delta")) {
		print_words(ask, json_text_at(payload, "content"));
	} else if (text_is(type, "tool_call")) {
		say_call(ask, payload);
	}
	if (text_is(type, "completion") || text_is(type, "error"))
		end_run(ask, payload, text_is(type, "error"));
	yyjson_doc_free(doc);
	return !ask->is_over;
}

static bool goes_on(void *self)
{
	struct ask *ask = self;

	return ask->is_cancelled || !interrupt_came();
}

/* ---- what goes out ---- */

static bool post(struct remote *remote, const char *path, struct text body, struct buf *answer,
                 struct error *why)
{
	const struct remote_request request = {.method = "POST",
	                                       .path = path,
	                                       .type = "application/json",
	                                       .body = body,
	                                       .timeout_ms = ANSWER_MS};

	return remote_ask(remote, &request, answer, why);
}

static void add_word(struct buf *body, const char *name, const char *value)
{
	if (!value)
		return;
	put_word(body, name, value);
}

static void write_question(struct buf *body, const struct options *options, struct text prompt)
{
	put_object(body, NULL);
	put_text(body, "prompt", prompt);
	add_word(body, "model", options_value(options, "model"));
	add_word(body, "session", options_value(options, "session"));
	add_word(body, "run", options_value(options, "run"));
	buf_add_char(body, '}');
}

/* The run's id, which the caller frees; NULL when the box refused. */
static char *put_question(struct remote *remote, const char *id, struct text body,
                          struct error *why)
{
	struct buf path, answer;
	yyjson_doc *doc;
	char *run = NULL;

	buf_init(&path, PATH_MAX_LEN);
	buf_add(&path, TEXT("/api/sources/"));
	follow_add_escaped(&path, text_of(id));
	buf_add(&path, TEXT("/ask"));
	buf_add_char(&path, '\0');
	if (post(remote, path.at, body, &answer, why)) {
		doc = yyjson_read(answer.at, answer.len, 0);
		run = must_dup(yyjson_get_str(yyjson_obj_get(yyjson_doc_get_root(doc), "run")));
		if (!run)
			error_set(why, "the box returned no run");
		yyjson_doc_free(doc);
		buf_finish(&answer);
	}
	buf_finish(&path);
	return run;
}

/* ---- the whole ---- */

static int hear_answer(struct ask *ask, struct remote *remote, const struct positions *at,
                       const char *run)
{
	struct buf path;
	struct follow follow = {.remote = remote,
	                        .at = *at,
	                        .out = ask->out,
	                        .has_met = true,
	                        .self = ask,
	                        .heard = print_signal,
	                        .goes_on = goes_on};
	struct error why;

	buf_init(&path, PATH_MAX_LEN);
	buf_add(&path, TEXT("/api/stream?correlationId="));
	follow_add_escaped(&path, text_of(run));
	buf_add_char(&path, '\0');
	follow.path = path.at;
	follow_init(&follow);
	if (follow_run(&follow) == STATUS_DONE && !ask->is_over && interrupt_came()) {
		ask->is_cancelled = true;
		if (cancel_run(remote, run, &why))
			follow_run(&follow);
		else
			out_say("%s", why.words);
	}
	follow_finish(&follow);
	buf_finish(&path);
	return ask->is_over ? ask->status : STATUS_FAILED;
}

static int ask_box(struct ask *ask, struct remote *remote, const char *source, struct text question)
{
	struct positions at;
	struct error why;
	char *id = who_is(remote, source, &why), *run = NULL;
	int status = STATUS_FAILED;

	if (id && follow_present(&at, remote, &why))
		run = put_question(remote, id, question, &why);
	if (run)
		status = hear_answer(ask, remote, &at, run);
	else
		out_say("%s", why.words);
	free(id);
	free(run);
	return status;
}

static bool read_input(struct buf *prompt, struct error *why)
{
	char piece[16 * KIB];
	ssize_t n;

	while ((n = read(STDIN_FILENO, piece, sizeof(piece))) > 0)
		buf_add(prompt, (struct text){piece, (size_t)n});
	return n == 0 || error_errno(why, "standard input");
}

static bool read_prompt(const char *word, struct buf *prompt, struct error *why)
{
	if (strcmp(word, "-") != 0)
		buf_add(prompt, text_of(word));
	else if (!read_input(prompt, why))
		return false;
	if (prompt->full)
		return error_set(why, "the prompt is longer than %zu KiB", PROMPT_MAX / KIB);
	return text_trim(buf_text(prompt)).len > 0 || error_set(why, "the prompt is empty");
}

static int ask_source(struct command_context *context, const struct options *options)
{
	struct ask ask = {.out = &context->out,
	                  .json = options_has(options, "json"),
	                  .is_terminal = isatty(context->out.fd),
	                  .ends_line = true};
	struct buf input, question;
	struct error why;
	struct remote *remote;
	int status;

	if (options->word_count != 2)
		return command_misused(&command_ask, "it takes a source and a prompt in quotes");
	remote = remote_create(&command_ask, context, options, &status);
	if (!remote)
		return status;
	interrupt_watch();
	buf_init(&input, PROMPT_MAX);
	buf_init(&question, BODY_MAX);
	if (read_prompt(options->words[1], &input, &why)) {
		write_question(&question, options, buf_text(&input));
		status = ask_box(&ask, remote, options->words[0], buf_text(&question));
	} else {
		out_say("%s", why.words);
		status = STATUS_FAILED;
	}
	buf_finish(&input);
	buf_finish(&question);
	remote_destroy(remote);
	return status;
}

static const struct option own[] = {
	{"model", 'm', "NAME", "the model to ask", "the source's own"},
	{"session", 's', "RUN", "what was said there goes with it: a handle, or a name of yours"},
	{"run", 'r', "ID", "the id of the run to begin, which no run may have", "a new one"},
	{"json", 'j', .help = "whole envelopes, one a line"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_ask = {
	.name = "ask",
	.summary = "ask a source, and print its reply as it streams",
	.usage = "SOURCE PROMPT | SOURCE -",
	.examples = "  signalbox ask local:ollama 'why is the sky blue?'\n"
		    "  signalbox ask local:ollama --session talk 'and at night?'\n"
		    "  signalbox ask local:ollama --session ollama-2 'go on'\n"
		    "  git diff | signalbox ask my-model -\n",
	.about = "A SOURCE is an id, or a name that only one has. Words go to standard output,\n"
		 "calls of tools and errors to standard error.\n"
		 "With - the prompt is standard input. Ctrl-C cancels the run. The end is 0\n"
		 "when the answer was completed, else 1.\n",
	.groups = groups,
	.run = ask_source,
};
