/* runs.c - the runs of a box, for `signalbox run`. */
#include "cli/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <yyjson.h>

#include "cli/follow.h"
#include "cli/members.h"
#include "cli/remote.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "run/hear.h"
#include "signal/json.h"

#define ANSWER_MS 30000
#define PATH_BYTES (4 * KIB)
#define JSON_MAX (64 * MIB)

struct runs_job {
	struct command_context *context;
	const struct options *options;
	struct remote *remote;
};

static void add_count(struct table *table, yyjson_val *object, const char *name)
{
	char digits[TEXT_U64_MAX];

	table_add(table, text_of_u64(yyjson_get_uint(yyjson_obj_get(object, name)), digits), 20);
}

static void show_json(struct out *out, yyjson_val *value)
{
	struct buf json;

	buf_init(&json, JSON_MAX);
	json_add(&json, value);
	out_add(out, buf_text(&json));
	out_print(out, "\n");
	buf_finish(&json);
}

/* It fits: the name has at most TRANSLATE_RUN_MAX bytes. */
static void add_path(struct buf *path, const struct runs_job *job, const char *what)
{
	buf_init(path, PATH_BYTES);
	buf_add(path, TEXT("/api/runs/"));
	follow_add_escaped(path, text_of(job->options->words[1]));
	buf_add(path, text_of(what));
	buf_add_char(path, '\0');
}

/* A document to free; NULL: it was said why not. */
static yyjson_doc *ask_for_runs(const struct runs_job *job, const char *path)
{
	const struct remote_request request = {
		.method = "GET", .path = path, .timeout_ms = ANSWER_MS};
	yyjson_doc *doc;
	struct error why;
	struct buf body;

	if (!remote_ask(job->remote, &request, &body, &why)) {
		out_say("%s", why.words);
		return NULL;
	}
	doc = yyjson_read(body.at, body.len, YYJSON_READ_BIGNUM_AS_RAW);
	if (!doc)
		out_say("the box gave an answer that is no JSON");
	buf_finish(&body);
	return doc;
}

/* ---- list ---- */

static bool list(const struct runs_job *job)
{
	struct out *out = &job->context->out;
	struct error why;
	struct roll roll;

	if (!members_fetch(job->remote, &roll, &why)) {
		out_say("%s", why.words);
		return false;
	}
	if (options_has(job->options, "json"))
		members_show_json(out, &roll);
	else if (options_has(job->options, "handles"))
		members_show_handles(out, &roll);
	else
		members_show(out, &roll, options_has(job->options, "all"));
	roll_finish(&roll);
	return true;
}

/* ---- show ---- */

static void show_line(struct out *out, const char *name, struct text value)
{
	if (!value.len)
		return;
	out_print(out, "%-10s", name);
	out_add_shown(out, value);
	out_print(out, "\n");
}

static void show_states(struct out *out, const char *name, yyjson_val *states)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(states);
	yyjson_val *state;
	struct buf line;

	buf_init(&line, JSON_MAX);
	while ((state = yyjson_arr_iter_next(&it))) {
		buf_add(&line, line.len ? TEXT(" > ") : TEXT(""));
		buf_add(&line, json_text(state));
	}
	show_line(out, name, buf_text(&line));
	buf_finish(&line);
}

static void show_invocations(struct out *out, yyjson_val *invocations)
{
	static const char *const heading[] = {"NAME", "SESSION", "STATUS", "MODEL", "TOKENS"};
	yyjson_arr_iter it = yyjson_arr_iter_with(invocations);
	yyjson_val *one;
	struct table table;

	if (yyjson_arr_size(invocations) == 0)
		return;
	table_init(&table, 5);
	for (unsigned i = 0; i < 5; i++)
		table_add(&table, text_of(heading[i]), 20);
	while ((one = yyjson_arr_iter_next(&it))) {
		table_add(&table, json_text_at(one, "invokeid"), 24);
		table_add(&table, json_text_at(one, "session"), 36);
		table_add(&table, json_text_at(one, "status"), 10);
		table_add(&table, json_text_at(one, "model"), 24);
		add_count(&table, one, "tokens");
	}
	out_print(out, "\n");
	table_show(&table, out);
	table_finish(&table);
}

