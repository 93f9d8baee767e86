/* performance.c - going through the sequences of a score.
 *
 * A cursor stands on a step until that is over, and then on the next, in the same
 * turn.  What it waits for is a time, and the earliest of these is when the
 * performance is due: before, there is nothing to look at.
 */
#include "choreo/performance.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "base/put.h"
#include "signal/json.h"

/* --- birth ----------------------------------------------------------------------- */

/* The text's address is left open until the words have theirs. */
static struct value performance_read_value(yyjson_val *value, struct buf *words)
{
	struct value v = {VALUE_NONE, {NULL, 0}};
	size_t was = words->len;

	if (!value)
		return v;
	v.kind = yyjson_is_str(value) ? VALUE_STRING : VALUE_JSON;
	if (v.kind == VALUE_STRING)
		buf_add(words, json_text(value));
	else
		json_add(words, value);
	v.text.len = words->len - was;
	return v;
}

static size_t head_size(const struct score *score)
{
	return sizeof(struct performance) + score->slots * sizeof(struct step_cursor);
}

/* What a performance keeps: the words lie one after the other, first of the values. */
struct kept_words {
	struct value values[SCORE_PATHS_MAX];
	size_t correlation, source; /* their lengths */
	struct buf *words;
};

static struct performance *assemble(const struct score *score, const struct kept_words *kept,
                                    size_t max)
{
	size_t values_size = score->path_count * sizeof(kept->values[0]);
	size_t bytes = head_size(score) + values_size + kept->words->len;
	struct performance *p;
	char *at;

	if (kept->words->full || bytes > max)
		return NULL;
	p = must_zero(1, bytes);
	p->score = score;
	p->steps = &score->steps;
	p->bytes = bytes;
	p->values = (struct value *)((char *)p + head_size(score));
	at = (char *)(p->values + score->path_count);
	if (kept->words->len)
		memcpy(at, kept->words->at, kept->words->len);
	for (size_t i = 0; i < score->path_count; i++) {
		p->values[i] = kept->values[i];
		p->values[i].text.at = at;
		at += kept->values[i].text.len;
	}
	p->correlation = (struct text){at, kept->correlation};
	p->source = (struct text){at + kept->correlation, kept->source};
	list_init(&p->in_choreo);
	list_init(&p->in_episode);
	assert(at + kept->correlation + kept->source == (char *)p + bytes);
	return p;
}

struct performance *performance_create(const struct score *score, const struct cue *cue,
                                       struct buf *words, size_t max)
{
	struct kept_words kept;

	assert(score->path_count <= SCORE_PATHS_MAX);
	buf_clear(words);
	kept.words = words;
	kept.correlation = cue->correlation.len;
	kept.source = cue->source.len;
	for (size_t i = 0; i < score->path_count; i++)
		kept.values[i] = performance_read_value(cue_at(cue, score->paths[i]), words);
	buf_add(words, cue->correlation);
	buf_add(words, cue->source);
	return assemble(score, &kept, max);
}

void performance_destroy(struct performance *p)
{
	free(p);
}

bool performance_turn(struct performance *p)
{
	p->steps = &p->score->interrupted;
	memset(p->cursors, 0, p->score->slots * sizeof(p->cursors[0]));
	return p->steps->count > 0;
}

/* --- commands -------------------------------------------------------------------- */

static struct text performance_entity_of(const struct performance *p, const struct step *step)
{
	const struct value *v;

	if (step->entity_path == PATH_NONE)
		return step->entity;
	assert((size_t)step->entity_path < p->score->path_count);
	v = &p->values[step->entity_path];
	return v->kind == VALUE_STRING ? v->text : TEXT("");
}

static void performance_add_value(const struct value *v, struct buf *out)
{
	if (v->kind == VALUE_STRING)
		buf_add_json(out, v->text);
	else
		buf_add(out, v->text);
}

/* What the signal does not have is left out, and so is what there is no room for. */
static void add_param(const struct performance *p, const struct param *param, struct buf *out)
{
	const struct value *v = param->path == PATH_NONE ? NULL : &p->values[param->path];
	size_t was = out->len;

	assert(param->path == PATH_NONE || (size_t)param->path < p->score->path_count);
	if (v && v->kind == VALUE_NONE)
		return;
	if (was > 1)
		buf_add_char(out, ',');
	buf_add(out, param->json);
	if (v)
		performance_add_value(v, out);
	if (out->full || out->len == out->max) {
		out->len = was;
		out->full = false;
	}
}

static struct text params_of(const struct performance *p, const struct step *step, struct buf *out)
{
	buf_clear(out);
	buf_add_char(out, '{');
	for (size_t i = 0; i < step->param_count; i++)
		add_param(p, &step->params[i], out);
	buf_add_char(out, '}');
	return buf_text(out);
}

