/* play.c - joins the pure rooms of a show. */
#include "play/play.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "choreo/binding.h"
#include "choreo/choreo.h"
#include "choreo/ease.h"
#include "stage/stage.h"
#include "wire/wire.h"

struct play {
	struct play_options options;
	struct stage *stage;
	struct wiring *wiring;
	struct choreo *choreo;
	struct bindings *bindings;
	double now_ms;
	/* While a signal is heard: its own type, and whether anybody took it up. */
	struct text type;
	bool is_taken;
};

/* ---- birth and death ---- */

static double step_curve(struct text easing, double t)
{
	return ease_step(ease_find(easing), t);
}

static double binding_curve(struct text easing, double t)
{
	return ease_binding(ease_find(easing), t);
}

static void pass_on(struct play *play, const struct command *command)
{
	stage_command(play->stage, command);
	play->options.command(play->options.self, command, stage_version(play->stage));
}

/* Who is to play the part is told first. */
static void take_command(void *self, const struct command *command)
{
	struct play *play = self;
	struct command cast;

	if (stage_casts(play->stage, command, &cast))
		pass_on(play, &cast);
	pass_on(play, command);
}

static bool join(struct play *play, const struct show *show, struct error *why)
{
	const struct choreo_options choreo = {play, take_command, play->options.frame_ms > 0};
	const struct bindings_options bindings = {play, take_command, play->stage};

	play->wiring = wiring_create(show->wires, show->choreographies, why);
	if (!play->wiring)
		return false;
	play->choreo = choreo_create(show->choreographies, &choreo, why);
	if (!play->choreo)
		return false;
	play->bindings = bindings_create(show, &bindings, why);
	return play->bindings;
}

struct play *play_create(const struct show *show, const struct play_options *options,
                         struct error *why)
{
	static const struct stage_curves curves = {step_curve, binding_curve};
	struct play *play = must_zero(1, sizeof(*play));

	play->options = *options;
	play->stage = stage_create(show, &curves);
	if (join(play, show, why))
		return play;
	play_destroy(play);
	return NULL;
}

void play_destroy(struct play *play)
{
	if (!play)
		return;
	bindings_destroy(play->bindings);
	choreo_destroy(play->choreo);
	wiring_destroy(play->wiring);
	stage_destroy(play->stage);
	free(play);
}

/* ---- time ---- */

double play_next(const struct play *play)
{
	double next = fmin(choreo_next(play->choreo), bindings_next(play->bindings));
	double frame = play->options.frame_ms;

	if (frame == 0 || isinf(next))
		return next;
	if (choreo_active(play->choreo)) /* every frame has its updates */
		return (floor(play->now_ms / frame) + 1) * frame;
	return fmax(ceil(next / frame), floor(play->now_ms / frame) + 1) * frame;
}

static void do_due(struct play *play, double now_ms)
{
	play->now_ms = fmax(play->now_ms, now_ms);
	choreo_tick(play->choreo, play->now_ms);
	bindings_tick(play->bindings, play->now_ms);
}

void play_tick(struct play *play, double now_ms)
{
	double due;

	while ((due = play_next(play)) <= now_ms)
		do_due(play, due);
	play->now_ms = fmax(play->now_ms, now_ms);
}

double play_end(struct play *play)
{
	double due;

	while (!isinf(due = play_next(play)))
		do_due(play, due);
	return play->now_ms;
}

/* ---- signals ---- */

bool play_wants(const struct play *play, struct text type)
{
	return wiring_wants(play->wiring, type);
}

static void hear(void *self, size_t index, const struct cue *heard)
{
	struct play *play = self;

	if (choreo_hear(play->choreo, index, heard, play->now_ms))
		play->is_taken = true;
	if (bindings_hear(play->bindings, index, heard, play->type, play->now_ms))
		play->is_taken = true;
}

bool play_signal(struct play *play, const struct cue *cue, double now_ms)
{
	play_tick(play, now_ms);
	if (!play_wants(play, cue->type))
		return false;
	play->type = cue->type;
	play->is_taken = false;
	wiring_route(play->wiring, cue, play->now_ms, hear, play);
	if (play->options.frame_ms == 0)
		do_due(play, play->now_ms);
	return play->is_taken;
}

/* ---- as it was ---- */

void play_reset(struct play *play, double now_ms)
{
	play->now_ms = fmax(play->now_ms, now_ms);
	choreo_reset(play->choreo);
	bindings_reset(play->bindings);
	stage_reset(play->stage);
}

void play_mark(struct play *play, double now_ms)
{
	play->now_ms = fmax(play->now_ms, now_ms);
	stage_mark(play->stage, play->now_ms);
}

/* ---- looking on ---- */

uint64_t play_version(const struct play *play)
{
	return stage_version(play->stage);
}

void play_set_version(struct play *play, uint64_t version)
{
	stage_set_version(play->stage, version);
}

struct listing {
	struct buf *out;
	bool has_any;
};

static void list_command(void *self, const struct command *command)
{
	struct listing *listing = self;

	if (listing->has_any)
		buf_add_char(listing->out, ',');
	listing->has_any = true;
	command_json(command, listing->out);
}

void play_look(const struct play *play, double now_ms, struct buf *out)
{
	struct listing listing = {out, false};

	stage_look(play->stage, now_ms, out);
	buf_add(out, TEXT(",\"tweens\":["));
	choreo_running(play->choreo, now_ms, list_command, &listing);
	buf_add_char(out, ']');
}

void play_counts(const struct play *play, struct buf *out)
{
	wiring_counts(play->wiring, out);
}

size_t play_active(const struct play *play)
{
	return choreo_active(play->choreo);
}

uint64_t play_refused(const struct play *play)
{
	return choreo_refused(play->choreo);
}