static void show_run(struct out *out, yyjson_val *run, yyjson_val *prompts)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(prompts);
	yyjson_val *debug = yyjson_obj_get(run, "debug"), *prompt;
	char digits[TEXT_U64_MAX];

	show_line(out, "run", json_text_at(run, "id"));
	show_line(out, "source", json_text_at(run, "source"));
	show_states(out, "phase", yyjson_obj_get(run, "config"));
	show_line(out, "signals",
	          text_of_u64(yyjson_get_uint(yyjson_obj_get(run, "signals")), digits));
	if (yyjson_is_true(yyjson_obj_get(run, "finished")))
		show_line(out, "state", TEXT("finished"));
	else if (yyjson_is_true(yyjson_obj_get(debug, "paused")))
		show_line(out, "state", TEXT("paused"));
	show_invocations(out, yyjson_obj_get(run, "invocations"));
	while ((prompt = yyjson_arr_iter_next(&it))) {
		out_print(out, "\nasks      ");
		out_add_shown(out, json_text_at(prompt, "prompt"));
		out_print(out, "\n          signalbox answer ");
		out_add_shown(out, json_text_at(prompt, "id"));
		out_print(out, " ...\n");
	}
}

/* ---- what it has said ---- */

static void show_words(struct out *out, const char *before, struct text words)
{
	while (words.len) {
		out_print(out, "  %s", before);
		out_add_shown(out, text_cut(words, '\n', &words));
		out_print(out, "\n");
	}
}

static void show_tool(struct out *out, yyjson_val *tool)
{
	yyjson_val *input = yyjson_obj_get(tool, "input");
	struct buf json;

	buf_init(&json, JSON_MAX);
	if (input)
		json_add(&json, input);
	out_print(out, "  * ");
	out_add_shown(out, json_text_at(tool, "name"));
	out_print(out, " ");
	out_add_shown(out, buf_text(&json));
	if (yyjson_is_true(yyjson_obj_get(tool, "failed")))
		out_print(out, ": failed");
	else if (yyjson_is_false(yyjson_obj_get(tool, "done")))
		out_print(out, ": at work");
	out_print(out, "\n");
	buf_finish(&json);
}

static void show_message(struct out *out, yyjson_val *message)
{
	yyjson_arr_iter tools = yyjson_arr_iter_with(yyjson_obj_get(message, "tools"));
	bool is_user = text_is(json_text_at(message, "role"), "user");
	struct text from = json_text_at(message, "from");
	yyjson_val *tool;

	out_add_shown(out, is_user && from.len ? from
	                                       : json_text_at(message, is_user ? "role" : "agent"));
	if (is_user) {
		out_print(out, " to ");
		out_add_shown(out, json_text_at(message, "agent"));
	} else if (text_is(json_text_at(message, "role"), "error")) {
		out_print(out, " failed");
	}
	out_print(out, "\n");
	show_words(out, "(thinks) ", json_text_at(message, "thought"));
	show_words(out, "", json_text_at(message, "text"));
	while ((tool = yyjson_arr_iter_next(&tools)))
		show_tool(out, tool);
}

static bool show_messages(const struct runs_job *job)
{
	struct out *out = &job->context->out;
	yyjson_arr_iter it;
	yyjson_val *message;
	yyjson_doc *doc;
	struct buf path;

	add_path(&path, job, "/messages?limit=4096");
	doc = ask_for_runs(job, path.at);
	buf_finish(&path);
	it = yyjson_arr_iter_with(yyjson_obj_get(yyjson_doc_get_root(doc), "messages"));
	if (doc && options_has(job->options, "json"))
		show_json(out, yyjson_doc_get_root(doc));
	else if (yyjson_is_true(yyjson_obj_get(yyjson_doc_get_root(doc), "more")))
		out_print(out, "(there are older messages)\n");
	while (!options_has(job->options, "json") && (message = yyjson_arr_iter_next(&it)))
		show_message(out, message);
	yyjson_doc_free(doc);
	return doc != NULL;
}

