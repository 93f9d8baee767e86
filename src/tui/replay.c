/* replay.c - a recording as a feed, at one of three paces. */
#include <stdlib.h>
#include <uv.h>

#include "base/must.h"
#include "tui/feed.h"
#include "tui/inside.h"
#include "tui/transcript.h"
#include "tui/tui.h"

#define PACE_MS 40
#define WALLCLOCK_MAX_MS 250
#define AT_ONCE 500 /* frames between two looks at the keyboard */

struct tui_replay {
	struct transcript transcript;
	enum tui_timing timing;
	struct tui *tui;
	uv_timer_t *timer; /* of the two that keep time */
	struct turn turn;  /* of the third */
	bool is_over;
	double last_ts;
	uint64_t heard;
};

/* Which of so many names it is; count: none. */
static size_t index_of(struct text name, const char *const *names, size_t count)
{
	size_t i = 0;

	while (i < count && !text_is(name, names[i]))
		i++;
	return i;
}

bool tui_background_of(struct text name, enum tui_background *background)
{
	static const char *const names[] = {
		[TUI_ASK] = "auto", [TUI_DARK] = "dark", [TUI_LIGHT] = "light"};
	size_t i = index_of(name, names, 3);

	*background = i < 3 ? (enum tui_background)i : TUI_ASK;
	return i < 3;
}

bool tui_timing_of(struct text name, enum tui_timing *timing)
{
	static const char *const names[] = {
		[TUI_INSTANT] = "instant", [TUI_PACED] = "paced", [TUI_WALLCLOCK] = "wallclock"};

	size_t i = index_of(name, names, 3);

	*timing = i < 3 ? (enum tui_timing)i : TUI_INSTANT;
	return i < 3;
}

/* ---- frames in their time ---- */

static uint64_t pause_after(struct tui_replay *replay)
{
	double ts = model_newest(&replay->tui->model)->last_ts;
	double pause = replay->last_ts > 0 ? ts - replay->last_ts : 0;

	replay->last_ts = ts;
	if (replay->timing == TUI_PACED)
		return PACE_MS;
	return pause < WALLCLOCK_MAX_MS ? (uint64_t)pause : WALLCLOCK_MAX_MS;
}

/* False at the end.  What is no frame is passed over: a recording may be cut anywhere. */
static bool hear_one(struct tui_replay *replay)
{
	struct text line;

	if (!transcript_next(&replay->transcript, &line))
		return false;
	replay->heard += tui_hear(replay->tui, line, NULL);
	return true;
}

static void say_if_empty(struct tui_replay *replay)
{
	if (replay->heard == 0)
		tui_say(replay->tui, "this recording has no frames");
}

static void replay_tick(uv_timer_t *timer)
{
	struct tui_replay *replay = timer->data;

	if (hear_one(replay))
		uv_timer_start(timer, replay_tick, pause_after(replay), 0);
	else
		say_if_empty(replay);
}

/* All at once is still a piece a turn, so that keys are heard in between. */
static bool hear_some(struct turn *turn)
{
	struct tui_replay *replay =
		(struct tui_replay *)((char *)turn - offsetof(struct tui_replay, turn));

	if (replay->is_over)
		return false;
	for (int i = 0; i < AT_ONCE && !replay->is_over; i++)
		replay->is_over = !hear_one(replay);
	if (replay->is_over)
		say_if_empty(replay);
	return !replay->is_over;
}

/* ---- as a feed ---- */

static void forget_timer(uv_handle_t *handle)
{
	free(handle);
}

static bool replay_start(void *self, struct loop *loop, struct tui *tui, struct error *why)
{
	struct tui_replay *replay = self;

	replay->tui = tui;
	tui->is_recording = true;
	tui->line.name = "recording";
	replay->timer = must_zero(1, sizeof(*replay->timer));
	replay->timer->data = replay;
	uv_timer_init(loop_uv(loop), replay->timer);
	replay->turn.end = hear_some;
	if (replay->timing == TUI_INSTANT)
		loop_add_turn(loop, &replay->turn);
	else
		uv_timer_start(replay->timer, replay_tick, 0, 0);
	return true;
}

static void replay_stop(void *self)
{
	struct tui_replay *replay = self;

	if (replay->timing == TUI_INSTANT)
		loop_remove_turn(&replay->turn);
	uv_close((uv_handle_t *)replay->timer, forget_timer);
}

bool tui_replay(const struct tui_recording *recording, struct error *why)
{
	struct tui_replay replay = {.timing = recording->timing};
	struct tui_feed feed = {&replay, replay_start, replay_stop, recording->background};
	bool shown =
		transcript_open(&replay.transcript, recording->path, why) && feed_show(&feed, why);

	transcript_close(&replay.transcript);
	return shown;
}

/* ---- without a screen ---- */

bool tui_replay_json(const char *path, struct buf *out, struct error *why)
{
	struct transcript transcript;
	struct model *model;
	struct text line;
	bool opened = transcript_open(&transcript, path, why);

	if (opened) {
		model = must_alloc(sizeof(*model));
		model_init(model);
		while (transcript_next(&transcript, &line))
			model_hear(model, line, NULL);
		buf_add_char(out, '{');
		fold_json(model_newest(model), out);
		buf_add(out, TEXT("}\n"));
		model_finish(model);
		free(model);
	}
	transcript_close(&transcript);
	return opened && !out->full;
}
