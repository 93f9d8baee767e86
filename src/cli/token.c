/* token.c - `signalbox token`: the credentials that are files. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "base/put.h"
#include "base/scope.h"
#include "base/whole.h"
#include "cli/command.h"
#include "cli/remote.h"
#include "cli/secret.h"
#include "config/check.h"

extern const struct command command_token;

#define RELOAD_MS 10000

/* DATA/token, or DATA/tokens/NAME.  The caller frees it. */
static char *path_of(const char *data, const char *name)
{
	return name ? must_print("%s/tokens/%s", data, name) : must_print("%s/token", data);
}

/* secret: empty when it is not to be shown. */
static void show_token_json(struct out *out, const char *path, const char *secret)
{
	struct buf json;

	buf_init(&json, 64 * KIB);
	put_object(&json, NULL);
	put_word(&json, "path", path);
	if (*secret)
		put_word(&json, "token", secret);
	buf_add(&json, TEXT("}\n"));
	out_add(out, buf_text(&json));
	explicit_bzero(json.at, json.len);
	buf_finish(&json);
}

static bool show_token(struct command_context *context, const struct options *options,
                       const char *path, struct error *why)
{
	char secret[SECRET_LEN + 1] = "";
	bool only_path = options_has(options, "path");

	if (!only_path && !secret_read(path, secret, why))
		return false;
	if (options_has(options, "json"))
		show_token_json(&context->out, path, secret);
	else
		out_print(&context->out, "%s\n", only_path ? path : secret);
	explicit_bzero(secret, sizeof(secret));
	return true;
}

static bool make_dir(const char *path, struct error *why)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST || error_errno(why, "%s", path);
}

/* As a box does at its first start: what leads there, too. */
static bool make_data(const char *data, struct error *why)
{
	whole_make_dirs(data);
	return make_dir(data, why);
}

static bool make(struct command_context *context, const char *data, const char *name,
                 const char *scopes, struct error *why)
{
	char *dir = must_print("%s/tokens", data), *path = path_of(data, name);
	bool good = make_data(data, why) && make_dir(dir, why) && secret_create(path, why);

	if (good) {
		out_print(&context->out, "%s\n", path);
		out_flush(&context->out);
		out_say("now add this to the configuration and have the box read it "
		        "again (SIGHUP):");
		out_say("  auth: {tokens: [{name: %s, file: tokens/%s, scopes: \"%s\"}]}", name,
		        name, scopes);
	}
	free(path);
	free(dir);
	return good;
}

/* Of a box that never ran the token is made. */
static bool rotate(const char *data, const char *name, const char *path, struct error *why)
{
	if (name || access(path, F_OK) == 0)
		return secret_replace(path, why);
	return make_data(data, why) && secret_create(path, why);
}

/* A running box reads its tokens again. */
static void tell_box(const struct command *command, struct command_context *context,
                     const struct options *options)
{
	const struct remote_request request = {.method = "POST",
	                                       .path = "/api/token/reload",
	                                       .type = "application/json",
	                                       .body = TEXT("{}"),
	                                       .timeout_ms = RELOAD_MS};
	int status;
	struct remote *remote = remote_create(command, context, options, &status);
	struct buf body;
	struct error why;
	long code;

	if (!remote)
		return;
	switch (remote_fetch(remote, &request, &code, &body, &why)) {
	case REMOTE_ANSWERED:
		if (code == 200) {
			out_say("the box uses the new token; sessions of browsers have ended");
			break;
		}
		remote_refusal(code, buf_text(&body), &why);
		out_say("the box still uses the old token: %s", why.words);
		break;
	case REMOTE_NOBODY:
		out_say("no box is running; the next one uses the new token");
		break;
	default:
		out_say("restart the box, it may still use the old token: %s", why.words);
	}
	buf_finish(&body);
	remote_destroy(remote);
}

static bool is_verb(const char *word)
{
	return strcmp(word, "show") == 0 || strcmp(word, "new") == 0 || strcmp(word, "rotate") == 0;
}

static const char *misuse(const struct options *options, struct error *why)
{
	bool is_new = strcmp(options->words[0], "new") == 0;
	unsigned scopes;

	if (options->word_count > 2)
		return "one token at a time";
	if (options->word_count == 2 && !check_name(text_of(options->words[1]), why))
		return why->words;
	if (!is_new && options_has(options, "scopes"))
		return "--scopes is for `token new`";
	if (is_new && (options->word_count != 2 || !options_has(options, "scopes")))
		return "new wants a name and --scopes: `token new ci --scopes observe,emit`";
	if (!is_new)
		return NULL;
	if (!scope_parse(text_of(options_value(options, "scopes")), &scopes, why))
		return why->words;
	return scopes ? NULL : "a token that allows nothing is of no use";
}

static int token(struct command_context *context, const struct options *options)
{
	struct error why;
	const char *verb = options->word_count ? options->words[0] : "";
	const char *wrong;
	const char *name = options->word_count == 2 ? options->words[1] : NULL;
	struct config config;
	char *path;
	bool good;

	if (!is_verb(verb))
		return command_misworded(&command_token, options);
	wrong = misuse(options, &why);
	if (wrong)
		return command_misused(&command_token, "%s", wrong);
	if (!command_config(context, options, &config))
		return STATUS_CONFIG;
	path = path_of(config.data, name);
	if (strcmp(verb, "show") == 0)
		good = show_token(context, options, path, &why);
	else if (strcmp(verb, "new") == 0)
		good = make(context, config.data, name, options_value(options, "scopes"), &why);
	else
		good = rotate(config.data, name, path, &why);
	if (!good)
		out_say("%s", why.words);
	else if (strcmp(verb, "rotate") == 0)
		tell_box(&command_token, context, options);
	free(path);
	config_finish(&config);
	return good ? STATUS_DONE : STATUS_FAILED;
}

static const struct option own[] = {
	{"path", 0, .help = "show: where the token is, not what it is"},
	{"scopes", 's', "LIST", "new: observe, emit, answer, control, admin; or all"},
	{"json", 'j', .help = "show: as one JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

static const char *const words[] = {"show", "new", "rotate", NULL};

const struct command command_token = {
	.name = "token",
	.summary = "show, make or replace a credential",
	.usage = "show [NAME] | new NAME --scopes LIST | rotate [NAME]",
	.examples = "  signalbox token show\n"
		    "  signalbox token new ci --scopes observe,emit\n"
		    "  signalbox token rotate\n",
	.about = "Without a NAME it is DATA/token, which allows everything; with one it is\n"
		 "DATA/tokens/NAME, which the configuration gives its scopes. A token never\n"
		 "stands in an argument, a log or a URL.\n",
	.words = words,
	.groups = groups,
	.run = token,
};