static bool show_runs(const struct runs_job *job)
{
	yyjson_val *root;
	yyjson_doc *doc;
	struct buf path;

	if (options_has(job->options, "messages"))
		return show_messages(job);
	add_path(&path, job, "");
	doc = ask_for_runs(job, path.at);
	buf_finish(&path);
	if (!doc)
		return false;
	root = yyjson_doc_get_root(doc);
	if (options_has(job->options, "json"))
		show_json(&job->context->out, yyjson_obj_get(root, "run"));
	else
		show_run(&job->context->out, yyjson_obj_get(root, "run"),
		         yyjson_obj_get(root, "prompts"));
	yyjson_doc_free(doc);
	return true;
}

/* ---- export ---- */

struct transcript_export {
	struct out *out;
	long status;
	struct buf refusal;
};

static bool take_piece(void *self, long status, struct text bytes)
{
	struct transcript_export *e = self;

	e->status = status;
	if (status != 200) {
		buf_add(&e->refusal, bytes);
		return true;
	}
	out_add(e->out, bytes);
	return out_flush(e->out);
}

static bool fetch(const struct runs_job *job, struct out *out)
{
	struct transcript_export e = {.out = out};
	struct remote_request request = {.method = "GET", .heard = take_piece, .self = &e};
	enum remote_result result;
	struct error why;
	struct buf path;
	long status = 0;

	add_path(&path, job, "/transcript");
	buf_init(&e.refusal, 64 * KIB);
	request.path = path.at;
	result = remote_run(job->remote, &request, &status, &why);
	if (result == REMOTE_ANSWERED && status != 200)
		remote_refusal(status, buf_text(&e.refusal), &why);
	if (result != REMOTE_ENOUGH && (result != REMOTE_ANSWERED || status != 200))
		out_say("%s", why.words);
	buf_finish(&e.refusal);
	buf_finish(&path);
	return result == REMOTE_ENOUGH || (result == REMOTE_ANSWERED && status == 200);
}

static bool export_run(const struct runs_job *job)
{
	const char *path = options_value(job->options, "out");
	struct out file;
	int fd, status;

	if (!path)
		return fetch(job, &job->context->out);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0) {
		out_say("%s: %s", path, strerror(errno));
		return false;
	}
	out_init(&file, fd);
	status = fetch(job, &file) ? STATUS_DONE : STATUS_FAILED;
	status = out_finish(&file, status);
	close(fd);
	return status == STATUS_DONE;
}

/* ---- which of them ---- */

static const struct {
	const char *name;
	size_t words; /* with its own */
	bool (*run)(const struct runs_job *job);
} verbs[] = {
	{"list", 1, list},
	{"show", 2, show_runs},
	{"export", 2, export_run},
};

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static size_t verb_of(const struct options *options)
{
	size_t i = 0;

	while (i < VERBS && strcmp(options->words[0], verbs[i].name) != 0)
		i++;
	return i;
}

bool runs_wants(const struct options *options)
{
	return options->word_count > 0 && verb_of(options) < VERBS;
}

int runs_run(struct command_context *context, const struct options *options)
{
	struct runs_job job = {.context = context, .options = options};
	size_t verb = verb_of(options);
	int status;

	if (options->word_count != verbs[verb].words)
		return command_misused(&command_run, "run %s takes %s", verbs[verb].name,
		                       verbs[verb].words == 1 ? "no more words" : "one run");
	if (options->word_count > 1 && strlen(options->words[1]) > TRANSLATE_RUN_MAX)
		return command_misused(&command_run, "the name of a run has at most %d bytes",
		                       TRANSLATE_RUN_MAX);
	job.remote = remote_create(&command_run, context, options, &status);
	if (!job.remote)
		return status;
	status = verbs[verb].run(&job) ? STATUS_DONE : STATUS_FAILED;
	remote_destroy(job.remote);
	return status;
}
