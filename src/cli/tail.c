/* tail.c - `signalbox tail`: signals as they come, and none missed. */
#include <stdlib.h>
#include <sys/ioctl.h>

#include "cli/command.h"
#include "cli/follow.h"
#include "cli/members.h"
#include "cli/names.h"
#include "cli/show.h"
#include "signal/json.h"

extern const struct command command_tail;

#define PATH_MAX_LEN (32 * KIB)
#define COLUMNS_UNKNOWN 160

struct tail {
	struct out *out;
	bool json;
	unsigned columns;
	struct names names;
	char *only;    /* the handle of the session that is wanted, or NULL */
	uint64_t left; /* signals still wanted; UINT64_MAX: all */
};

/* ---- what is asked for ---- */

/* The name of a filter's parameter; NULL for an option that is none. */
static const char *parameter_of(const struct option *option)
{
	if (strcmp(option->name, "type") == 0 || strcmp(option->name, "source") == 0)
		return option->name;
	return strcmp(option->name, "correlation") == 0 ? "correlationId" : NULL;
}

static void add_filters(struct buf *path, const struct options *options)
{
	for (size_t i = 0; i < options->given_count; i++) {
		const char *parameter = parameter_of(options->given[i].option);

		if (parameter) {
			buf_print(path, "%s=", parameter);
			follow_add_escaped(path, text_of(options->given[i].value));
			buf_add_char(path, '&');
		}
	}
}

/* A session goes on with further runs: whose a signal is, is asked of the box. */
static bool choose_session(struct tail *tail, struct remote *remote, const char *name)
{
	struct error why;

	if (!name)
		return true;
	tail->only = members_find(remote, name, &why);
	if (!tail->only)
		out_say("%s", why.words);
	return tail->only != NULL;
}

/* ---- what comes ---- */

static struct text name_of(void *self, struct text correlation)
{
	return names_of(self, correlation);
}

static bool is_wanted(struct tail *tail, struct text envelope)
{
	yyjson_doc *doc;
	bool is;

	if (!tail->only)
		return true;
	doc = yyjson_read(envelope.at, envelope.len, 0);
	is = names_is(&tail->names, json_text_at(yyjson_doc_get_root(doc), "correlationId"),
	              text_of(tail->only));
	yyjson_doc_free(doc);
	return is;
}

static bool print_signal(void *self, struct text envelope)
{
	struct tail *tail = self;

	if (!is_wanted(tail, envelope))
		return true;
	if (tail->json) {
		out_add(tail->out, envelope);
		out_add(tail->out, TEXT("\n"));
	} else {
		const struct show_names names = {&tail->names, name_of};

		show_signal(tail->out, envelope, tail->columns, &names);
	}
	return tail->left == UINT64_MAX || --tail->left > 0;
}

static unsigned columns_of(const struct out *out)
{
	struct winsize size;

	if (ioctl(out->fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return COLUMNS_UNKNOWN;
}

static int tail_box(struct tail *tail, struct remote *remote, const struct options *options)
{
	const char *from = options_value(options, "from");
	struct follow follow = {
		.remote = remote, .out = tail->out, .self = tail, .heard = print_signal};
	struct buf path;
	struct error why;
	int status = STATUS_FAILED;

	if (from && !positions_parse(text_of(from), &follow.at))
		return command_misused(&command_tail, "--from wants SEQ or EPOCH-SEQ, not '%s'",
		                       from);
	if (!choose_session(tail, remote, options_value(options, "run")))
		return status;
	if (!from && !follow_present(&follow.at, remote, &why)) {
		out_say("%s", why.words);
		return status;
	}
	follow.has_met = !from;
	buf_init(&path, PATH_MAX_LEN);
	buf_add(&path, TEXT("/api/stream?"));
	add_filters(&path, options);
	buf_add_char(&path, '\0');
	follow.path = path.at;
	follow_init(&follow);
	status = path.full ? command_misused(&command_tail, "too many filters")
	                   : follow_run(&follow);
	follow_finish(&follow);
	buf_finish(&path);
	return status;
}

/* Its names come by a line of their own, because signals keep the other one busy. */
static int tail_named(struct tail *tail, struct command_context *context,
                      const struct options *options)
{
	struct remote *remote, *asked;
	int status;

	remote = remote_create(&command_tail, context, options, &status);
	asked = remote ? remote_create(&command_tail, context, options, &status) : NULL;
	if (asked) {
		names_init(&tail->names, asked);
		status = tail_box(tail, remote, options);
		free(tail->only);
		names_finish(&tail->names);
	}
	remote_destroy(asked);
	remote_destroy(remote);
	return status;
}

static int tail(struct command_context *context, const struct options *options)
{
	const char *count = options_value(options, "count");
	struct tail tail = {.out = &context->out,
	                    .json = options_has(options, "json"),
	                    .columns = columns_of(&context->out),
	                    .left = UINT64_MAX};

	if (options->word_count > 0)
		return command_misused(&command_tail,
		                       "unexpected argument '%s'; filters are --type, --source, "
		                       "--run, --correlation",
		                       options->words[0]);
	if (count && (!text_to_u64(text_of(count), &tail.left) || tail.left == 0))
		return command_misused(&command_tail, "--count wants a number above 0");
	if (options_has(options, "run") && options_has(options, "correlation"))
		return command_misused(&command_tail, "--run or --correlation, not both");
	return tail_named(&tail, context, options);
}

static const struct option own[] = {
	{"type", 't', "TYPE", "only this type; may end in *; may be repeated"},
	{"source", 's', "NAME", "only from this source; may be repeated"},
	{"run", 'r', "RUN", "only this session, by its handle or its id"},
	{"correlation", 0, "ID", "only what belongs to this"},
	{"from", 'f', "POS", "begin after this SEQ or EPOCH-SEQ; 0: everything", "only new"},
	{"count", 'n', "N", "end after this many"},
	{"json", 'j', .help = "whole envelopes, one a line"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_tail = {
	.name = "tail",
	.summary = "show signals as they come",
	.usage = "[OPTIONS]",
	.examples = "  signalbox tail\n"
		    "  signalbox tail --run checkout-2\n"
		    "  signalbox tail --type 'tool_*' --type error\n"
		    "  signalbox tail --from 0 --json | jq .payload\n",
	.about = "Goes on until it is interrupted. There must be a box at the start; when it\n"
		 "goes away later it is waited for, and tail goes on exactly where it was; what\n"
		 "is missing in between, if anything, is said on standard error as a gap. Who\n"
		 "sent a signal is shown as the handle of its session, else as its source.\n",
	.groups = groups,
	.run = tail,
};
