/* event.c - what frames of the run dialect say: the one place that maps them. */
#include "run/event.h"

const struct text run_agent_states[RUN_AGENT_STATES] = {
	{"idle", 4}, {"thinking", 8}, {"acting", 6}, {"waiting", 7}, {"done", 4}, {"error", 5},
};

/* ---- values ---- */

static double number_in(yyjson_val *object, const char *key)
{
	double number;

	return json_number(yyjson_obj_get(object, key), &number) && number > 0 ? number : 0;
}

/* Counts of others: what no count can be is none. */
static uint64_t count_in(yyjson_val *object, const char *key)
{
	double number = number_in(object, key);

	return number < 9e15 ? (uint64_t)number : 0;
}

static struct run_states states_in(yyjson_val *object, const char *key)
{
	yyjson_val *array = yyjson_obj_get(object, key);

	if (!yyjson_is_arr(array))
		return (struct run_states){0};
	return (struct run_states){.array = array, .count = yyjson_arr_size(array)};
}

/* ---- events ---- */

static void read_said(struct run_event *e, yyjson_val *data)
{
	e->text = json_text_at(data, "text");
	e->is_thought = text_is(json_text_at(data, "type"), "thinking-delta");
	e->pieces = count_in(data, "coalesced");
	e->output_tokens = count_in(yyjson_obj_get(data, "usage"), "output-tokens");
}

static void read_reply(struct run_event *e, yyjson_val *data)
{
	yyjson_val *usage = yyjson_obj_get(data, "usage");

	e->blocks = yyjson_obj_get(data, "content");
	e->input_tokens = count_in(usage, "input-tokens");
	e->output_tokens = count_in(usage, "output-tokens");
	e->tps = number_in(data, "output-tps");
	e->elapsed_ms = number_in(data, "elapsed-ms");
}

static void read_message(struct run_event *e, yyjson_val *data)
{
	e->text = json_text_at(data, "text");
}

static void read_returned(struct run_event *e, yyjson_val *data)
{
	e->tool = json_text_at(data, "tool");
	e->has_failed = yyjson_is_true(yyjson_obj_get(data, "is-error"));
	e->output = yyjson_obj_get(data, "content-preview");
}

static void read_error(struct run_event *e, yyjson_val *data)
{
	e->text = json_text_at(data, "message");
}

static void read_exit(struct run_event *e, yyjson_val *data)
{
	e->has_failed = text_is(json_text_at(data, "reason"), "error");
}

static void read_started(struct run_event *e, yyjson_val *data)
{
	e->chart = json_text_at(data, "chart-id");
}

static void read_config(struct run_event *e, yyjson_val *data)
{
	e->config = states_in(data, "config");
}

static void read_processed(struct run_event *e, yyjson_val *data)
{
	e->config = states_in(data, "config-after");
}

/* A text, or an array of them. */
static void read_end(struct run_event *e, yyjson_val *data)
{
	e->text = json_text_at(data, "final-config");
	e->config = states_in(data, "final-config");
}

static void read_nothing(struct run_event *e, yyjson_val *data)
{
}

static const struct {
	const char *name;
	enum run_event_kind kind;
	void (*read)(struct run_event *e, yyjson_val *data);
} events[] = {
	{"llm/delta", RUN_SAID, read_said},
	{"llm/start", RUN_BEGAN, read_nothing},
	{"llm/request", RUN_CALLED, read_nothing},
	{"llm/response", RUN_REPLIED, read_reply},
	{"llm/user-message", RUN_TOLD, read_message},
	{"llm/tool-result", RUN_RETURNED, read_returned},
	{"llm/error", RUN_FAILED, read_error},
	{"llm/model-down", RUN_FAILED, read_error},
	{"llm/worker-exit", RUN_LEFT, read_exit},
	{"human-input/start", RUN_ASKED, read_nothing},
	{"human-input/answer", RUN_ANSWERED, read_nothing},
	{"human-input/cancelled", RUN_CLOSED, read_nothing},
	{"human-input/settled", RUN_SETTLED, read_nothing},
	{"human-input/error", RUN_FAILED, read_error},
	{"runner/started", RUN_STARTED, read_started},
	{"runner/start-config", RUN_MOVED, read_config},
	{"runner/event-processed", RUN_MOVED, read_processed},
	{"runner/error", RUN_FAILED, read_error},
	{"runner/aborted", RUN_ENDED, read_end},
	{"runner/done", RUN_ENDED, read_end},
};

void event_of_name(struct run_event *e, struct text name, yyjson_val *data)
{
	e->is_counted = true;
	e->kind = RUN_NOTED;
	e->invoke = json_text_at(data, "invokeid");
	e->session = json_text_at(data, "session-id");
	e->model = json_text_at(data, "model");
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (text_is(name, events[i].name)) {
			e->kind = events[i].kind;
			events[i].read(e, data);
			return;
		}
	}
}

/* ---- other frames ---- */

static void read_phase(struct run_event *e, yyjson_val *root)
{
	e->kind = RUN_PHASE;
	e->config = states_in(root, "config");
	e->breadcrumb = states_in(root, "breadcrumb");
	e->siblings = states_in(root, "siblings");
}

static void read_debug(struct run_event *e, yyjson_val *root)
{
	e->kind = RUN_DEBUG;
	e->config = states_in(root, "config");
	e->debug = (struct run_debug){
		.is_paused = yyjson_get_bool(yyjson_obj_get(root, "paused")),
		.step_budget = count_in(root, "step-budget"),
		.mode = json_text_at(root, "mode"),
	};
}

static void read_control(struct run_event *e, yyjson_val *root)
{
	if (!text_is(json_text_at(root, "op"), "run-finished"))
		return;
	e->kind = RUN_ENDED;
	read_end(e, root);
}

void event_of_frame(struct run_event *e, const struct frame *frame)
{
	*e = (struct run_event){.kind = RUN_NOTED, .form = RUN_FRAMED, .ts = frame->ts};
	if (frame->kind == FRAME_EVENT)
		event_of_name(e, frame->event, frame->data);
	else if (frame->kind == FRAME_PHASE)
		read_phase(e, frame->root);
	else if (frame->kind == FRAME_DEBUG)
		read_debug(e, frame->root);
	else if (frame->kind == FRAME_CONTROL)
		read_control(e, frame->root);
}
