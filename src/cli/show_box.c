/* show_box.c - the show of a running box: printed, exchanged, started and stopped. */
#include "cli/show_box.h"

#include <yyjson.h>

#include "cli/remote.h"
#include "cli/verbs.h"

#define ANSWER_MS 30000

/* With STATUS_DONE there is an answer, which the caller finishes. */
static int ask_for_show(struct command_context *context, const struct options *options,
                        struct remote_request *request, struct buf *answer, struct error *why)
{
	int status = STATUS_FAILED;
	struct remote *remote = remote_create(&command_show, context, options, &status);

	if (!remote)
		return status;
	request->type = "application/json";
	request->timeout_ms = ANSWER_MS;
	status = remote_ask(remote, request, answer, why) ? STATUS_DONE : STATUS_FAILED;
	remote_destroy(remote);
	return status;
}

int show_box_export(struct command_context *context, const struct options *options)
{
	struct remote_request request = {.method = "GET", .path = "/api/show"};
	struct error why = {""};
	struct buf answer = {0};
	int status = ask_for_show(context, options, &request, &answer, &why);

	if (status == STATUS_DONE) {
		out_add(&context->out, buf_text(&answer));
		buf_finish(&answer);
	} else if (why.words[0]) {
		out_say("%s", why.words);
	}
	return status;
}

int show_box_use(struct command_context *context, const struct options *options, const char *name,
                 struct text document)
{
	struct remote_request request = {.method = "PUT", .path = "/api/show", .body = document};
	struct error why = {""};
	struct buf answer = {0};
	int status = ask_for_show(context, options, &request, &answer, &why);

	if (status == STATUS_DONE) {
		out_print(&context->out, "the box plays %s\n", name);
		buf_finish(&answer);
	} else if (why.words[0]) {
		out_say("%s: %s", name, why.words);
	}
	return status;
}

static bool has_changed(struct text json)
{
	yyjson_doc *doc = yyjson_read(json.at, json.len, 0);
	bool changed = yyjson_get_bool(yyjson_obj_get(yyjson_doc_get_root(doc), "changed"));

	yyjson_doc_free(doc);
	return changed;
}

int show_box_run(struct command_context *context, const struct options *options, bool on)
{
	struct remote_request request = {.method = "POST",
	                                 .path = on ? "/api/show/start" : "/api/show/stop"};
	struct error why = {""};
	struct buf answer = {0};
	int status = ask_for_show(context, options, &request, &answer, &why);

	if (status == STATUS_DONE) {
		out_print(&context->out, "the show %s%s\n", on ? "runs" : "is stopped",
		          has_changed(buf_text(&answer)) ? "" : ", as before");
		buf_finish(&answer);
	} else if (why.words[0]) {
		out_say("%s", why.words);
	}
	return status;
}
