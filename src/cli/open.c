/* open.c - `signalbox open`: the page in a browser, already let in.
 *
 * The URL holds a code, and arguments of a process can be seen by everybody on
 * the machine.  So the browser is given a file that only we can read, which sends
 * it on; the URL itself stands nowhere but on our standard output.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>
#include <yyjson.h>

#include "base/must.h"
#include "base/put.h"
#include "base/whole.h"
#include "cli/command.h"
#include "cli/members.h"
#include "cli/pair.h"
#include "cli/remote.h"

extern const struct command command_open;

#define CODE_MS 10000
#define URL_MAX 512

/* Nothing that would mean something in HTML, so that it needs no escapes. */
static bool is_plain_url(struct text url)
{
	if (!text_starts(url, TEXT("http://")) && !text_starts(url, TEXT("https://")))
		return false;
	for (size_t i = 0; i < url.len; i++) {
		char c = url.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      strchr(":/.#=-_[]", c)) ||
		    c == '\0')
			return false;
	}
	return url.len < URL_MAX;
}

/* The caller frees it; NULL when there is none. */
static char *ask_url(struct remote *remote, struct error *why)
{
	const struct remote_request request = {.method = "POST",
	                                       .path = "/api/code",
	                                       .type = "application/json",
	                                       .body = TEXT("{}"),
	                                       .timeout_ms = CODE_MS};
	struct buf body;
	yyjson_doc *doc;
	yyjson_val *value;
	struct text url;
	char *found = NULL;

	if (!remote_ask(remote, &request, &body, why))
		return NULL;
	doc = yyjson_read(body.at, body.len, 0);
	value = yyjson_obj_get(yyjson_doc_get_root(doc), "url");
	url = (struct text){yyjson_get_str(value), yyjson_get_len(value)};
	if (url.at && is_plain_url(url))
		found = text_dup(url);
	else
		error_set(why, "the box answered without a URL");
	yyjson_doc_free(doc);
	buf_finish(&body);
	return found;
}

/* Takes url, and leads to the session; NULL: there is none of that name, or why says it. */
static char *lead_to(struct remote *remote, char *url, const char *name, struct error *why)
{
	char *handle = members_find(remote, name, why);
	char *longer = handle ? must_print("%s/crew/%s", url, handle) : NULL;

	if (longer && !is_plain_url(text_of(longer))) {
		error_set(why, "'%.80s' cannot stand in a URL", handle);
		free(longer);
		longer = NULL;
	}
	free(handle);
	free(url);
	return longer;
}

static bool write_page(const char *path, const char *url, struct error *why)
{
	char *page = must_print("<!doctype html><meta charset=\"utf-8\"><title>signalbox</title>"
	                        "<meta name=\"referrer\" content=\"no-referrer\">"
	                        "<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n",
	                        url);
	bool good = whole_replace(path, 0600, text_of(page), why);

	free(page);
	return good;
}

static bool start_browser(const char *page, char *const *env, struct error *why)
{
	char program[] = "xdg-open", *file = must_dup(page);
	char *arguments[] = {program, file, NULL};
	posix_spawn_file_actions_t quiet;
	pid_t child;
	int failure;

	posix_spawn_file_actions_init(&quiet);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
	failure = posix_spawnp(&child, program, &quiet, NULL, arguments, env);
	posix_spawn_file_actions_destroy(&quiet);
	free(file);
	errno = failure;
	return failure == 0 || error_errno(why, "xdg-open");
}

static bool has_screen(const struct command_context *context)
{
	return command_env(context, "DISPLAY") || command_env(context, "WAYLAND_DISPLAY");
}

/* The URL is on standard output already; failing to show it is no disaster. */
static void show_in_browser(const struct command_context *context, const char *data,
                            const char *url)
{
	char *page = must_print("%s/open.html", data);
	struct error why;

	if (!write_page(page, url, &why) || !start_browser(page, (char *const *)context->env, &why))
		out_say("no browser was started: %s", why.words);
	free(page);
}

static void show_url(struct out *out, const char *url, bool as_json)
{
	struct buf json;

	buf_init(&json, 64 * KIB);
	buf_add_json(&json, text_of(url));
	if (as_json) {
		put_object(&out->bytes, NULL);
		put_json(&out->bytes, "url", buf_text(&json));
		put_end(&out->bytes);
		buf_add_char(&out->bytes, '\n');
	} else
		out_print(out, "%s\n", url);
	buf_finish(&json);
}

static int open_page(struct command_context *context, const struct options *options)
{
	struct remote *remote;
	struct error why;
	char *url;
	int status;

	if (options_has(options, "lan"))
		return pair_device(&command_open, context, options);
	if (options_has(options, "name") || options_has(options, "scopes") ||
	    options_has(options, "host"))
		return command_misused(&command_open, "those options are for `open --lan`");
	if (options->word_count > 1)
		return command_misused(&command_open, "unexpected argument '%s'",
		                       options->words[1]);
	remote = remote_create(&command_open, context, options, &status);
	if (!remote)
		return status;
	url = ask_url(remote, &why);
	if (url && options->word_count == 1)
		url = lead_to(remote, url, options->words[0], &why);
	if (url) {
		show_url(&context->out, url, options_has(options, "json"));
		out_flush(&context->out);
		if (!options_has(options, "print") && !options_has(options, "url") &&
		    has_screen(context))
			show_in_browser(context, remote_data(remote), url);
	} else {
		out_say("%s", why.words);
	}
	status = url ? STATUS_DONE : STATUS_FAILED;
	free(url);
	remote_destroy(remote);
	return status;
}

static const struct option own[] = {
	{"lan", 'l', .help = "for a phone: as `signalbox pair`"},
	PAIR_OPTIONS,
	{"print", 'p', .help = "only print the URL, start no browser"},
	{"json", 'j', .help = "print it as a JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_open = {
	.name = "open",
	.summary = "open the page in a browser",
	.usage = "[RUN] [--print] [--lan]",
	.examples = "  signalbox open\n"
		    "  signalbox open checkout-2\n"
		    "  signalbox open --print\n"
		    "  signalbox open --lan\n",
	.about = "Prints a URL with a code that lets one browser in, once, within 10 minutes.\n"
		 "With a screen (DISPLAY or WAYLAND_DISPLAY) xdg-open is started too, with a\n"
		 "file in DATA that sends the browser on, so that the code is in nobody's list\n"
		 "of processes. A browser that may not read that file: use the printed URL.\n"
		 "With RUN, a handle of `signalbox run list`, it opens at that session.\n"
		 "--lan pairs a phone instead: see `signalbox help pair`.\n",
	.groups = groups,
	.run = open_page,
};
