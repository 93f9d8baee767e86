/* tail.c - `signalbox tail`: signals as they come, and none missed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <yyjson.h>

#include "base/must.h"
#include "cli/dial.h"
#include "cli/events.h"
#include "cli/pause.h"
#include "cli/show.h"
#include "cli/verbs.h"
#include "journal/position.h"

#define PATH_MAX_LEN (32 * KIB)
#define REFUSAL_MAX (64 * KIB)
#define STATUS_MS 10000
#define COLUMNS_UNKNOWN 160

struct tail {
	struct out *out;
	struct dial *dial;
	bool json;
	unsigned columns;
	uint64_t left; /* signals still wanted; UINT64_MAX: all */
	struct events events;
	struct buf refusal; /* the body of an answer that is no stream */
	bool has_met;       /* a box answered once, so it is worth waiting for */
	bool is_away;       /* the line is lost, and that was said */
	bool too_big;
};

/* ---- what is asked for ---- */

/* Everything but letters, digits and -._~* as %XX. */
static void add_escaped(struct buf *out, const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~*";

	for (; *value; value++) {
		if (strchr(plain, *value))
			buf_add_char(out, *value);
		else
			buf_print(out, "%%%02X", (unsigned char)*value);
	}
}

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
			buf_print(path, "&%s=", parameter);
			add_escaped(path, options->given[i].value);
		}
	}
}

/* Where the box is now, so that what comes while the line is broken before the
 * first signal is not missed either. */
static bool add_present(struct buf *path, struct dial *dial, struct error *why)
{
	const struct dial_request request = {
		.method = "GET", .path = "/api/status", .timeout_ms = STATUS_MS};
	struct buf body;
	yyjson_doc *doc;
	yyjson_val *root;

	if (!dial_ask(dial, &request, &body, why))
		return false;
	doc = yyjson_read(body.at, body.len, 0);
	root = yyjson_doc_get_root(doc);
	if (yyjson_is_str(yyjson_obj_get(root, "epoch"))) {
		add_escaped(path, yyjson_get_str(yyjson_obj_get(root, "epoch")));
		buf_print(path, "-%llu",
		          (unsigned long long)yyjson_get_uint(yyjson_obj_get(root, "seq")));
	}
	yyjson_doc_free(doc);
	buf_finish(&body);
	return true;
}

/* ---- what comes ---- */

