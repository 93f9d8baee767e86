/* model.c - frames in; a fold, a log and the newest events out. */
#include "tui/model.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "tui/log.h"
#include "tui/style.h"

/* ---- the log ---- */

static void line_finish(struct line *line)
{
	free(line->tag);
	free(line->words);
	free(line->run);
	free(line->invoke);
	free(line->session);
	*line = (struct line){0};
}

/* What is too long for a name is cut: thousands of lines are kept. */
static struct text model_name_of(struct text name)
{
	return name.len > FOLD_NAME_MAX ? (struct text){name.at, FOLD_NAME_MAX} : name;
}

/* A NUL would end it here: it becomes a control that ends nothing, and is shown as one. */
static char *words_dup(struct text words)
{
	char *copy = text_dup(words);

	for (size_t i = 0; i < words.len; i++)
		if (copy[i] == '\0')
			copy[i] = '\1';
	return copy;
}

void model_add_line(struct model *model, const struct frame *frame, const struct log_line *entry)
{
	size_t at = (model->line_first + model->line_count) % MODEL_LINES_MAX;
	struct line *line = &model->lines[at];

	if (model->line_count == MODEL_LINES_MAX) {
		line_finish(line);
		model->line_first = (model->line_first + 1) % MODEL_LINES_MAX;
	} else {
		model->line_count++;
	}
	model->lines_ever++;
	*line = (struct line){
		.ts = frame->ts,
		.style = entry->style,
		.is_error = entry->is_error,
		.is_state = entry->is_state,
		.run = text_dup(model_run_of(model, frame)),
		.tag = text_dup(model_name_of(entry->tag)),
		.words = words_dup(entry->words),
		.invoke = text_dup(model_name_of(frame->invoke)),
		.session = text_dup(
			model_name_of(frame->subagent.len ? frame->subagent : frame->session)),
	};
	snprintf(line->glyph, sizeof(line->glyph), "%s", entry->glyph);
}

const struct line *model_line(const struct model *model, size_t at)
{
	return &model->lines[(model->line_first + at) % MODEL_LINES_MAX];
}

uint8_t model_hue(struct model *model, struct text invoke)
{
	void *known = map_get(&model->hues, model_name_of(invoke));
	uintptr_t hue = STYLE_HUE + model->hues.count % STYLE_HUES;

	if (known)
		return (uint8_t)(uintptr_t)known;
	if (model->hues.count < MODEL_HUES_MAX)
		map_set(&model->hues, model_name_of(invoke), (void *)hue);
	return (uint8_t)hue;
}

/* ---- the newest events ---- */

static void drop_event(struct model *model)
{
	struct kept_event *oldest = &model->events[model->event_first];

	free(oldest->raw);
	model->event_bytes -= oldest->len;
	model->event_first = (model->event_first + 1) % MODEL_EVENTS_MAX;
	assert(model->event_count > 0);
	model->event_count--;
}

static void keep_event(struct model *model, struct text raw)
{
	struct kept_event *kept;

	while (model->event_count > 0 && (model->event_count == MODEL_EVENTS_MAX ||
	                                  model->event_bytes + raw.len > MODEL_EVENTS_BYTES))
		drop_event(model);
	kept = &model->events[(model->event_first + model->event_count++) % MODEL_EVENTS_MAX];
	*kept = (struct kept_event){text_dup(raw), raw.len};
	model->event_bytes += raw.len;
}

struct text model_event(const struct model *model, size_t at)
{
	const struct kept_event *kept =
		&model->events[(model->event_first + at) % MODEL_EVENTS_MAX];

	return (struct text){kept->raw, kept->len};
}

/* ---- prompts ---- */

struct asked *model_asked(const struct model *model, struct text id)
{
	list_each(&model->prompts, l) {
		struct asked *asked = list_of(l, struct asked, in_model);

		if (text_is(id, asked->id))
			return asked;
	}
	return NULL;
}

static void forget_asked(struct model *model, struct asked *asked)
{
	list_remove(&asked->in_model);
	assert(model->prompt_count > 0);
	model->prompt_count--;
	yyjson_doc_free(asked->doc);
	free(asked->id);
	free(asked);
}

void model_unask(struct model *model, struct text id)
{
	struct asked *asked = model_asked(model, id);

	if (asked)
		forget_asked(model, asked);
}

static struct text prompt_id(const struct frame *frame)
{
	return json_text_at(frame->root, "prompt-id");
}

