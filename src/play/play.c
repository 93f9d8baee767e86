/* play.c - joins the pure rooms of a show. */
#include "play/play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "choreo/binding.h"
#include "choreo/choreo.h"
#include "choreo/ease.h"
#include "play/offstage.h"
#include "signal/json.h"
#include "stage/stage.h"
#include "wire/wire.h"

#define FROM_MAX KIB /* two numbers */

struct play {
	const struct show *show;
	struct play_options options;
	struct stage *stage;
	struct wiring *wiring;
	struct choreo *choreo;
	struct bindings *bindings;
	struct offstage offstage;
	size_t told; /* how many of them there are */
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

static void pass_on(struct play *play, const struct stage_command *command, bool is_missed)
{
	stage_command(play->stage, command);
	offstage_command(&play->offstage, command, is_missed);
	play->options.command(play->options.self, command, stage_version(play->stage));
}

static void tell_offstage(struct play *play, double now_ms)
{
	size_t count = offstage_count(&play->offstage, now_ms);
	char params[32];

	if (count == play->told)
		return;
	play->told = count;
	snprintf(params, sizeof(params), "{\"count\":%zu}", count);
	pass_on(play,
	        &(struct stage_command){.kind = COMMAND_EXECUTE,
	                                .at_ms = now_ms,
	                                .performance = COMMAND_OF_BINDING,
	                                .action = TEXT("offstage"),
	                                .params = text_of(params)},
	        false);
}

/* Who is to play the part is told first. */
static void take_command(void *self, const struct stage_command *command)
{
	struct play *play = self;
	struct text state = offstage_state(&play->offstage, command->entity);
	struct stage_command cast;
	enum casting casting = stage_casts(play->stage, command, state, &cast);

	if (casting == STAGE_CASTS)
		pass_on(play, &cast, false);
	pass_on(play, command, casting == STAGE_MISSES);
	tell_offstage(play, command->at_ms);
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

	play->show = show;
	play->options = *options;
	play->stage = stage_create(show, &curves);
	offstage_init(&play->offstage);
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
	offstage_finish(&play->offstage);
	free(play);
}

/* ---- time ---- */

/* The frame that follows this time.  The number of a frame times its length may be a little
 * less than the time that it was made from: time must go on all the same. */
static double frame_after(double frame, double now_ms)
{
	double next = (floor(now_ms / frame) + 1) * frame;

	if (next <= now_ms)
		next = (floor(now_ms / frame) + 2) * frame;
	return fmax(next, nextafter(now_ms, INFINITY));
}

double play_next(const struct play *play)
{
	double next = fmin(choreo_next(play->choreo), bindings_next(play->bindings));
	double frame = play->options.frame_ms;

	next = fmin(next, offstage_next(&play->offstage, play->now_ms));
	if (frame == 0 || isinf(next))
		return next;
	if (choreo_active(play->choreo)) /* every frame has its updates */
		return frame_after(frame, play->now_ms);
	return fmax(ceil(next / frame) * frame, frame_after(frame, play->now_ms));
}

static void do_due(struct play *play, double now_ms)
{
	play->now_ms = fmax(play->now_ms, now_ms);
	choreo_tick(play->choreo, play->now_ms);
	bindings_tick(play->bindings, play->now_ms);
	tell_offstage(play, play->now_ms);
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

static void hear_cue(void *self, size_t index, const struct cue *heard)
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
	wiring_route(play->wiring, cue, play->now_ms, hear_cue, play);
	if (play->options.frame_ms == 0)
		do_due(play, play->now_ms);
	return play->is_taken;
}

/* ---- as it was ---- */

void play_reset(struct play *play, double now_ms)
{
	play->now_ms = fmax(play->now_ms, now_ms);
	wiring_reset(play->wiring);
	choreo_reset(play->choreo);
	bindings_reset(play->bindings);
	stage_reset(play->stage);
	offstage_clear(&play->offstage);
	play->told = 0;
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
	struct stage *stage;
	struct buf *out, from;
	bool has_any;
};

/* An entity may have begun anew, in another document: then it is at rest, whatever a
 * performance still has to tell of it. */
static void list_command(void *self, const struct stage_command *command)
{
	struct listing *listing = self;
	struct stage_command under_way = *command;

	if (!stage_plays(listing->stage, command, &listing->from))
		return;
	under_way.from = buf_text(&listing->from);
	if (listing->has_any)
		buf_add_char(listing->out, ',');
	listing->has_any = true;
	command_json(&under_way, listing->out);
}

void play_look(const struct play *play, double now_ms, struct buf *out)
{
	struct listing listing = {.stage = play->stage, .out = out};

	buf_init(&listing.from, FROM_MAX);
	stage_look(play->stage, now_ms, out);
	put_list(out, "tweens");
	choreo_running(play->choreo, now_ms, list_command, &listing);
	bindings_running(play->bindings, now_ms, list_command, &listing);
	buf_add_char(out, ']');
	buf_finish(&listing.from);
}

size_t play_offstage(const struct play *play, double now_ms)
{
	return offstage_count(&play->offstage, now_ms);
}

void play_counts(const struct play *play, struct buf *out)
{
	wiring_counts(play->wiring, out);
}

void play_each_wire(const struct play *play,
                    void (*each)(void *self, struct text id, uint64_t passed, uint64_t dropped),
                    void *self)
{
	wiring_each(play->wiring, each, self);
}

size_t play_active(const struct play *play)
{
	return choreo_active(play->choreo);
}

uint64_t play_refused(const struct play *play)
{
	return choreo_refused(play->choreo);
}

/* ---- remembering ---- */

/* The lists of a document whose items are known again. */
enum { WIRES, CHOREOGRAPHIES, BINDINGS, ENTITIES, LISTS };
static const char *const list_names[LISTS] = {"wires", "choreographies", "bindings", "entities"};

static yyjson_val *list_of_show(const struct show *show, int list)
{
	return yyjson_obj_get(list == ENTITIES ? show->scene : show->root, list_names[list]);
}

static void save_head(const struct play *play, struct buf *out)
{
	put_object(out, NULL);
	put_u64(out, "version", play_version(play));
	put_key(out, "now");
	json_add_number(out, play->now_ms);
	put_list(out, "signs");
	for (int list = 0; list < LISTS; list++) {
		if (list)
			buf_add_char(out, ',');
		places_sign(list_of_show(play->show, list), out);
	}
	put_list_end(out);
	put_key(out, "wiring");
	wiring_save(play->wiring, out);
	put_key(out, "stage");
}

static void save_rest(const struct play *play, struct buf *out)
{
	put_key(out, "bindings");
	bindings_save(play->bindings, out);
	put_key(out, "offstage");
	offstage_save(&play->offstage, out);
	buf_add_char(out, '}');
}

bool play_save_more(const struct play *play, struct play_saving *at, struct buf *out)
{
	switch (at->part) {
	case PLAY_HEAD:
		save_head(play, out);
		at->part = PLAY_STAGE;
		return true;
	case PLAY_STAGE:
		if (stage_save_some(play->stage, &at->actor, out))
			return true;
		put_key(out, "choreo");
		at->part = PLAY_CHOREO;
		return true;
	case PLAY_CHOREO:
		if (!choreo_save_some(play->choreo, &at->performance, out))
			at->part = PLAY_REST;
		return true;
	case PLAY_REST:
		save_rest(play, out);
		break;
	}
	return false;
}

void play_save(const struct play *play, struct buf *out)
{
	struct play_saving at = {PLAY_HEAD};

	while (play_save_more(play, &at, out))
		;
}

static void lose_performance(void *self, uint64_t performance)
{
	struct play *play = self;

	stage_lose(play->stage, performance, play->now_ms);
}

static void lose_binding(void *self, struct text actor, struct text property)
{
	struct play *play = self;

	stage_lose_property(play->stage, actor, property, play->now_ms);
}

static bool load_lists(struct play *play, yyjson_val *root, const struct places places[LISTS])
{
	if (!json_number(yyjson_obj_get(root, "now"), &play->now_ms) ||
	    !stage_load(play->stage, yyjson_obj_get(root, "stage"), &places[ENTITIES]) ||
	    !choreo_load(play->choreo, yyjson_obj_get(root, "choreo"), &places[CHOREOGRAPHIES],
	                 lose_performance, play))
		return false;
	wiring_load(play->wiring, yyjson_obj_get(root, "wiring"), &places[WIRES]);
	bindings_load(play->bindings, yyjson_obj_get(root, "bindings"), &places[BINDINGS],
	              lose_binding, play);
	offstage_load(&play->offstage, yyjson_obj_get(root, "offstage"), play->stage);
	play->told = offstage_count(&play->offstage, play->now_ms);
	play_set_version(play, yyjson_get_uint(yyjson_obj_get(root, "version")));
	return true;
}

bool play_load(struct play *play, yyjson_val *saved)
{
	yyjson_val *signs = yyjson_obj_get(saved, "signs");
	struct places places[LISTS];
	bool good;

	for (int list = 0; list < LISTS; list++)
		places_init(&places[list], yyjson_arr_get(signs, (size_t)list),
		            list_of_show(play->show, list));
	good = load_lists(play, saved, places);
	for (int list = 0; list < LISTS; list++)
		places_finish(&places[list]);
	return good;
}
