/* emit.c - `signalbox emit`: one signal, or every line of the input. */
#include <unistd.h>
#include <yyjson.h>

#include "cli/envelope.h"
#include "cli/feed.h"
#include "cli/remote.h"
#include "cli/send.h"
#include "cli/verbs.h"

extern const struct command command_emit;

#define SIGNAL_MAX (16 * MIB) /* the box takes less */

static enum feed_ack ack_of(const struct options *options)
{
	if (options_has(options, "json"))
		return ACK_JSON;
	return options_has(options, "quiet") ? ACK_NOTHING : ACK_SEQ;
}

static int show_ack(struct command_context *context, const struct options *options,
                    struct text body)
{
	yyjson_doc *doc;
	yyjson_val *seq;

	enum feed_ack ack = ack_of(options);

	if (ack == ACK_NOTHING)
		return STATUS_DONE;
	if (ack == ACK_JSON) {
		out_add(&context->out, text_trim(body));
		out_print(&context->out, "\n");
		return STATUS_DONE;
	}
	doc = yyjson_read(body.at, body.len, 0);
	seq = yyjson_obj_get(yyjson_doc_get_root(doc), "seq");
	out_print(&context->out, "%llu\n", (unsigned long long)yyjson_get_uint(seq));
	yyjson_doc_free(doc);
	return STATUS_DONE;
}

static int emit_one(struct command_context *context, const struct options *options,
                    struct remote *remote, const struct send *send)
{
	struct buf body;
	struct error why;
	long code;
	int status = STATUS_FAILED;
	bool answered = send_run(remote, send, &code, &body, &why);

	if (answered && code == 200) {
		status = show_ack(context, options, buf_text(&body));
	} else {
		if (answered)
			remote_refusal(code, buf_text(&body), &why);
		out_say("%s", why.words);
	}
	buf_finish(&body);
	return status;
}

static int emit_parts(struct command_context *context, const struct options *options,
                      struct remote *remote)
{
	const struct envelope_parts parts = {
		.type = options_value(options, "type"),
		.payload = options_value(options, "payload"),
		.source = options_value(options, "source"),
		.correlation = options_value(options, "correlation"),
	};
	struct send send = {.type = "application/json", .repeatable = true};
	struct buf body;
	struct error why;
	int status;

	buf_init(&body, SIGNAL_MAX);
	if (envelope_build(&body, &parts, &why)) {
		send.body = buf_text(&body);
		status = emit_one(context, options, remote, &send);
	} else {
		status = command_misused(&command_emit, "%s", why.words);
	}
	buf_finish(&body);
	return status;
}

static int emit_word(struct command_context *context, const struct options *options,
                     struct remote *remote, const char *word)
{
	struct send send = {.type = "application/json"};
	struct buf body;
	int status;

	buf_init(&body, SIGNAL_MAX);
	send.repeatable = envelope_add(&body, text_of(word));
	send.body = buf_text(&body);
	status = emit_one(context, options, remote, &send);
	buf_finish(&body);
	return status;
}

static int emit_parsed(struct command_context *context, const struct options *options,
                       struct remote *remote)
{
	const struct parse_options parse = {
		.source = text_of(options_value(options, "source")),
		.correlation = text_of(options_value(options, "correlation")),
	};

	return feed_parsed(&context->out, remote, ack_of(options),
	                   parse_find(text_of(options_value(options, "parse"))), &parse);
}

static const char *misuse(const struct options *options)
{
	bool has_type = options_has(options, "type"), parses = options_has(options, "parse");

	if (options->word_count > 1)
		return "one signal is one argument: put it in quotes";
	if (options->word_count == 1 && has_type)
		return "a whole signal or --type, not both";
	if (has_type && parses)
		return "--type or --parse, not both";
	if (!has_type && options_has(options, "payload"))
		return "--payload goes with --type";
	if (!has_type && !parses &&
	    (options_has(options, "source") || options_has(options, "correlation")))
		return "--source and --correlation go with --type or --parse";
	if (parses && options->word_count == 1 && strcmp(options->words[0], "-") != 0)
		return "what is parsed comes on standard input";
	if (options->word_count == 0 && !has_type && isatty(0))
		return "what? A signal as JSON, --type, or lines on standard input";
	return NULL;
}

static int emit(struct command_context *context, const struct options *options)
{
	const char *word = options->word_count ? options->words[0] : NULL;
	const char *wrong = misuse(options);
	const char *protocol = options_value(options, "parse");
	struct remote *remote;
	int status;

	if (wrong)
		return command_misused(&command_emit, "%s", wrong);
	if (protocol && !parse_find(text_of(protocol)))
		return parse_no_protocol(&command_emit, protocol);
	remote = remote_create(&command_emit, context, options, &status);
	if (!remote)
		return status;
	if (options_has(options, "type"))
		status = emit_parts(context, options, remote);
	else if (options_has(options, "parse"))
		status = emit_parsed(context, options, remote);
	else if (word && strcmp(word, "-") != 0)
		status = emit_word(context, options, remote, word);
	else
		status = feed_input(&context->out, remote, ack_of(options));
	remote_destroy(remote);
	return status;
}

static const struct option own[] = {
	{"type", 't', "TYPE", "the signal's type, instead of a whole signal"},
	{"payload", 'p', "JSON", "with --type: its payload", "{}"},
	{"parse", 0, "PROTOCOL", "standard input is what an agent prints or a back end sends"},
	{"source", 's', "NAME", "with --type and --parse: who it comes from"},
	{"correlation", 0, "ID", "with --type and --parse: what it belongs to"},
	{"quiet", 'q', .help = "print no acknowledgements"},
	{"json", 'j', .help = "print each acknowledgement as a JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_emit = {
	.name = "emit",
	.summary = "send signals and wait until they are on the disk",
	.usage = "[SIGNAL | --type TYPE | --parse PROTOCOL | -]",
	.examples = "  signalbox emit '{\"type\":\"hello\",\"payload\":{\"to\":\"world\"}}'\n"
		    "  signalbox emit --type note --payload '{\"text\":\"hello\"}'\n"
		    "  my-agent --ndjson | signalbox emit --quiet\n"
		    "  claude -p --output-format stream-json --verbose hi | signalbox emit --parse "
		    "claude-stream\n",
	.about = "Prints the seq of each signal that was stored; of lines on standard input,\n"
		 "the first and the last seq of each batch. A line that is refused is named on\n"
		 "standard error. A signal without an id gets one, so that it can be sent\n"
		 "again when an answer is lost: nothing is stored twice. A box that says it is\n"
		 "too fast (limits.rate) is asked again when it said.\n",
	.groups = groups,
	.run = emit,
};
