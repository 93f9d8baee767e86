/* sources.c - `signalbox sources`: what the box listens to. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/remote.h"
#include "cli/table.h"
#include "cli/who.h"
#include "signal/json.h"

extern const struct command command_sources;

#define ANSWER_MS 30000
#define PATH_BYTES (4 * KIB)
#define BODY_BYTES (64 * KIB)
#define SECRET_BYTES (8 * KIB)

struct sources_job {
	struct command_context *context;
	const struct options *options;
	struct remote *remote;
	const char *word; /* behind the verb: a URL or a source */
};

static bool ask_about_sources(const struct sources_job *job, const char *method, const char *path,
                              struct text body, struct buf *answer)
{
	struct remote_request request = {.method = method,
	                                 .path = path,
	                                 .type = "application/json",
	                                 .body = body,
	                                 .timeout_ms = ANSWER_MS};
	struct error why;

	if (remote_ask(job->remote, &request, answer, &why))
		return true;
	out_say("%s", why.words);
	return false;
}

/* ---- list ---- */

static void add_count(struct table *table, yyjson_val *source, const char *name)
{
	char digits[TEXT_U64_MAX];

	table_add(table, text_of_u64(yyjson_get_uint(yyjson_obj_get(source, name)), digits), 20);
}

static void add_source_row(struct table *table, yyjson_val *source)
{
	struct text error = json_text_at(source, "error");

	table_add(table, json_text_at(source, "id"), 36);
	table_add(table, json_text_at(source, "name"), 30);
	table_add(table, json_text_at(source, "state"), 20);
	table_add(table, json_text_at(source, "protocol"), 20);
	add_count(table, source, "signals");
	add_count(table, source, "eventsPerSecond");
	table_add(table, error.len ? error : json_text_at(source, "url"), 80);
}

static void show_list(struct out *out, yyjson_val *sources)
{
	static const char *const heading[] = {"ID",      "NAME",  "STATE",         "PROTOCOL",
	                                      "SIGNALS", "PER S", "URL, OR ERROR", NULL};
	struct table table;
	yyjson_val *one;
	size_t at, count;

	table_init(&table, 7);
	for (unsigned i = 0; heading[i]; i++)
		table_add(&table, text_of(heading[i]), 20);
	yyjson_arr_foreach(sources, at, count, one)
	{
		add_source_row(&table, one);
	}
	table_show(&table, out);
	table_finish(&table);
}

/* One member of the answer, as JSON on a line. */
static void show_json(struct out *out, yyjson_val *value)
{
	size_t len;
	char *json = yyjson_val_write(value, YYJSON_WRITE_ALLOW_INVALID_UNICODE, &len);

	if (json)
		out_add(out, (struct text){json, len});
	out_print(out, "\n");
	free(json);
}

static bool list(struct sources_job *job)
{
	struct out *out = &job->context->out;
	struct buf answer;
	yyjson_doc *doc;
	yyjson_val *sources;

	if (!ask_about_sources(job, "GET", "/api/sources", TEXT(""), &answer))
		return false;
	doc = yyjson_read(answer.at, answer.len, 0);
	sources = yyjson_obj_get(yyjson_doc_get_root(doc), "sources");
	if (options_has(job->options, "json"))
		show_json(out, sources);
	else if (yyjson_arr_size(sources) == 0)
		out_say("there are no sources; `signalbox sources add URL` adds one");
	else
		show_list(out, sources);
	yyjson_doc_free(doc);
	buf_finish(&answer);
	return true;
}

/* ---- what came of it ---- */

static bool show_source(const struct sources_job *job, const char *method, const char *path,
                        struct text body)
{
	struct out *out = &job->context->out;
	struct buf answer;
	yyjson_doc *doc;
	yyjson_val *source;

	if (!ask_about_sources(job, method, path, body, &answer))
		return false;
	doc = yyjson_read(answer.at, answer.len, 0);
	source = yyjson_obj_get(yyjson_doc_get_root(doc), "source");
	if (options_has(job->options, "json")) {
		show_json(out, source ? source : yyjson_doc_get_root(doc));
	} else if (source) {
		out_add_shown(out, json_text_at(source, "id"));
		out_print(out, "  ");
		out_add_shown(out, json_text_at(source, "state"));
		out_print(out, "\n");
	}
	yyjson_doc_free(doc);
	buf_finish(&answer);
	return true;
}

/* ---- add ---- */

/* Of a file or, for "-", of standard input: never of an argument, which everybody on
 * the machine can see. */
static bool read_secret(const char *path, struct buf *out)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char *room = buf_reserve(out, SECRET_BYTES);
	struct text line;

	if (!in) {
		struct error why;

		error_errno(&why, "%s", path);
		out_say("%s", why.words);
		return false;
	}
	out->len = fread(room, 1, SECRET_BYTES, in);
	if (in != stdin)
		fclose(in);
	line = text_trim(buf_text(out));
	if (line.len == 0 || out->len == SECRET_BYTES) {
		out_say("%s holds no credential", path);
		return false;
	}
	memmove(out->at, line.at, line.len);
	out->len = line.len;
	return true;
}

static void add_wish_member(struct buf *body, const char *name, struct text value)
{
	put_text(body, name, value);
}