static void model_ask(struct model *model, const struct frame *frame)
{
	struct text id = prompt_id(frame);
	struct asked *asked;

	if (id.len == 0)
		return;
	model_unask(model, id);
	if (model->prompt_count == MODEL_PROMPTS_MAX)
		forget_asked(model, list_of(model->prompts.next, struct asked, in_model));
	asked = must_zero(1, sizeof(*asked));
	asked->id = text_dup(id);
	asked->number = ++model->asked_ever;
	asked->doc = yyjson_read(frame->raw.at, frame->raw.len,
	                         YYJSON_READ_NUMBER_AS_RAW | YYJSON_READ_ALLOW_INVALID_UNICODE);
	list_add(&model->prompts, &asked->in_model);
	assert(model->prompt_count < MODEL_PROMPTS_MAX);
	model->prompt_count++;
}

/* ---- runs ---- */

struct text model_run_of(const struct model *model, const struct frame *frame)
{
	struct text run = frame->run;

	if (!model->alone || model->alone[0])
		return text_of(model->alone);
	if (!run.len || run.len > FOLD_NAME_MAX || memchr(run.at, '\0', run.len))
		return TEXT("");
	return run;
}

static void forget_run(struct model *model, struct model_run *one)
{
	list_remove(&one->in_model);
	map_remove(&model->by_run, text_of(one->run));
	fold_finish(&one->fold);
	free(one->run);
	free(one);
}

static struct fold *fold_of(struct model *model, struct text run)
{
	struct model_run *one = map_get(&model->by_run, run);

	if (!one) {
		if (model->by_run.count == MODEL_RUNS_MAX)
			forget_run(model, list_of(model->runs.next, struct model_run, in_model));
		one = must_zero(1, sizeof(*one));
		one->run = text_dup(run);
		fold_init(&one->fold);
		map_set(&model->by_run, run, one);
		list_init(&one->in_model);
	}
	list_remove(&one->in_model);
	list_add(&model->runs, &one->in_model);
	return &one->fold;
}

const struct fold *model_fold(const struct model *model, struct text run)
{
	const struct model_run *one = map_get(&model->by_run, run);

	return one ? &one->fold : &model->none;
}

const struct fold *model_newest(const struct model *model)
{
	return list_is_empty(&model->runs)
	               ? &model->none
	               : &list_of(model->runs.prev, struct model_run, in_model)->fold;
}

/* ---- frames ---- */

/* Of a phase: the states are those that every agent may be in. */
static bool has_agents_states(yyjson_val *siblings)
{
	struct run_states all = {.array = siblings, .count = yyjson_arr_size(siblings)};
	struct run_states_walk walk = run_states_walk(&all);
	struct text name;

	if (all.count != RUN_AGENT_STATES)
		return false;
	for (size_t i = 0; run_states_next(&walk, &name); i++)
		if (!text_equal(name, run_agent_states[i]))
			return false;
	return true;
}

bool model_is_state(const struct model *model, const struct frame *frame)
{
	if (!model_run_of(model, frame).len)
		return false;
	if (frame->kind == FRAME_PHASE)
		return has_agents_states(yyjson_obj_get(frame->root, "siblings"));
	return text_is(frame->event, "runner/event-processed") &&
	       text_is(json_text_at(frame->data, "event-name"), "agent_state_change");
}

static void fold_frame(struct model *model, const struct frame *frame)
{
	struct run_event event;

	event_of_frame(&event, frame);
	if (frame->subagent.len) /* each of its invocations is one */
		event.session = frame->subagent;
	if (model_is_state(model, frame))
		event.kind = RUN_NOTED;
	fold_event(fold_of(model, model_run_of(model, frame)), &event);
}

bool model_hear(struct model *model, struct text raw, struct error *why)
{
	struct frame frame;

	if (!frame_read(&frame, &model->reader, raw, why))
		return false;
	fold_frame(model, &frame);
	switch (frame.kind) {
	case FRAME_EVENT:
		if (!text_is(frame.event, "llm/delta"))
			keep_event(model, raw);
		log_event(model, &frame);
		break;
	case FRAME_PROMPT:
		model_ask(model, &frame);
		break;
	case FRAME_PROMPT_CLOSED:
	case FRAME_ANSWER:
		model_unask(model, prompt_id(&frame));
		break;
	default:
		break;
	}
	return true;
}

void model_init(struct model *model)
{
	*model = (struct model){0};
	fold_init(&model->none);
	list_init(&model->runs);
	map_init(&model->by_run);
	json_reader_init(&model->reader, FRAME_MAX);
	map_init(&model->hues);
	list_init(&model->prompts);
}

void model_finish(struct model *model)
{
	fold_finish(&model->none);
	list_each(&model->runs, l)
		forget_run(model, list_of(l, struct model_run, in_model));
	map_finish(&model->by_run);
	json_reader_finish(&model->reader);
	map_finish(&model->hues);
	for (size_t i = 0; i < MODEL_LINES_MAX; i++)
		line_finish(&model->lines[i]);
	while (model->event_count > 0)
		drop_event(model);
	list_each(&model->prompts, l)
		forget_asked(model, list_of(l, struct asked, in_model));
}
