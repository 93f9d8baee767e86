/* live.c - a box as a feed: its runs by the run dialect, itself by the native one.
 *
 * Both are plain clients of the public interface.  When the box goes away it is waited
 * for, and the runs go on after the last event that came; what comes twice all the same
 * is passed over.  Signals go on by a position in each epoch.  When the box says that what
 * we saw of them is lost, as after a restored backup, the runs begin anew, too: their events
 * have bare numbers, which may mean others now.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "net/uplink.h"
#include "tui/feed.h"
#include "tui/inside.h"
#include "tui/tui.h"

#define STALE_MS 1000    /* within it a box that is back has told all open prompts */
#define SIGNALS_BACK 200 /* of the past, for who opens the view of signals */
#define NO_TYPE "\"-\""  /* that no signal has */
#define SUBSCRIBE_MAX (256 + POSITIONS_ROOM)
#define MESSAGE_MAX (16 * MIB) /* what is longer than FRAME_MAX is passed over, but read */

struct live {
	const struct tui_box *box;
	char *base, *session; /* session: NULL is all of them */
	struct loop *loop;
	struct tui *tui;
	struct uplink runs, native;
	struct json_reader reader;
	struct deadline stale;
	uint64_t seq; /* of the newest event */
	bool has_seq;
	bool is_catching_up; /* what is not newer than that came already */
	bool follows_signals;
};

/* ---- the runs ---- */

static void live_add_escaped(struct buf *out, struct text value)
{
	for (size_t i = 0; i < value.len; i++)
		buf_print(out, "%%%02X", (unsigned char)value.at[i]);
}

static void runs_path(void *self, struct buf *out)
{
	const struct live *live = self;

	buf_add(out, TEXT("/ws/run"));
	if (live->session) {
		buf_add(out, TEXT("?session="));
		live_add_escaped(out, text_of(live->session));
	}
	if (live->has_seq)
		buf_print(out, "%csince=%llu", live->session ? '&' : '?',
		          (unsigned long long)live->seq);
}

static void drop_stale(struct deadline *deadline)
{
	struct live *live = list_of(deadline, struct live, stale);
	struct model *model = &live->tui->model;

	list_each(&model->prompts, l) {
		struct asked *asked = list_of(l, struct asked, in_model);

		if (asked->is_stale)
			model_unask(model, text_of(asked->id));
	}
	tui_redraw(live->tui);
}

/* It tells all prompts that are open: the others were answered while we were away. */
static void runs_open(void *self)
{
	struct live *live = self;

	live->is_catching_up = true;
	list_each(&live->tui->model.prompts, l)
		list_of(l, struct asked, in_model)->is_stale = true;
	deadline_set(live->loop, &live->stale, STALE_MS);
	tui_redraw(live->tui);
}

static bool live_is_known(struct live *live, const struct frame *frame)
{
	if (frame->kind != FRAME_EVENT || !frame->has_seq)
		return false;
	if (live->is_catching_up && live->has_seq && frame->seq <= live->seq)
		return true;
	live->is_catching_up = false;
	live->has_seq = true;
	live->seq = frame->seq;
	return false;
}

/* What we sent was not taken: a question that is still open is asked again. */
static void hear_refused(struct live *live, const struct frame *frame)
{
	struct text id = json_text_at(frame->root, "prompt-id");
	struct text reason = json_text_at(frame->root, "reason");
	struct text words = json_text_at(frame->root, "message");
	struct asked *asked = id.len ? model_asked(&live->tui->model, id) : NULL;

	tui_say(live->tui, "refused: %.*s", TEXT_ARG(words.len ? words : reason));
	if (asked && (text_is(reason, "invalid_value") || text_is(reason, "forbidden") ||
	              text_is(reason, "open_page")))
		asked->is_sent = false;
	else if (asked)
		model_unask(&live->tui->model, id);
}

static void hear_gap(struct live *live, const struct frame *frame)
{
	double from = 0, to = 0;

	json_number(yyjson_obj_get(frame->root, "from"), &from);
	json_number(yyjson_obj_get(frame->root, "to"), &to);
	tui_say(live->tui, "events %.0f to %.0f are missing", from, to);
}

static void runs_text(void *self, struct text message)
{
	struct live *live = self;
	struct frame frame;
	struct text kind;

	if (!frame_read(&frame, &live->reader, message, NULL) || live_is_known(live, &frame))
		return;
	kind = json_text_at(frame.root, "kind");
	if (text_is(kind, "refused"))
		hear_refused(live, &frame);
	else if (text_is(kind, "which"))
		steer_hear(live->tui, frame.root);
	else if (text_is(kind, "gap"))
		hear_gap(live, &frame);
	else
		tui_hear(live->tui, message, NULL);
}

/* ---- the box itself ---- */

static void native_path(void *self, struct buf *out)
{
	buf_add(out, TEXT("/ws"));
}

