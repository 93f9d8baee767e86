/* stage.c - the stage, to the clients that follow it: all of it once, then each
 * command as it is played.
 *
 * It goes to each client's private buffer.  One that does not read is not sent one
 * command after the other: it gets all of the stage when it has caught up.  One that
 * says which version it has seen gets the commands after it, if they are remembered
 * and few; else all of the stage.  How the stage looks is written once a turn, for
 * everybody who has to see it.
 */
#include "base/put.h"
#include "native/inside.h"

#include <assert.h>

#include "signal/json.h"

static void begin_frame(struct buf *out, uint64_t version, double at_ms, const char *what)
{
	put_object(out, NULL);
	put_word(out, "op", "stage");
	put_u64(out, "version", version);
	put_key(out, "at");
	json_add_number(out, at_ms);
	put_key(out, what);
}

/* ---- all of it ---- */

static struct text look_at_stage(struct native *native)
{
	const struct native_stage *stage = &native->options.stage;
	struct native_moment now;
	struct buf all;

	if (native->look.len)
		return buf_text(&native->look);
	buf_init(&all, NATIVE_STAGE_MAX);
	now = stage->look(stage->self, &all);
	begin_frame(&native->look, now.version, now.at_ms, "snapshot");
	buf_add(&native->look, buf_text(&all));
	buf_add_char(&native->look, '}');
	native->look.full |= all.full;
	buf_finish(&all);
	return buf_text(&native->look);
}

/* It is true until another command is played, or time goes on. */
static void forget_look(struct native *native)
{
	native->look.full = false;
	buf_clear(&native->look);
}

void native_end_turn(void *of)
{
	struct native *native = of;

	if (!native->look.at)
		return;
	forget_look(native);
	buf_finish(&native->look);
}

void native_say_stage(struct native_view *view)
{
	struct native *native = native_of(view);
	struct text all = look_at_stage(native);

	view->owed_stage = false;
	if (!native->look.full) {
		client_say_frame(view->client, WS_OP_TEXT, all);
		return;
	}
	native_leave_stage(view);
	native_say_error(view->client, "too_big", "there is too much on the stage", TEXT(""));
}

/* ---- what came after a version ---- */

static void add_command(void *self, uint64_t version, double at_ms, struct text json)
{
	struct buf *frames = self, body;
	char head[WS_HEADER_MAX];

	buf_init(&body, CLIENT_SLOW_AT);
	begin_frame(&body, version, at_ms, "command");
	buf_add(&body, json);
	buf_add_char(&body, '}');
	buf_add(frames, (struct text){head, ws_header(head, WS_OP_TEXT, body.len)});
	buf_add(frames, buf_text(&body));
	frames->full |= body.full;
	buf_finish(&body);
}

/* False: they are not all remembered, or too many. */
static bool tell_since(struct native_view *view, uint64_t version)
{
	const struct native_stage *stage = &native_of(view)->options.stage;
	struct buf frames;
	bool known;

	buf_init(&frames, CLIENT_SLOW_AT);
	known = stage->since(stage->self, version, add_command, &frames) && !frames.full;
	if (known)
		client_say(view->client, buf_text(&frames));
	buf_finish(&frames);
	return known;
}

/* ---- following ---- */

void native_follow_stage(struct native_view *view, uint64_t version)
{
	native_leave_stage(view);
	list_add(&native_of(view)->followers, &view->in_followers);
	native_of(view)->follower_count++;
	client_make_room(view->client, 2 * NATIVE_STAGE_MAX);
	if (!version || !tell_since(view, version))
		native_say_stage(view);
}

void native_leave_stage(struct native_view *view)
{
	if (list_is_empty(&view->in_followers))
		return;
	list_remove(&view->in_followers);
	assert(native_of(view)->follower_count > 0);
	native_of(view)->follower_count--;
	view->owed_stage = false;
}

unsigned long native_followers(const struct native *native)
{
	return native->follower_count;
}

static void tell_command(struct native_view *view, struct text news)
{
	if (client_is_slow(view->client))
		view->owed_stage = true;
	if (!view->owed_stage)
		client_say_frame(view->client, WS_OP_TEXT, news);
}

void native_tell_command(struct native *native, const struct news *news)
{
	struct buf out;

	forget_look(native);
	if (list_is_empty(&native->followers))
		return;
	buf_init(&out, NATIVE_STAGE_MAX);
	begin_frame(&out, news->version, news->at_ms, "command");
	buf_add(&out, news->json);
	buf_add_char(&out, '}');
	list_each(&native->followers, l)
		tell_command(list_of(l, struct native_view, in_followers), buf_text(&out));
	buf_finish(&out);
}

/* At the end of the turn: until then more may change. */
void native_tell_stage(struct native *native)
{
	forget_look(native);
	list_each(&native->followers, l) {
		struct native_view *view = list_of(l, struct native_view, in_followers);

		view->owed_stage = true;
		client_work(view->client);
	}
}
