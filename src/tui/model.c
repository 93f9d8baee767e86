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
		.tag = text_dup(model_name_of(entry->tag)),
		.words = words_dup(entry->words),
		.invoke = text_dup(model_name_of(frame->invoke)),
		.session = text_dup(model_name_of(frame->session)),
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

/* ---- frames ---- */

bool model_hear(struct model *model, struct text raw, struct error *why)
{
	struct run_event event;
	struct frame frame;

	if (!frame_read(&frame, &model->reader, raw, why))
		return false;
	event_of_frame(&event, &frame);
	fold_event(&model->fold, &event);
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
	fold_init(&model->fold);
	json_reader_init(&model->reader, FRAME_MAX);
	map_init(&model->hues);
	list_init(&model->prompts);
}

void model_finish(struct model *model)
{
	fold_finish(&model->fold);
	json_reader_finish(&model->reader);
	map_finish(&model->hues);
	for (size_t i = 0; i < MODEL_LINES_MAX; i++)
		line_finish(&model->lines[i]);
	while (model->event_count > 0)
		drop_event(model);
	list_each(&model->prompts, l)
		forget_asked(model, list_of(l, struct asked, in_model));
}
