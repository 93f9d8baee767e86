/* check.c - `signalbox check`: would a box start with this? */
#include "cli/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/command.h"
#include "cli/perform.h"
#include "config/keys.h"
#include "config/ports.h"
#include "config/trust.h"
#include "journal/disk.h"
#include "net/listen.h"
#include "net/tls.h"

extern const struct command command_check;

#define SHOW_FILE "show.json"

/* ---- what is looked at ---- */

/* Whoever lets other machines in has made a token before: one that is made by the way is
 * one that nobody knows of. */
bool check_reach(const struct config *config, struct error *why)
{
	const char *open_to_others = NULL;
	char *token = must_print("%s/token", config->data);
	bool has_token = config->auth.token_count > 0 || access(token, F_OK) == 0;

	free(token);
	for (size_t i = 0; i < config->listen_count; i++)
		if (!listen_is_local(config->listen[i].address) && !config->listen[i].source)
			open_to_others = config->listen[i].address;
	return !open_to_others || has_token ||
	       error_set(why,
	                 "%s can be reached from other machines, which needs a token: `signalbox "
	                 "token rotate --data %s` makes one",
	                 open_to_others, config->data);
}

bool check_pair(const struct config_listen *listen, struct error *why)
{
	struct tls_context *tls;

	if (!listen->cert)
		return true;
	tls = tls_context_server(listen->cert, listen->key, why);
	tls_context_destroy(tls);
	return tls != NULL;
}

bool check_config(const struct command_context *context, const struct config *config,
                  struct error *why)
{
	return context->check(config, why) && check_reach(config, why);
}

int check_status(const struct error *why)
{
	return error_is_passing(why) ? STATUS_FAILED : STATUS_CONFIG;
}

/* A fault of the document itself has an empty pointer. */
static bool name_show(const char *data, struct error *why)
{
	struct error inner = *why;
	bool is_root = strncmp(inner.words, ": ", 2) == 0;

	return error_set(why, "%s/" SHOW_FILE ": %.160s", data, inner.words + (is_root ? 2 : 0));
}

bool check_show(const char *data, bool *is_there, struct error *why)
{
	int dir = open(data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct show *show = NULL;
	struct buf document;
	bool good;

	buf_init(&document, SHOW_MAX + 1);
	good = dir >= 0 && disk_load(dir, SHOW_FILE, &document);
	*is_there = good || (errno != ENOENT && errno != ENOTDIR);
	if (!good && *is_there)
		error_errno(why, "%s/" SHOW_FILE, data);
	if (good) {
		show = show_read(buf_text(&document), why);
		good = (show && perform_check(show, why)) || name_show(data, why);
	}
	show_destroy(show);
	buf_finish(&document);
	if (dir >= 0)
		close(dir);
	return good || !*is_there;
}

/* ---- the verb ---- */

/* The options with the file among them, as if --config had named it.  given: room for one
 * more than there are. */
static struct options with_file(const struct options *options, struct option_given *given)
{
	static const struct option file = {"config", .value = "FILE"};
	struct options all = *options;

	if (all.given_count)
		memcpy(given, all.given, all.given_count * sizeof(*given));
	given[all.given_count] = (struct option_given){&file, options->words[0]};
	all.given = given;
	all.given_count++;
	return all;
}

static bool load_config(const struct command_context *context, const struct options *options,
                        struct config *config, struct error *why)
{
	struct option_given *given = must_zero(options->given_count + 1, sizeof(*given));
	struct options all = *options;
	bool good;

	if (options->word_count == 1)
		all = with_file(options, given);
	good = command_load(context, &all, config, why);
	free(given);
	return good;
}

/* why: NULL when all is good. */
static void show_verdict_json(struct out *out, const char *file, bool has_show,
                              const struct error *why)
{
	struct buf json;

	buf_init(&json, 64 * KIB);
	put_object(&json, NULL);
	put_bool(&json, "ok", !why);
	put_key(&json, "file");
	if (file)
		buf_add_json(&json, text_of(file));
	else
		buf_add(&json, TEXT("null"));
	put_bool(&json, "show", has_show);
	if (why) {
		put_word(&json, "error", why->words);
	}
	buf_add(&json, TEXT("}\n"));
	out_add(out, buf_text(&json));
	buf_finish(&json);
}

static void show_verdict(struct out *out, const struct config *config, bool has_show)
{
	out_add_shown(out, text_of(config->file ? config->file : "no file, only defaults"));
	out_print(out, ": good\n");
	if (!has_show)
		return;
	out_add_shown(out, text_of(config->data));
	out_print(out, "/" SHOW_FILE ": good\n");
}

static void say_doubt(void *self, const char *words)
{
	out_say("%s", words);
}

static int check(struct command_context *context, const struct options *options)
{
	const char *named = options->word_count ? options->words[0] : NULL;
	struct error why;
	struct config config;
	bool is_read, has_show = false;
	bool good;

	if (options->word_count > 1)
		return command_misused(&command_check, "unexpected argument '%s'",
		                       options->words[1]);
	if (named && options_has(options, "config"))
		return command_misused(&command_check, "FILE or --config, not both");
	is_read = load_config(context, options, &config, &why);
	good = is_read && check_config(context, &config, &why) &&
	       check_show(config.data, &has_show, &why);
	if (options_has(options, "json"))
		show_verdict_json(&context->out, is_read ? config.file : named, has_show,
		                  good ? NULL : &why);
	else if (good)
		show_verdict(&context->out, &config, has_show);
	if (!good)
		out_say("%s", why.words);
	if (is_read) {
		keys_strays(&config, context->env, say_doubt, NULL);
		trust_each(&config, say_doubt, NULL);
		ports_each_clash(&config, say_doubt, NULL);
		config_finish(&config);
	}
	return good ? STATUS_DONE : check_status(&why);
}

static const struct option own[] = {{"json", 'j', .help = "as one JSON object"}, {0}};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

const struct command command_check = {
	.name = "check",
	.summary = "check whether a box would start with this configuration",
	.usage = "[FILE] [--json]",
	.examples =
		"  signalbox check\n"
		"  signalbox check new.yaml && kill -HUP $(cat ~/.local/state/signalbox/lock)\n",
	.about = "Reads the FILE, or the configuration that `serve` would read, with the\n"
		 "environment; and looks at all that `serve` looks at before it starts: the\n"
		 "files it names, certificates, tokens and credentials, the sources, who can\n"
		 "get at DATA, and DATA/show.json, if there is one. Whether a port is free, or\n"
		 "DATA in use by a box that runs, `signalbox doctor` says.\n"
		 "The first fault is told with its file, line and column, and ends it with 78.\n",
	.groups = groups,
	.run = check,
};
