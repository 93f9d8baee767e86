/* native_stage.c - the stage, to the clients that follow it: all of it once, then each
 * command as it is played.
 *
 * It goes to each client's private buffer.  One that does not read is not sent one
 * command after the other: it gets all of the stage when it has caught up.  One that
 * says which version it has seen gets the commands after it, if they are remembered
 * and few; else all of the stage.  How the stage looks is written once a turn, for
 * everybody who has to see it.
 */
#include "hub/inside.h"
#include "hub/native.h"
#include "hub/person.h"
#include "hub/subscription.h"
#include "signal/json.h"

static void begin(struct buf *out, uint64_t version, double at_ms, const char *what)
{
	buf_add(out, TEXT("{\"op\":\"stage\",\"version\":"));
	buf_add_u64(out, version);
	buf_add(out, TEXT(",\"at\":"));
	json_add_number(out, at_ms);
	buf_print(out, ",\"%s\":", what);
}

/* ---- all of it ---- */

static struct text look(struct hub *hub)
{
	const struct hub_stage *stage = &hub->options.stage;
	struct hub_moment now;
	struct buf all;

	if (hub->look.len)
		return buf_text(&hub->look);
	buf_init(&all, HUB_STAGE_MAX);
	now = stage->look(stage->self, &all);
	begin(&hub->look, now.version, now.at_ms, "snapshot");
	buf_add(&hub->look, buf_text(&all));
	buf_add_char(&hub->look, '}');
	hub->look.full |= all.full;
	buf_finish(&all);
	return buf_text(&hub->look);
}

/* It is true until another command is played, or time goes on. */
static void forget_look(struct hub *hub)
{
	hub->look.full = false;
	buf_clear(&hub->look);
}

void native_end_turn(struct hub *hub)
{
	if (!hub->look.at)
		return;
	forget_look(hub);
	buf_finish(&hub->look);
}

void native_tell_stage(struct client *c)
{
	struct text all = look(c->hub);

	c->owed_stage = false;
	if (!c->hub->look.full) {
		client_say_frame(c, WS_OP_TEXT, all);
		return;
	}
	native_leave_stage(c);
	native_say_error(c, "too_big", "there is too much on the stage", TEXT(""));
}

/* ---- what came after a version ---- */

static void add_command(void *self, uint64_t version, double at_ms, struct text json)
{
	struct buf *frames = self, body;
	char head[WS_HEADER_MAX];

	buf_init(&body, HUB_HUSH_AT);
	begin(&body, version, at_ms, "command");
	buf_add(&body, json);
	buf_add_char(&body, '}');
	buf_add(frames, (struct text){head, ws_header(head, WS_OP_TEXT, body.len)});
	buf_add(frames, buf_text(&body));
	frames->full |= body.full;
	buf_finish(&body);
}

/* False: they are not all remembered, or too many. */
static bool tell_since(struct client *c, uint64_t version)
{
	const struct hub_stage *stage = &c->hub->options.stage;
	struct buf frames;
	bool known;

	buf_init(&frames, HUB_HUSH_AT);
	known = stage->since(stage->self, version, add_command, &frames) && !frames.full;
	if (known)
		client_say(c, buf_text(&frames));
	buf_finish(&frames);
	return known;
}

/* ---- following ---- */

void native_follow_stage(struct client *c, const struct subscription *wish)
{
	native_leave_stage(c);
	list_add(&c->hub->followers, &client_person(c)->in_followers);
	c->hub->counts.followers++;
	client_make_room(c);
	if (!wish->version || !tell_since(c, wish->version))
		native_tell_stage(c);
}

bool native_follows_stage(const struct client *c)
{
	return c->person && !list_is_empty(&c->person->in_followers);
}

void native_leave_stage(struct client *c)
{
	if (!native_follows_stage(c))
		return;
	list_remove(&c->person->in_followers);
	c->hub->counts.followers--;
	c->owed_stage = false;
}

static void tell_command(struct client *c, struct text news)
{
	if (c->mine.len - c->mine_sent > HUB_HUSH_AT)
		c->owed_stage = true;
	if (!c->owed_stage)
		client_say_frame(c, WS_OP_TEXT, news);
}

void hub_tell_command(struct hub *hub, uint64_t version, double at_ms, struct text json)
{
	struct buf news;

	forget_look(hub);
	if (list_is_empty(&hub->followers))
		return;
	buf_init(&news, HUB_STAGE_MAX);
	begin(&news, version, at_ms, "command");
	buf_add(&news, json);
	buf_add_char(&news, '}');
	list_each(&hub->followers, l)
		tell_command(list_of(l, struct person, in_followers)->client, buf_text(&news));
	buf_finish(&news);
}

/* At the end of the turn: until then more may change. */
void hub_tell_stage(struct hub *hub)
{
	forget_look(hub);
	list_each(&hub->followers, l) {
		struct client *c = list_of(l, struct person, in_followers)->client;

		c->owed_stage = true;
		hub_work(c);
	}
}
