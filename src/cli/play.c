/* play.c - joins the pure rooms of a show, as box.c does it for a running one. */
#include "cli/play.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "choreo/binding.h"
#include "choreo/choreo.h"
#include "choreo/ease.h"
#include "stage/stage.h"
#include "wire/wire.h"

/* The params come from one signal, which is smaller than this. */
#define COMMAND_MAX (16 * MIB)

struct play {
	struct play_options options;
	struct stage *stage;
	struct wiring *wiring;
	struct choreo *choreo;
	struct bindings *bindings;
	double now_ms;
	struct buf json;
	struct text type; /* of the signal that is being heard */
};

static double step_curve(struct text easing, double t)
{
	return ease_step(ease_find(easing), t);
}

static double binding_curve(struct text easing, double t)
{
	return ease_binding(ease_find(easing), t);
}

static void take_command(void *self, const struct command *command)
{
	struct play *play = self;

	stage_command(play->stage, command);
	buf_clear(&play->json);
	command_json(command, &play->json);
	play->options.command(play->options.self, buf_text(&play->json));
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
	buf_init(&play->json, COMMAND_MAX);
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
	buf_finish(&play->json);
	free(play);
}

/* When something is to be done: at once, or in the frame after it. */
static double next_due(const struct play *play)
{
	double next = fmin(choreo_next(play->choreo), bindings_next(play->bindings));
	double frame = play->options.frame_ms;

	if (frame == 0 || isinf(next))
		return next;
	if (choreo_active(play->choreo)) /* every frame has its updates */
		return (floor(play->now_ms / frame) + 1) * frame;
	return fmax(ceil(next / frame), floor(play->now_ms / frame) + 1) * frame;
}

static void tick(struct play *play, double now_ms)
{
	play->now_ms = now_ms;
	choreo_tick(play->choreo, now_ms);
	bindings_tick(play->bindings, now_ms);
}

static void hear(void *self, size_t index, const struct cue *heard)
{
	struct play *play = self;

	choreo_hear(play->choreo, index, heard, play->now_ms);
	bindings_hear(play->bindings, index, heard, play->type, play->now_ms);
}

void play_signal(struct play *play, const struct cue *cue, double now_ms)
{
	double due;

	while ((due = next_due(play)) <= now_ms)
		tick(play, due);
	play->now_ms = fmax(play->now_ms, now_ms);
	if (!wiring_wants(play->wiring, cue->type))
		return;
	play->type = cue->type;
	wiring_route(play->wiring, cue, play->now_ms, hear, play);
	if (play->options.frame_ms == 0)
		tick(play, play->now_ms);
}

double play_end(struct play *play)
{
	double due;

	while (!isinf(due = next_due(play)))
		tick(play, due);
	return play->now_ms;
}

void play_stage(const struct play *play, double now_ms, struct buf *out)
{
	stage_json(play->stage, now_ms, out);
}
