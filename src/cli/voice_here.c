/* voice_here.c - see voice_here.h. */
#include "cli/voice_here.h"

#include <poll.h>
#include <yyjson.h>

#include "base/clock.h"
#include "signal/json.h"

#define VOICE_PATH "/api/voice"
#define ANSWER_MS 10000
#define AGAIN_MS 250             /* between two looks whether it is over */
#define CHECK_MS (3 * 60 * 1000) /* the box gives it up before */

static bool ask_voice(struct remote *remote, const char *method, struct buf *body,
                      struct error *why)
{
	const char *path = method[0] == 'P' ? VOICE_PATH "/check" : VOICE_PATH;
	const struct remote_request request = {
		.method = method, .path = path, .timeout_ms = ANSWER_MS};

	return remote_ask(remote, &request, body, why);
}

/* ---- in words ---- */

static void add_kind(struct buf *out, yyjson_val *part)
{
	struct text kind = json_text_at(part, "kind"), place = json_text_at(part, "place");

	if (text_is(kind, "mock"))
		buf_add(out, TEXT("the mock, which understands nothing"));
	else if (text_is(kind, "local"))
		buf_add(out, TEXT("signalbox-speech on this machine (local)"));
	else if (text_is(kind, "source"))
		buf_add(out, json_text_at(part, "source"));
	else if (text_is(kind, "none"))
		buf_add(out, TEXT("nobody"));
	else
		buf_print(out, "%.*s (%.*s)", TEXT_ARG(place), TEXT_ARG(kind));
}

static void show_part(struct out *out, const char *name, yyjson_val *part)
{
	struct text why = json_text_at(part, "why");
	struct buf line;

	buf_init(&line, 64 * KIB);
	buf_print(&line, "%-8s", name);
	add_kind(&line, part);
	if (yyjson_is_true(yyjson_obj_get(part, "hosted")))
		buf_add(&line, TEXT("; what is said leaves this machine"));
	if (why.len)
		buf_print(&line, "; it cannot be had: %.*s", TEXT_ARG(why));
	out_add_shown(out, buf_text(&line));
	out_add(out, TEXT("\n"));
	buf_finish(&line);
}

static void show_parts(struct out *out, yyjson_val *root)
{
	show_part(out, "hears", yyjson_obj_get(root, "hear"));
	show_part(out, "thinks", yyjson_obj_get(root, "think"));
	show_part(out, "says", yyjson_obj_get(root, "say"));
}

static bool uses(yyjson_val *root, const char *kind)
{
	return text_is(json_text_at(yyjson_obj_get(root, "hear"), "kind"), kind) ||
	       text_is(json_text_at(yyjson_obj_get(root, "say"), "kind"), kind);
}

static bool has_excuse(yyjson_val *root)
{
	return yyjson_obj_get(yyjson_obj_get(root, "hear"), "why") ||
	       yyjson_obj_get(yyjson_obj_get(root, "say"), "why");
}

static void show_local(struct out *out, yyjson_val *root, bool works)
{
	struct text words = json_text_at(yyjson_obj_get(root, "local"), "words");

	out_add(out, works ? TEXT("local   works: ") : TEXT("local   does not work: "));
	out_add_shown(out, words);
	out_add(out, TEXT("\n"));
	if (!works)
		out_add(out, TEXT("To hear and speak on this machine, run `make voice` where "
		                  "signalbox was built.\n"));
	if (works && uses(root, "mock"))
		out_add(out, TEXT("It is not used: the configuration asks for the mock "
		                  "(voice.engine).\n"));
	if (!uses(root, "local") && !uses(root, "mock"))
		out_add(out, TEXT("The engines above are others, which `signalbox voice FILE.wav` "
		                  "tries.\n"));
}

/* ---- the check ---- */

static bool check_is_over(const struct buf *body)
{
	yyjson_doc *doc = yyjson_read(body->at, body->len, 0);
	yyjson_val *local = yyjson_obj_get(yyjson_doc_get_root(doc), "local");
	bool over = !text_is(json_text_at(local, "state"), "checking");

	yyjson_doc_free(doc);
	return over;
}

static bool check_local(struct remote *remote, struct buf *body, struct error *why)
{
	uint64_t until = clock_mono_ns() + CHECK_MS * 1000000ull;

	if (!ask_voice(remote, "POST", body, why))
		return false;
	while (!check_is_over(body)) {
		buf_finish(body);
		if (clock_mono_ns() > until)
			return error_set(why, "the box does not end its check");
		poll(NULL, 0, AGAIN_MS);
		if (!ask_voice(remote, "GET", body, why))
			return false;
	}
	return true;
}

static int show_checked(struct command_context *context, const struct options *options,
                        struct text body)
{
	yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	bool works = text_is(json_text_at(yyjson_obj_get(root, "local"), "state"), "works");
	bool needs_it = uses(root, "local") || uses(root, "mock");

	if (options_has(options, "json")) {
		out_add(&context->out, text_trim(body));
		out_add(&context->out, TEXT("\n"));
	} else {
		show_parts(&context->out, root);
		show_local(&context->out, root, works);
	}
	if (!needs_it)
		works = !has_excuse(root);
	yyjson_doc_free(doc);
	return works ? STATUS_DONE : STATUS_FAILED;
}

int voice_here_check(struct command_context *context, const struct options *options,
                     struct remote *remote)
{
	struct error why;
	struct buf body;
	int status;

	if (!check_local(remote, &body, &why)) {
		out_say("%s", why.words);
		return STATUS_FAILED;
	}
	status = show_checked(context, options, buf_text(&body));
	buf_finish(&body);
	return status;
}

/* ---- before somebody speaks ---- */

static void warn_of(struct buf *out, yyjson_val *part, const char *what)
{
	if (yyjson_is_true(yyjson_obj_get(part, "hosted")))
		buf_print(out, "%s leaves this machine: it goes to %.*s\n", what,
		          TEXT_ARG(json_text_at(part, "place")));
}

bool voice_here_warn(struct remote *remote, struct buf *out, struct error *why)
{
	yyjson_doc *doc;
	yyjson_val *root;
	struct buf body;

	if (!ask_voice(remote, "GET", &body, why))
		return false;
	doc = yyjson_read(body.at, body.len, 0);
	root = yyjson_doc_get_root(doc);
	if (uses(root, "mock"))
		buf_add(out, TEXT("this box has a mock: it takes any sound, understands none and "
		                  "asks nobody (`signalbox voice check`)\n"));
	warn_of(out, yyjson_obj_get(root, "hear"), "what you say");
	warn_of(out, yyjson_obj_get(root, "say"), "what is answered");
	yyjson_doc_free(doc);
	buf_finish(&body);
	return true;
}
