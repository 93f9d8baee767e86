/* follow.c - one event stream after the other, each from where the last one broke. */
#include "cli/follow.h"

#include <stdlib.h>
#include <yyjson.h>

#include "base/must.h"
#include "cli/pause.h"

#define REFUSAL_MAX (64 * KIB)
#define STATUS_MS 10000

void follow_add_escaped(struct buf *path, struct text value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~*";

	for (size_t i = 0; i < value.len; i++) {
		if (value.at[i] && strchr(plain, value.at[i]))
			buf_add_char(path, value.at[i]);
		else
			buf_print(path, "%%%02X", (unsigned char)value.at[i]);
	}
}

bool follow_present(struct positions *at, struct remote *remote, struct error *why)
{
	const struct remote_request request = {
		.method = "GET", .path = "/api/status", .timeout_ms = STATUS_MS};
	struct position now = {.seq = 0};
	struct buf body;
	struct text epoch;
	yyjson_doc *doc;
	yyjson_val *root;
	bool good;

	if (!remote_ask(remote, &request, &body, why))
		return false;
	doc = yyjson_read(body.at, body.len, 0);
	root = yyjson_doc_get_root(doc);
	now.seq = yyjson_get_uint(yyjson_obj_get(root, "seq"));
	epoch = text_of(yyjson_get_str(yyjson_obj_get(root, "epoch")));
	good = position_is_epoch(epoch) || error_set(why, "the box did not send its position");
	if (good)
		memcpy(now.epoch, epoch.at, EPOCH_LEN);
	*at = (struct positions){.all = {now}, .count = 1};
	yyjson_doc_free(doc);
	buf_finish(&body);
	return good;
}

/* ---- what comes ---- */

static void say_gap(struct text data)
{
	yyjson_doc *doc = yyjson_read(data.at, data.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	const char *reason = yyjson_get_str(yyjson_obj_get(root, "why"));

	out_say("gap: signals %llu to %llu are missing (%s)",
	        (unsigned long long)yyjson_get_uint(yyjson_obj_get(root, "from")),
	        (unsigned long long)yyjson_get_uint(yyjson_obj_get(root, "to")),
	        reason ? reason : "?");
	yyjson_doc_free(doc);
}

static void take_event(void *self, const struct parse_event *event)
{
	struct follow *f = self;
	struct position now;

	if (f->is_enough || f->is_too_big)
		return;
	if (position_parse(buf_text(&f->events.id), &now))
		positions_step(&f->at, now);
	if (text_is(event->name, "gap"))
		say_gap(event->data);
	else
		f->is_enough = !f->heard(f->self, event->data);
}

static void take_too_long(void *self)
{
	((struct follow *)self)->is_too_big = true;
}

void follow_init(struct follow *f)
{
	sse_reader_init(&f->events, FOLLOW_EVENT_MAX);
	f->events.self = f;
	f->events.event = take_event;
	f->events.too_long = take_too_long;
	buf_init(&f->refusal, REFUSAL_MAX);
}

void follow_finish(struct follow *f)
{
	buf_finish(&f->refusal);
	sse_reader_finish(&f->events);
}

static bool take_bytes(void *self, long status, struct text bytes)
{
	struct follow *f = self;

	if (status != 200)
		return buf_add(&f->refusal, bytes);
	if (f->is_away)
		out_say("the box is back");
	f->is_away = false;
	sse_reader_feed(&f->events, bytes);
	return out_flush(f->out) && !f->is_enough && !f->is_too_big;
}

static bool goes_on(void *self)
{
	struct follow *f = self;

	return !out_is_deserted(f->out) && (!f->goes_on || f->goes_on(f->self));
}

/* ---- on and on ---- */

/* One connection.  True when it is worth coming back. */
static bool follow_once(struct follow *f, int *status)
{
	char positions[POSITIONS_ROOM];
	char *resume =
		must_print("Last-Event-ID: %.*s", TEXT_ARG(positions_print(&f->at, positions)));
	const struct remote_request request = {.method = "GET",
	                                       .path = f->path,
	                                       .field = resume,
	                                       .heard = take_bytes,
	                                       .goes_on = goes_on,
	                                       .self = f};
	struct error why = {""};
	long code;
	enum remote_result result;

	f->is_enough = f->is_too_big = false;
	sse_reader_restart(&f->events);
	buf_clear(&f->refusal);
	result = remote_run(f->remote, &request, &code, &why);
	free(resume);
	*status = f->is_too_big ? STATUS_FAILED : STATUS_DONE;
	if (f->is_too_big)
		out_say("an event is longer than %zu MiB", FOLLOW_EVENT_MAX / MIB);
	if (result == REMOTE_ENOUGH)
		return false;
	f->has_met = f->has_met || code != 0;
	if (result == REMOTE_ANSWERED && code >= 400 && code < 500)
		remote_refusal(code, buf_text(&f->refusal), &why);
	else if (f->has_met)
		return true;
	out_say("%s", why.words);
	*status = STATUS_FAILED;
	return false;
}

int follow_run(struct follow *f)
{
	unsigned ms = PAUSE_FIRST_MS;
	int status;

	while (follow_once(f, &status)) {
		if (!f->is_away) {
			out_say("the box is away; trying again until it is back");
			ms = PAUSE_FIRST_MS;
		}
		f->is_away = true;
		ms = pause_for(ms);
		if (!goes_on(f))
			break;
	}
	return status;
}
