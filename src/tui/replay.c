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

struct replay {
	struct transcript transcript;
	enum tui_timing timing;
	struct tui *tui;
	uv_timer_t *timer;
	double last_ts;
	uint64_t heard;
};

bool tui_timing_of(struct text name, enum tui_timing *timing)
{
	static const char *const names[] = {
		[TUI_INSTANT] = "instant", [TUI_PACED] = "paced", [TUI_WALLCLOCK] = "wallclock"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (text_is(name, names[i])) {
			*timing = (enum tui_timing)i;
			return true;
		}
	}
	return false;
}

/* ---- frames in their time ---- */

static uint64_t pause_after(struct replay *replay)
{
	double ts = replay->tui->model.fold.last_ts;
	double pause = replay->last_ts > 0 ? ts - replay->last_ts : 0;

	replay->last_ts = ts;
	if (replay->timing == TUI_PACED)
		return PACE_MS;
	return pause < WALLCLOCK_MAX_MS ? (uint64_t)pause : WALLCLOCK_MAX_MS;
}

/* False at the end.  What is no frame is passed over: a recording may be cut anywhere. */
static bool hear_one(struct replay *replay)
{
	struct text line;

	if (!transcript_next(&replay->transcript, &line))
		return false;
	replay->heard += tui_hear(replay->tui, line, NULL);
	return true;
}

static void tick(uv_timer_t *timer)
{
	struct replay *replay = timer->data;
	int left = replay->timing == TUI_INSTANT ? AT_ONCE : 1;
	bool has_more = true;

	while (left-- > 0 && has_more)
		has_more = hear_one(replay);
	if (has_more)
		uv_timer_start(timer, tick,
		               left < 0 && replay->timing == TUI_INSTANT ? 0 : pause_after(replay),
		               0);
	else if (replay->heard == 0)
		tui_say(replay->tui, "there is no frame in this recording");
}

/* ---- as a feed ---- */

static void forget_timer(uv_handle_t *handle)
{
	free(handle);
}

static bool start(void *self, struct loop *loop, struct tui *tui, struct error *why)
{
	struct replay *replay = self;

	replay->tui = tui;
	tui->is_recording = true;
	tui->line.name = "recording";
	replay->timer = must_zero(1, sizeof(*replay->timer));
	replay->timer->data = replay;
	uv_timer_init(loop_uv(loop), replay->timer);
	uv_timer_start(replay->timer, tick, 0, 0);
	return true;
}

static void stop(void *self)
{
	struct replay *replay = self;

	uv_close((uv_handle_t *)replay->timer, forget_timer);
}

bool tui_replay(const char *path, enum tui_timing timing, struct error *why)
{
	struct replay replay = {.timing = timing};
	struct feed feed = {&replay, start, stop};
	bool shown = transcript_open(&replay.transcript, path, why) && feed_show(&feed, why);

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
		fold_json(&model->fold, out);
		buf_add(out, TEXT("}\n"));
		model_finish(model);
		free(model);
	}
	transcript_close(&transcript);
	return opened && !out->full;
}
