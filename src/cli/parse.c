/* parse.c - `signalbox parse`: what a back end's bytes mean, without a box. */
#include "parse/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/verbs.h"

#define PIECE (64 * KIB)

struct parse_reading {
	struct out *out;
	unsigned bads;
};

static void show_signal(void *self, struct text envelope)
{
	struct parse_reading *r = self;

	out_add(r->out, envelope);
	out_add(r->out, TEXT("\n"));
}

static void tell_bad(void *self, const char *why)
{
	struct parse_reading *r = self;

	r->bads++;
	out_say("%s", why);
}

/* Frames of an emitter are no signals, but whoever debugs wants to see them. */
static void tell_meta(void *self, struct text frame)
{
	out_say("meta: %.*s", TEXT_ARG(frame));
}

static void list_json(struct out *out)
{
	struct buf json;

	buf_init(&json, 64 * KIB);
	for (const struct parse_kind *const *kind = parse_kinds; *kind; kind++) {
		buf_add(&json, json.len ? TEXT(",{\"name\":") : TEXT("[{\"name\":"));
		buf_add_json(&json, text_of((*kind)->name));
		put_word(&json, "summary", (*kind)->summary);
		buf_add_char(&json, '}');
	}
	buf_add(&json, TEXT("]\n"));
	out_add(out, buf_text(&json));
	buf_finish(&json);
}

static void list_protocols(struct out *out)
{
	for (const struct parse_kind *const *kind = parse_kinds; *kind; kind++)
		out_print(out, "%-14s %s\n", (*kind)->name, (*kind)->summary);
}

/* What is known so far is shown before the next wait, so that it can be followed. */
static bool read_all(struct parse *p, struct out *out, int fd, const char *name)
{
	static char piece[PIECE];

	for (;;) {
		ssize_t n = read(fd, piece, sizeof(piece));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			out_say("%s: %s", name, strerror(errno));
			return false;
		}
		if (n == 0)
			break;
		parse_feed(p, (struct text){piece, (size_t)n});
		if (!out_flush(out))
			return true; /* the end of the program tells whether that is a fault */
	}
	parse_end(p, NULL);
	return true;
}

static int run_parse(struct command_context *context, const struct options *options,
                     const struct parse_kind *kind, int fd, const char *name)
{
	struct parse_reading reading = {.out = &context->out};
	const struct parse_options how = {
		.source = text_of(options_value(options, "source")),
		.correlation = text_of(options_value(options, "correlation")),
		.agent = text_of(options_value(options, "agent")),
		.self = &reading,
		.signal = show_signal,
		.bad = tell_bad,
		.meta = tell_meta,
	};
	struct parse *p = parse_create(kind, &how);
	bool good;

	if (options_has(options, "whole"))
		parse_set_framing(p, FRAMING_WHOLE);
	good = read_all(p, &context->out, fd, name);
	parse_destroy(p);
	return good && reading.bads == 0 ? STATUS_DONE : STATUS_FAILED;
}

int parse_no_protocol(const struct command *command, const char *given)
{
	const char **names;
	size_t count = 0;
	int status;

	while (parse_kinds[count])
		count++;
	names = must_zero(count + 1, sizeof(*names));
	for (size_t i = 0; i < count; i++)
		names[i] = parse_kinds[i]->name;
	status = command_unknown(command, "protocol ", given, names);
	free(names);
	return status;
}

static int parse(struct command_context *context, const struct options *options)
{
	const char *file = options->word_count > 1 ? options->words[1] : "-";
	const struct parse_kind *kind;
	int fd = 0, status;

	if (options_has(options, "list")) {
		(options_has(options, "json") ? list_json : list_protocols)(&context->out);
		return STATUS_DONE;
	}
	if (options->word_count == 0 || options->word_count > 2)
		return command_misused(&command_parse,
		                       "a protocol is needed, and at most one file");
	kind = parse_find(text_of(options->words[0]));
	if (!kind)
		return parse_no_protocol(&command_parse, options->words[0]);
	if (strcmp(file, "-") == 0)
		return run_parse(context, options, kind, fd, "standard input");
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		out_say("%s: %s", file, strerror(errno));
		return STATUS_FAILED;
	}
	status = run_parse(context, options, kind, fd, file);
	close(fd);
	return status;
}

static const struct option own[] = {
	{"list", 'l', .help = "name the protocols"},
	{"json", 'j', .help = "with --list: as a JSON array; signals are JSON anyway"},
	{"source", 's', "NAME", "the source of signals whose bytes name none", "the protocol"},
	{"correlation", 0, "ID", "likewise their correlationId"},
	{"agent", 'a', "ID", "likewise their agentId: the model that was asked"},
	{"whole", 'w', .help = "all bytes are one event: an answer that is not streamed"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_common, NULL};

const struct command command_parse = {
	.name = "parse",
	.summary = "turn a back end's bytes into signals",
	.usage = "PROTOCOL [FILE] | --list",
	.examples =
		"  curl -sN https://HOST/v1/chat/completions -d @q.json | signalbox parse openai\n"
		"  claude -p --output-format stream-json 'hello' | signalbox parse claude-stream\n"
		"  signalbox parse --whole openai answer.json\n",
	.about = "Reads the file, or standard input, and prints one signal a line as the box\n"
		 "would see them. It needs no box. What is not as the protocol says is told on\n"
		 "standard error, and the end is then 1.\n",
	.groups = groups,
	.run = parse,
};
