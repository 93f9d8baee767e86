/* pair.c - `signalbox pair`: a URL for one phone, as a QR code. */
#include "cli/pair.h"

#include <stdlib.h>
#include <yyjson.h>

#include "base/put.h"
#include "base/scope.h"
#include "cli/qr.h"
#include "cli/remote.h"
#include "signal/json.h"

extern const struct command command_pair;

#define PAIR_MS 20000
#define BODY_MAX (4 * KIB)

static bool ask_invitation(struct remote *remote, const struct options *options, struct buf *answer,
                           struct error *why)
{
	static const char *const names[] = {"name", "scopes", "host"};
	struct remote_request request = {.method = "POST",
	                                 .path = "/api/devices",
	                                 .type = "application/json",
	                                 .timeout_ms = PAIR_MS};
	struct buf body;
	bool good;

	buf_init(&body, BODY_MAX);
	put_object(&body, NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (options_value(options, names[i]))
			put_word(&body, names[i], options_value(options, names[i]));
	put_end(&body);
	request.body = buf_text(&body);
	good = remote_ask(remote, &request, answer, why);
	buf_finish(&body);
	return good;
}

static void say_scopes(yyjson_val *invitation)
{
	struct text name = json_text_at(invitation, "name");
	struct buf words;
	yyjson_val *one;
	size_t at, count;

	buf_init(&words, BODY_MAX);
	buf_add(&words, TEXT("scan it with the camera of the phone, within 10 minutes. It is '"));
	buf_add(&words, name);
	buf_add(&words, TEXT("' then (with a number, if that is taken), and may"));
	yyjson_arr_foreach(yyjson_obj_get(invitation, "scopes"), at, count, one)
	{
		buf_add(&words, at ? TEXT(", ") : TEXT(": "));
		buf_add(&words, json_text(one));
	}
	out_say("%.*s", TEXT_ARG(buf_text(&words)));
	buf_finish(&words);
}

/* What was trusted before is no help to who comes in now. */
static void say_changed(yyjson_val *invitation)
{
	if (yyjson_get_bool(yyjson_obj_get(invitation, "fingerprintChanged")))
		out_say("the certificate had to be made anew, and so has another fingerprint: a "
		        "device that trusted the old one has to trust this one");
}

/* What a person has to know who sees it. */
static void explain(yyjson_val *invitation)
{
	struct text print = json_text_at(invitation, "fingerprint");

	say_scopes(invitation);
	if (!print.len)
		return;
	out_say("the browser warns, because this box made its certificate itself. What vouches for "
	        "it has the SHA-256 fingerprint");
	out_say("  %.*s", (int)print.len, print.at);
	out_say("`signalbox devices` lists what is paired; docs/phone.md tells the rest");
}

static void show_invitation(struct command_context *context, const struct options *options,
                            yyjson_val *invitation)
{
	struct out *out = &context->out;
	struct text url = json_text_at(invitation, "url");
	char *words = text_dup(url);

	if (!options_has(options, "print") && out->is_terminal) {
		if (!qr_can_be_shown(context))
			out_say("a QR code needs a terminal with UTF-8");
		else if (!qr_draw(out, words))
			out_say("the URL is too long for a QR code");
		out_add(out, TEXT("\n"));
	}
	out_add_shown(out, url);
	out_add(out, TEXT("\n"));
	out_flush(out);
	say_changed(invitation);
	if (out->is_terminal && !options_has(options, "print"))
		explain(invitation);
	explicit_bzero(words, url.len);
	free(words);
}

int pair_device(const struct command *command, struct command_context *context,
                const struct options *options)
{
	struct remote *remote;
	struct error why;
	struct buf answer;
	yyjson_doc *doc;
	int status;
	bool good;

	if (options->word_count > 0)
		return command_misused(command, "unexpected argument '%s'", options->words[0]);
	remote = remote_create(command, context, options, &status);
	if (!remote)
		return status;
	good = ask_invitation(remote, options, &answer, &why);
	remote_destroy(remote);
	if (!good) {
		out_say("%s", why.words);
		return STATUS_FAILED;
	}
	doc = yyjson_read(answer.at, answer.len, 0);
	if (options_has(options, "json"))
		out_add(&context->out, buf_text(&answer));
	else
		show_invitation(context, options, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
	buf_finish(&answer);
	return STATUS_DONE;
}

static int pair(struct command_context *context, const struct options *options)
{
	return pair_device(&command_pair, context, options);
}

static const struct option own[] = {
	PAIR_OPTIONS,
	{"print", 'p', .help = "only print the URL, no QR code"},
	{"json", 'j', .help = "print what the box answered, one JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_pair = {
	.name = "pair",
	.summary = "let a phone in, and keep it signed in",
	.usage = "[--name NAME] [--scopes LIST] [--host HOST]",
	.examples = "  signalbox pair\n"
		    "  signalbox pair --name tablet --scopes observe\n"
		    "  signalbox pair --host box.example\n",
	.about = "Opens the box for devices of the same network (phone.listen, by TLS, with a\n"
		 "certificate that it makes; or a listener of the configuration that has one),\n"
		 "and prints a URL with a code that is good once, for 10 minutes. The device\n"
		 "gets a secret of its own for it. `signalbox devices revoke` ends that; after\n"
		 "the last one the box is closed for the network again.\n",
	.groups = groups,
	.run = pair,
};