static bool write_wish(const struct sources_job *job, struct buf *body)
{
	static const char *const names[] = {"id", "name", "protocol", "model", NULL};
	const char *file = options_value(job->options, "credential-file");
	struct buf secret;
	bool good;

	put_object(body, NULL);
	put_bool(body, "connect", !options_has(job->options, "no-connect"));
	add_wish_member(body, "url", text_of(job->word));
	for (unsigned i = 0; names[i]; i++)
		if (options_value(job->options, names[i]))
			add_wish_member(body, names[i],
			                text_of(options_value(job->options, names[i])));
	buf_init(&secret, SECRET_BYTES);
	good = !file || read_secret(file, &secret);
	if (file && good)
		add_wish_member(body, "credential", buf_text(&secret));
	if (secret.at)
		explicit_bzero(secret.at, secret.len);
	buf_finish(&secret);
	buf_add_char(body, '}');
	return good;
}

static bool add(struct sources_job *job)
{
	struct buf body;
	bool good;

	buf_init(&body, BODY_BYTES);
	good = write_wish(job, &body) && show_source(job, "POST", "/api/sources", buf_text(&body));
	explicit_bzero(body.at, body.len);
	buf_finish(&body);
	return good;
}

/* ---- one that is there ---- */

static bool ask_one(const struct sources_job *job, const char *method, const char *tail)
{
	struct error why;
	char *id = who_is(job->remote, job->word, &why);
	struct buf path;
	bool good;

	if (!id) {
		out_say("%s", why.words);
		return false;
	}
	buf_init(&path, PATH_BYTES);
	buf_add(&path, TEXT("/api/sources/"));
	follow_add_escaped(&path, text_of(id));
	buf_add(&path, text_of(tail));
	buf_add_char(&path, '\0');
	good = show_source(job, method, path.at, TEXT(""));
	buf_finish(&path);
	free(id);
	return good;
}

static bool drop_source(struct sources_job *job)
{
	return ask_one(job, "DELETE", "");
}

static bool connect_one(struct sources_job *job)
{
	return ask_one(job, "POST", "/connect");
}

static bool disconnect_one(struct sources_job *job)
{
	return ask_one(job, "POST", "/disconnect");
}

static bool rescan(struct sources_job *job)
{
	struct buf answer;

	if (!ask_about_sources(job, "POST", "/api/discover/rescan", TEXT(""), &answer))
		return false;
	buf_finish(&answer);
	return list(job);
}

/* ---- the verb ---- */

static const struct sources_act {
	const char *name;
	const char *wants; /* what stands behind it; NULL: nothing */
	bool (*run)(struct sources_job *job);
} acts[] = {
	{"list", NULL, list},
	{"add", "a URL", add},
	{"remove", "a source", drop_source},
	{"connect", "a source", connect_one},
	{"disconnect", "a source", disconnect_one},
	{"rescan", NULL, rescan},
	{0},
};

static bool has_add_options(const struct options *options)
{
	static const char *const names[] = {
		"id", "name", "protocol", "model", "credential-file", "no-connect"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (options_has(options, names[i]))
			return true;
	return false;
}

static const char *misuse(const struct options *options, const struct sources_act *act,
                          struct error *why)
{
	size_t words = options->word_count ? options->word_count - 1 : 0;

	if (act->wants ? words != 1 : words != 0) {
		error_set(why, "%s wants %s", act->name, act->wants ? act->wants : "nothing more");
		return why->words;
	}
	if (act->run != add && has_add_options(options))
		return "those options are for `sources add`";
	return NULL;
}

static int sources(struct command_context *context, const struct options *options)
{
	const char *verb = options->word_count ? options->words[0] : "list";
	const struct sources_act *act = acts;
	struct sources_job job = {.context = context, .options = options};
	struct error why;
	const char *wrong;
	int status;

	while (act->name && strcmp(act->name, verb) != 0)
		act++;
	if (!act->name)
		return command_misworded(&command_sources, options);
	wrong = misuse(options, act, &why);
	if (wrong)
		return command_misused(&command_sources, "%s", wrong);
	job.word = act->wants ? options->words[1] : NULL;
	job.remote = remote_create(&command_sources, context, options, &status);
	if (!job.remote)
		return status;
	status = act->run(&job) ? STATUS_DONE : STATUS_FAILED;
	remote_destroy(job.remote);
	return status;
}

static const struct option own[] = {
	{"json", 'j', .help = "as JSON on one line"},
	{"id", 0, "ID", "add: how its signals and routes call it", "made up"},
	{"name", 0, "NAME", "add: how people call it", "source-XXXX"},
	{"protocol", 0, "NAME", "add: what it speaks", "found out from the URL"},
	{"model", 0, "NAME", "add: which model is asked", "the first it has"},
	{"credential-file", 0, "FILE",
         "add: its key or token is in this file; -: on standard input"},
	{"no-connect", 0, .help = "add: leave it disconnected"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

static const char *const words[] = {"list",       "add",    "remove", "connect",
                                    "disconnect", "rescan", NULL};

const struct command command_sources = {
	.name = "sources",
	.summary = "list, add and connect sources",
	.usage = "[list | add URL | remove SOURCE | connect SOURCE | disconnect SOURCE | rescan]",
	.examples = "  signalbox sources\n"
		    "  signalbox sources add ws://127.0.0.1:9100 --name emitter\n"
		    "  signalbox sources add https://api.openai.com --credential-file key.txt\n"
		    "  signalbox sources add 'scenario:/tmp/day.ndjson?speed=10'\n"
		    "  signalbox sources disconnect emitter\n",
	.about = "A SOURCE is an id, or a name that only one has. A credential is never an\n"
		 "argument; the box keeps it in a file of its own and shows it to nobody.\n"
		 "rescan looks for services on this machine. docs/sources.md tells what can be\n"
		 "connected to.\n",
	.words = words,
	.groups = groups,
	.run = sources,
};