static struct stage_command command_of(const struct performance *p, const struct step *step,
                                       enum command_kind kind, const struct performance_play *play)
{
	return (struct stage_command){
		.kind = kind,
		.at_ms = play->now_ms,
		.performance = p->id,
		.action = step->action,
		.entity = performance_entity_of(p, step),
		.by_signal = step->entity_path != PATH_NONE,
		.params = params_of(p, step, play->params),
		.duration = step->duration_ms,
		.easing = step->easing,
		.correlation = p->correlation,
		.source = p->source,
	};
}

static void performance_say(const struct performance *p, const struct step *step,
                            enum command_kind kind, const struct performance_play *play)
{
	struct stage_command command = command_of(p, step, kind, play);

	play->command(play->self, &command);
}

static void say_progress(const struct performance *p, const struct step *step,
                         enum command_kind kind, const struct performance_play *play,
                         double elapsed)
{
	struct stage_command command = command_of(p, step, kind, play);

	command.elapsed = elapsed;
	command.progress = ease_step(step->ease, fmin(elapsed / step->duration_ms, 1));
	play->command(play->self, &command);
}

/* --- playing --------------------------------------------------------------------- */

static bool play_sequence(struct performance *p, const struct sequence *sequence,
                          const struct performance_play *play);

/* Whether that time has come; if not, it is one to come back at. */
static bool reached(struct performance *p, const struct performance_play *play, double at_ms)
{
	if (play->now_ms >= at_ms)
		return true;
	p->due_ms = fmin(p->due_ms, at_ms);
	return false;
}

static void begin_lanes(struct performance *p, const struct step *step)
{
	for (size_t i = 0; i < step->lane_count; i++)
		p->cursors[step->lanes[i].slot] = (struct step_cursor){0};
}

static bool play_lanes(struct performance *p, const struct step *step,
                       const struct performance_play *play)
{
	bool over = true;

	for (size_t i = 0; i < step->lane_count; i++)
		if (!play_sequence(p, &step->lanes[i], play))
			over = false;
	return over;
}

static void performance_begin(struct performance *p, const struct step *step,
                              const struct performance_play *play)
{
	if (step->kind == STEP_TIMED)
		performance_say(p, step, COMMAND_START, play);
	else if (step->kind == STEP_INSTANT)
		performance_say(p, step, COMMAND_EXECUTE, play);
	else if (step->kind == STEP_PARALLEL)
		begin_lanes(p, step);
}

/* True when the step is over.  since_ms: when it began. */
static bool performance_go_on(struct performance *p, const struct step *step,
                              const struct performance_play *play, double since_ms)
{
	if (step->kind == STEP_INSTANT)
		return true;
	if (step->kind == STEP_PARALLEL)
		return play_lanes(p, step, play);
	if (reached(p, play, since_ms + step->duration_ms)) {
		if (step->kind == STEP_TIMED)
			performance_say(p, step, COMMAND_COMPLETE, play);
		return true;
	}
	if (step->kind == STEP_TIMED && play->updates)
		say_progress(p, step, COMMAND_UPDATE, play, play->now_ms - since_ms);
	return false;
}

static bool play_step(struct performance *p, const struct step *step, struct step_cursor *c,
                      const struct performance_play *play)
{
	if (c->phase == CURSOR_FRESH) {
		c->phase = CURSOR_DELAYED;
		c->since_ms = play->now_ms;
	}
	if (c->phase == CURSOR_DELAYED) {
		if (!reached(p, play, c->since_ms + step->delay_ms))
			return false;
		c->phase = CURSOR_PLAYING;
		c->since_ms = play->now_ms;
		performance_begin(p, step, play);
	}
	return performance_go_on(p, step, play, c->since_ms);
}

static bool play_sequence(struct performance *p, const struct sequence *sequence,
                          const struct performance_play *play)
{
	struct step_cursor *c = &p->cursors[sequence->slot];

	for (; c->at < sequence->count; c->at++, c->phase = CURSOR_FRESH)
		if (!play_step(p, &sequence->steps[c->at], c, play))
			return false;
	return true;
}

bool performance_play(struct performance *p, const struct performance_play *play)
{
	p->due_ms = INFINITY;
	return play_sequence(p, p->steps, play);
}

/* --- looking on ------------------------------------------------------------------ */