static void say_gap(struct text data)
{
	yyjson_doc *doc = yyjson_read(data.at, data.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	const char *reason = yyjson_get_str(yyjson_obj_get(root, "why"));

	say("gap: signals %llu to %llu are missing (%s)",
	    (unsigned long long)yyjson_get_uint(yyjson_obj_get(root, "from")),
	    (unsigned long long)yyjson_get_uint(yyjson_obj_get(root, "to")), reason ? reason : "?");
	yyjson_doc_free(doc);
}

static bool take_event(void *self, const struct event *event)
{
	struct tail *tail = self;

	if (text_is(event->type, "gap")) {
		say_gap(event->data);
		return true;
	}
	if (tail->json) {
		out_add(tail->out, event->data);
		out_add(tail->out, TEXT("\n"));
	} else {
		show_signal(tail->out, event->data, tail->columns);
	}
	return tail->left == UINT64_MAX || --tail->left > 0;
}

static bool take_bytes(void *self, long status, struct text bytes)
{
	struct tail *tail = self;
	enum events_result result;

	if (status != 200)
		return buf_add(&tail->refusal, bytes);
	if (tail->is_away)
		say("the box is back");
	tail->is_away = false;
	result = events_feed(&tail->events, bytes, take_event, tail);
	tail->too_big = result == EVENTS_TOO_BIG;
	return out_flush(tail->out) && result == EVENTS_FINE;
}

static bool has_reader(void *self)
{
	struct tail *tail = self;

	return !out_is_deserted(tail->out);
}

/* ---- on and on ---- */

/* One connection.  True when it is worth coming back. */
static bool follow_once(struct tail *tail, const char *path, int *status)
{
	char *resume = tail->events.id[0] ? must_print("Last-Event-ID: %s", tail->events.id) : NULL;
	const struct dial_request request = {.method = "GET",
	                                     .path = path,
	                                     .field = resume,
	                                     .heard = take_bytes,
	                                     .goes_on = has_reader,
	                                     .self = tail};
	struct error why = {""};
	long code;
	enum dial_result result;

	events_restart(&tail->events);
	buf_clear(&tail->refusal);
	result = dial_run(tail->dial, &request, &code, &why);
	free(resume);
	*status = tail->too_big ? STATUS_FAILED : STATUS_DONE;
	if (tail->too_big)
		say("an event is longer than %zu MiB", EVENT_MAX / MIB);
	if (result == DIAL_ENOUGH)
		return false;
	tail->has_met = tail->has_met || code != 0;
	if (result == DIAL_ANSWERED && code >= 400 && code < 500)
		dial_refusal(code, buf_text(&tail->refusal), &why);
	else if (tail->has_met)
		return true;
	say("%s", why.words);
	*status = STATUS_FAILED;
	return false;
}

static int follow(struct tail *tail, const char *path)
{
	unsigned ms = PAUSE_FIRST_MS;
	int status;

	while (follow_once(tail, path, &status)) {
		if (!tail->is_away) {
			say("the box is away; trying again until it is back");
			ms = PAUSE_FIRST_MS;
		}
		tail->is_away = true;
		ms = pause_for(ms);
		if (!has_reader(tail))
			break;
	}
	return status;
}

static unsigned columns_of(const struct out *out)
{
	struct winsize size;

	if (ioctl(out->fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return COLUMNS_UNKNOWN;
}

static int tail_box(struct tail *tail, const struct options *options)
{
	const char *from = options_value(options, "from");
	struct buf path;
	struct error why;
	int status = STATUS_FAILED;

	buf_init(&path, PATH_MAX_LEN);
	buf_add(&path, TEXT("/api/stream?after="));
	if (from)
		add_escaped(&path, from);
	else
		tail->has_met = add_present(&path, tail->dial, &why);
	if (from || tail->has_met) {
		add_filters(&path, options);
		buf_add_char(&path, '\0');
		status = path.full ? command_misused(&command_tail, "too many filters")
		                   : follow(tail, path.at);
	} else {
		say("%s", why.words);
	}
	buf_finish(&path);
	return status;
}

static int tail(struct command_context *context, const struct options *options)
{
	const char *count = options_value(options, "count");
	const char *from = options_value(options, "from");
	struct position position;
	struct tail tail = {.out = &context->out,
	                    .json = options_has(options, "json"),
	                    .columns = columns_of(&context->out),
	                    .left = UINT64_MAX};
	int status;

	if (options->word_count > 0)
		return command_misused(&command_tail,
		                       "'%s' is too much; filters are --type, --source, "
		                       "--correlation",
		                       options->words[0]);
	if (count && (!text_to_u64(text_of(count), &tail.left) || tail.left == 0))
		return command_misused(&command_tail, "--count wants a number above 0");
	if (from && !position_parse(text_of(from), &position))
		return command_misused(&command_tail, "--from wants SEQ or EPOCH-SEQ, not '%s'",
		                       from);
	tail.dial = dial_create(&command_tail, context, options, &status);
	if (!tail.dial)
		return status;
	events_init(&tail.events);
	buf_init(&tail.refusal, REFUSAL_MAX);
	status = tail_box(&tail, options);
	buf_finish(&tail.refusal);
	events_finish(&tail.events);
	dial_destroy(tail.dial);
	return status;
}

static const struct option own[] = {
	{"type", 't', "TYPE", "only this type; may end in *; may be repeated"},
	{"source", 's', "NAME", "only from this source; may be repeated"},
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
		    "  signalbox tail --type 'tool_*' --type error\n"
		    "  signalbox tail --from 0 --json | jq .payload\n",
	.about = "Goes on until it is interrupted. There must be a box at the start; when it\n"
		 "goes away later it is waited for, and tail goes on exactly where it was; what\n"
		 "is missing in between, if anything, is said on standard error as a gap.\n",
	.groups = groups,
	.run = tail,
};