/* Signals only while somebody looks at them. */
static void subscribe(struct live *live)
{
	char positions[POSITIONS_ROOM];
	struct buf words;

	buf_init(&words, SUBSCRIBE_MAX);
	put_object(&words, NULL);
	put_word(&words, "op", "subscribe");
	put_bool(&words, "prompts", true);
	put_bool(&words, "sourceState", true);
	put_bool(&words, "crew", true);
	put_bool(&words, "matters", true);
	put_word(&words, "slow", "drop");
	buf_add_char(&words, ',');
	if (live->follows_signals) {
		put_text(&words, "after", board_after(&live->tui->board, SIGNALS_BACK, positions));
		put_end(&words);
	} else
		buf_add(&words, TEXT("\"types\":[" NO_TYPE "]}"));
	uplink_send(&live->native, buf_text(&words));
	buf_finish(&words);
}

static void begin_anew(struct live *live)
{
	live->has_seq = false;
	tui_forget(live->tui);
	uplink_restart(&live->runs);
}

/* Views of runs are closed with what they show; that of signals is not one. */
static void live_lose(struct live *live)
{
	bool looks_at_signals = live->follows_signals;

	begin_anew(live);
	if (looks_at_signals)
		tui_open(live->tui, &view_signals, (struct text){0});
	tui_say(live->tui, "the box has lost what it told last: all runs are shown anew");
}

static void native_open(void *self)
{
	struct live *live = self;

	board_forget_askers(&live->tui->board);
}

static void native_text(void *self, struct text message)
{
	struct live *live = self;

	switch (board_hear(&live->tui->board, message)) {
	case BOARD_LOST:
		live_lose(live);
		break;
	case BOARD_HELLO:
		subscribe(live);
		break;
	case BOARD_CHANGED:
		tui_redraw(live->tui);
		break;
	case BOARD_NOTHING:
		break;
	}
}

static void closed(void *self)
{
	struct live *live = self;

	tui_redraw(live->tui);
}

/* ---- the line ---- */

static bool send_frame(void *self, struct text frame)
{
	struct live *live = self;

	if (uplink_send(&live->runs, frame))
		return true;
	tui_say(live->tui, "the box is away: that was not sent");
	return false;
}

static void say_state(void *self, struct buf *out)
{
	const struct live *live = self;
	const struct uplink *uplink = &live->runs;
	uint64_t now = loop_now_ms(live->loop);

	if (uplink->is_open)
		buf_add(out, TEXT(" · connected"));
	else if (uplink->client || uplink->again_ms <= now)
		buf_add(out, TEXT(" · connecting"));
	else
		buf_print(out, " · away, again in %llu s",
		          (unsigned long long)(uplink->again_ms - now + 999) / 1000);
}

/* The hello of a new connection says where the box is now. */
static void follow_signals(void *self, bool wanted)
{
	struct live *live = self;

	if (live->follows_signals == wanted)
		return;
	live->follows_signals = wanted;
	if (wanted)
		uplink_restart(&live->native);
	else
		subscribe(live);
}

static void live_watch(void *self, struct text session)
{
	struct live *live = self;

	free(live->session);
	live->session = session.len ? text_dup(session) : NULL;
	begin_anew(live);
}

/* ---- as a feed ---- */

static struct uplink_options options_of(struct live *live)
{
	return (struct uplink_options){
		.base = live->base,
		.sock = live->box->sock,
		.authorization = live->box->authorization,
		.self = live,
		.closed = closed,
	};
}

static bool live_start(void *self, struct loop *loop, struct tui *tui, struct error *why)
{
	struct live *live = self;
	struct uplink_options runs = options_of(live), native = runs;

	live->loop = loop;
	live->tui = tui;
	live->stale.fire = drop_stale;
	tui->line =
		(struct tui_line){live, send_frame, "box", say_state, follow_signals, live_watch};
	tui->line.is_shared = tui->begins_with_crew = !live->session;
	tui->is_silent = live->box->is_silent;
	if (live->session)
		snprintf(tui->watched, sizeof(tui->watched), "%s", live->session);
	tui->model.alone = tui->watched;
	runs.message_max = MESSAGE_MAX;
	runs.path = runs_path;
	runs.open = runs_open;
	runs.text = runs_text;
	uplink_init(&live->runs, loop, &runs);
	native.message_max = BOARD_MESSAGE_MAX;
	native.path = native_path;
	native.open = native_open;
	native.text = native_text;
	uplink_init(&live->native, loop, &native);
	return true;
}

static void live_stop(void *self)
{
	struct live *live = self;

	deadline_clear(&live->stale);
	uplink_finish(&live->runs);
	uplink_finish(&live->native);
	live->tui->line = (struct tui_line){0};
}

bool tui_watch(const struct tui_box *box, struct error *why)
{
	struct live live = {.box = box};
	struct tui_feed feed = {&live, live_start, live_stop, box->background};
	bool shown;

	live.base = must_print("ws%s", box->base + strlen("http"));
	live.session = box->session ? must_dup(box->session) : NULL;
	json_reader_init(&live.reader, FRAME_MAX);
	shown = feed_show(&feed, why);
	json_reader_finish(&live.reader);
	free(live.session);
	free(live.base);
	return shown;
}