static void tell_sequence(const struct performance *p, const struct sequence *sequence,
                          const struct performance_play *play)
{
	const struct step_cursor *c = &p->cursors[sequence->slot];
	const struct step *step;

	if (c->at == sequence->count || c->phase != CURSOR_PLAYING)
		return;
	step = &sequence->steps[c->at];
	for (size_t i = 0; i < step->lane_count; i++)
		tell_sequence(p, &step->lanes[i], play);
	if (step->kind == STEP_TIMED)
		say_progress(p, step, COMMAND_START, play, play->now_ms - c->since_ms);
}

void performance_running(const struct performance *p, const struct performance_play *play)
{
	tell_sequence(p, p->steps, play);
}

/* --- remembering ----------------------------------------------------------------- */

/* A string is one, anything else is alone in a list, and what there was not is null. */
static void save_value(const struct value *v, struct buf *out)
{
	if (v->kind == VALUE_STRING) {
		buf_add_json(out, v->text);
	} else if (v->kind == VALUE_JSON) {
		buf_add_char(out, '[');
		buf_add(out, v->text);
		buf_add_char(out, ']');
	} else {
		buf_add(out, TEXT("null"));
	}
}

static void save_cursor(const struct step_cursor *c, struct buf *out)
{
	buf_add_char(out, '[');
	buf_add_u64(out, c->at);
	buf_add_char(out, ',');
	buf_add_u64(out, c->phase);
	buf_add_char(out, ',');
	json_add_number(out, c->since_ms);
	buf_add_char(out, ']');
}

void performance_save(const struct performance *p, struct buf *out)
{
	bool is_turned = p->steps == &p->score->interrupted;

	put_bool(out, "turned", is_turned);
	put_key(out, "due");
	json_add_number(out, p->due_ms);
	put_text(out, "correlation", p->correlation);
	put_text(out, "source", p->source);
	put_list(out, "values");
	for (size_t i = 0; i < p->score->path_count; i++) {
		if (i)
			buf_add_char(out, ',');
		save_value(&p->values[i], out);
	}
	put_list_end(out);
	put_list(out, "cursors");
	for (size_t i = 0; i < p->score->slots; i++) {
		if (i)
			buf_add_char(out, ',');
		save_cursor(&p->cursors[i], out);
	}
	buf_add_char(out, ']');
}

static struct value load_value(yyjson_val *saved, struct buf *words)
{
	return performance_read_value(yyjson_is_arr(saved)   ? yyjson_arr_get_first(saved)
	                              : yyjson_is_str(saved) ? saved
	                                                     : NULL,
	                              words);
}

static bool load_cursor(struct step_cursor *c, yyjson_val *saved)
{
	uint64_t phase = yyjson_get_uint(yyjson_arr_get(saved, 1));

	c->at = yyjson_get_uint(yyjson_arr_get(saved, 0));
	c->phase = phase;
	return phase <= CURSOR_PLAYING && json_number(yyjson_arr_get(saved, 2), &c->since_ms);
}

/* Does every cursor stand within its sequence? */
static bool performance_fits(const struct performance *p, const struct sequence *sequence)
{
	if (p->cursors[sequence->slot].at > sequence->count)
		return false;
	for (size_t i = 0; i < sequence->count; i++)
		for (size_t j = 0; j < sequence->steps[i].lane_count; j++)
			if (!performance_fits(p, &sequence->steps[i].lanes[j]))
				return false;
	return true;
}

static bool load_place(struct performance *p, yyjson_val *saved)
{
	yyjson_val *cursors = yyjson_obj_get(saved, "cursors"), *one;
	bool good = yyjson_arr_size(cursors) == p->score->slots &&
	            json_number(yyjson_obj_get(saved, "due"), &p->due_ms);
	size_t i, max;

	if (yyjson_is_true(yyjson_obj_get(saved, "turned")))
		p->steps = &p->score->interrupted;
	yyjson_arr_foreach(cursors, i, max, one)
	{
		good = good && load_cursor(&p->cursors[i], one);
	}
	return good && performance_fits(p, p->steps);
}

struct performance *performance_load(const struct score *score, yyjson_val *saved,
                                     struct buf *words, size_t max)
{
	struct text correlation = json_text_at(saved, "correlation");
	struct text source = json_text_at(saved, "source");
	yyjson_val *values = yyjson_obj_get(saved, "values");
	struct performance *p;
	struct kept_words kept;

	if (yyjson_arr_size(values) != score->path_count)
		return NULL;
	buf_clear(words);
	kept.words = words;
	kept.correlation = correlation.len;
	kept.source = source.len;
	for (size_t i = 0; i < score->path_count; i++)
		kept.values[i] = load_value(yyjson_arr_get(values, i), words);
	buf_add(words, correlation);
	buf_add(words, source);
	p = assemble(score, &kept, max);
	if (p && load_place(p, saved))
		return p;
	performance_destroy(p);
	return NULL;
}
