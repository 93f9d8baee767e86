/* log.c - an event as lines that a person reads; one function for each kind of line.
 *
 * Pieces of text that stream by, checkpoints and ticks have no line.  What is not known
 * has one too: its name and its data.
 */
#include "tui/log.h"

#include <stdio.h>

#include "base/utf8.h"
#include "tui/model.h"
#include "tui/settled.h"
#include "tui/style.h"

#define TAG_MAX 10
#define WORDS_MAX (2 * KIB)
#define TEXT_MAX 240   /* of what somebody said */
#define DETAIL_MAX 200 /* of arguments, results, errors */

struct log {
	struct model *model;
	const struct frame *frame;
	struct buf words;
};

/* ---- values ---- */

static void add_value(struct buf *out, yyjson_val *value);

static void add_array(struct buf *out, yyjson_val *array)
{
	size_t at, count;
	yyjson_val *one;

	buf_add_char(out, '[');
	yyjson_arr_foreach(array, at, count, one)
	{
		if (at)
			buf_add_char(out, ' ');
		add_value(out, one);
	}
	buf_add_char(out, ']');
}

static void log_add_object(struct buf *out, yyjson_val *object)
{
	size_t at, count;
	yyjson_val *key, *value;

	buf_add_char(out, '{');
	yyjson_obj_foreach(object, at, count, key, value)
	{
		buf_add(out, at ? TEXT(", :") : TEXT(":"));
		buf_add(out, json_text(key));
		buf_add_char(out, ' ');
		add_value(out, value);
	}
	buf_add_char(out, '}');
}

static void add_value(struct buf *out, yyjson_val *value)
{
	struct text words = json_text(value);

	if (out->full)
		return;
	if (yyjson_is_arr(value))
		add_array(out, value);
	else if (yyjson_is_obj(value))
		log_add_object(out, value);
	else if (!value || yyjson_is_null(value))
		buf_add(out, TEXT("nil"));
	else if (words.len > 0 && words.at[0] == ':')
		buf_add(out, words);
	else if (yyjson_is_str(value) && !buf_add_json(out, words))
		buf_add(out, (struct text){words.at, out->max - out->len});
	else if (!yyjson_is_str(value))
		json_add(out, value);
}

static void add_cut(struct buf *out, struct text t, size_t max)
{
	struct text start = utf8_cut(t, max);

	buf_add(out, start);
	if (start.len < t.len)
		buf_add(out, TEXT("…"));
}

void log_add_value(struct buf *out, yyjson_val *value, size_t max)
{
	struct buf whole;

	buf_init(&whole, max + 1);
	add_value(&whole, value);
	if (whole.full)
		buf_add(&whole, TEXT("…"));
	add_cut(out, buf_text(&whole), max);
	if (whole.full && whole.len <= max)
		buf_add(out, TEXT("…"));
	buf_finish(&whole);
}

/* ---- pieces of a line ---- */

static yyjson_val *of(const struct log *log, const char *key)
{
	return yyjson_obj_get(log->frame->data, key);
}

/* A string as it is, anything else as a value; nothing for nothing. */
static void add_plain(struct log *log, yyjson_val *value, size_t max)
{
	if (yyjson_is_str(value))
		add_cut(&log->words, json_text(value), max);
	else if (value && !yyjson_is_null(value))
		log_add_value(&log->words, value, max);
}

static void log_add_member(struct log *log, const char *before, const char *key)
{
	buf_add(&log->words, text_of(before));
	add_plain(log, of(log, key), DETAIL_MAX);
}

static struct text tag_of_invoke(struct text invoke)
{
	struct text tag = invoke;

	for (size_t i = 0; i + 1 < invoke.len; i++)
		if (invoke.at[i] == '/' || invoke.at[i] == '.')
			tag = (struct text){invoke.at + i + 1, invoke.len - i - 1};
	return tag;
}

/* A line in the colour of its invocation, or of the lane if it has none. */
static void log_end_line(struct log *log, const char *glyph, const char *lane, uint8_t style)
{
	struct text invoke = log->frame->invoke;
	struct log_line entry = {.glyph = glyph, .words = buf_text(&log->words)};

	if (lane || invoke.len == 0) {
		entry.tag = text_of(lane ? lane : "debug");
		entry.style = lane ? style : STYLE_DEBUG;
	} else {
		entry.tag = tag_of_invoke(invoke);
		entry.style = model_hue(log->model, invoke);
	}
	entry.is_error = style == STYLE_ERROR;
	entry.is_state = model_is_state(log->model, log->frame);
	model_add_line(log->model, log->frame, &entry);
	buf_clear(&log->words);
}

static void end_invoke(struct log *log, const char *glyph)
{
	log_end_line(log, glyph, NULL, STYLE_PLAIN);
}

static void end_debug(struct log *log, const char *glyph)
{
	log_end_line(log, glyph, "debug", STYLE_DEBUG);
}

static void end_error(struct log *log)
{
	log_end_line(log, "⚠", "error", STYLE_ERROR);
}

/* ---- the runner ---- */

static void log_started(struct log *log)
{
	log_add_member(log, "runner started session=", "session-id");
	log_add_member(log, " chart=", "chart-id");
	end_debug(log, "·");
}

static void log_start_config(struct log *log)
{
	log_add_member(log, "start config=", "config");
	log_end_line(log, "·", "chart", STYLE_CHART);
}

static void log_processed(struct log *log)
{
	log_add_member(log, "", "event-name");
	log_add_member(log, "  ", "config-before");
	log_add_member(log, " → ", "config-after");
	log_end_line(log, "·", "chart", STYLE_CHART);
}

static void log_done(struct log *log)
{
	log_add_member(log, "done final=", "final-config");
	end_debug(log, "·");
}

static void log_aborted(struct log *log)
{
	log_add_member(log, "aborted reason=", "reason");
	end_error(log);
}

static void log_runner_error(struct log *log)
{
	log_add_member(log, "ERROR ", of(log, "message") ? "message" : "reason");
	end_error(log);
}

/* ---- models ---- */

/* The session of an agent's own; that of a run that the box made is its run. */
static void log_start(struct log *log)
{
	struct text run = model_run_of(log->model, log->frame);

	if (run.len && text_equal(run, log->frame->session))
		buf_add(&log->words, TEXT("invocation start"));
	else
		log_add_member(log, "invocation start session=", "session-id");
	end_invoke(log, "·");
}

static void log_exit(struct log *log)
{
	log_add_member(log, "invocation exit reason=", "reason");
	end_invoke(log, "·");
}

/* A subagent that was told nothing has only its id. */
static void log_user_message(struct log *log)
{
	if (log->frame->subagent.len &&
	    text_equal(json_text(of(log, "text")), log->frame->subagent))
		return;
	add_plain(log, of(log, "text"), TEXT_MAX);
	end_invoke(log, "▸");
}

static void log_request(struct log *log)
{
	log_add_member(log, "req model=", "model");
	log_add_member(log, " n-messages=", "n-messages");
	end_invoke(log, "·");
}

static void log_block(struct log *log, yyjson_val *block)
{
	struct text type = json_text_at(block, "type");

	if (text_is(type, "text")) {
		add_plain(log, yyjson_obj_get(block, "text"), TEXT_MAX);
		end_invoke(log, "◂");
	} else if (text_is(type, "thinking")) {
		add_plain(log, yyjson_obj_get(block, "thinking"), TEXT_MAX);
		end_invoke(log, "…");
	} else if (text_is(type, "tool_use")) {
		add_plain(log, yyjson_obj_get(block, "name"), DETAIL_MAX);
		buf_add_char(&log->words, ' ');
		log_add_value(&log->words, yyjson_obj_get(block, "input"), DETAIL_MAX);
		end_invoke(log, "⚙");
	}
}

static void add_tokens(struct log *log)
{
	yyjson_val *usage = of(log, "usage");

	if (!usage)
		return;
	buf_add(&log->words, TEXT(" tokens=in:"));
	add_plain(log, yyjson_obj_get(usage, "input-tokens"), DETAIL_MAX);
	buf_add(&log->words, TEXT("/out:"));
	add_plain(log, yyjson_obj_get(usage, "output-tokens"), DETAIL_MAX);
}

/* Of a call that the box was told of nothing more is known. */
static bool is_made_of_call(const struct log *log)
{
	return model_run_of(log->model, log->frame).len && !of(log, "model") && !of(log, "usage") &&
	       text_is(json_text(of(log, "stop-reason")), "tool_use");
}

static void log_response(struct log *log)
{
	struct text stop = json_text(of(log, "stop-reason"));
	double number;
	size_t at, count;
	yyjson_val *block;

	yyjson_arr_foreach(of(log, "content"), at, count, block)
	{
		log_block(log, block);
	}
	if (is_made_of_call(log))
		return;
	log_add_member(log, "resp stop=", "stop-reason");
	log_add_member(log, " model=", "model");
	add_tokens(log);
	if (json_number(of(log, "output-tps"), &number))
		buf_print(&log->words, " %.1ft/s", number);
	if (json_number(of(log, "elapsed-ms"), &number))
		buf_print(&log->words, " %.0fms", number);
	end_invoke(log, text_is(stop, "end_turn") ? "✓" : "·");
}

static void log_tool_result(struct log *log)
{
	add_plain(log, of(log, "tool"), DETAIL_MAX);
	if (yyjson_get_bool(of(log, "is-error")))
		buf_add(&log->words, TEXT(" (ERROR)"));
	log_add_member(log, "  ", "content-preview");
	end_invoke(log, "↩");
}

static void log_context_warning(struct log *log)
{
	double used = 0;

	json_number(of(log, "used-frac"), &used);
	buf_print(&log->words, "context %.0f%%", used * 100);
	end_invoke(log, "⚠");
}

static void log_llm_error(struct log *log)
{
	log_add_member(log, "", "message");
	end_error(log);
}

static void log_model_down(struct log *log)
{
	log_add_member(log, "model-down ", "model");
	buf_add(&log->words, TEXT(" — "));
	add_plain(log, of(log, "message"), 120);
	log_end_line(log, "⚠", NULL, STYLE_ERROR);
}

static void log_policy_empty(struct log *log)
{
	log_add_member(log, "no model for policy=", "policy");
	log_end_line(log, "⚠", NULL, STYLE_ERROR);
}

/* ---- people and the debugger ---- */

static void log_human_start(struct log *log)
{
	log_add_member(log, "prompt kind=", "kind");
	if (of(log, "prompt"))
		log_add_member(log, " : ", "prompt");
	log_end_line(log, "?", "human", STYLE_HUMAN);
}

static void log_human_answer(struct log *log)
{
	log_add_member(log, "answer kind=", "kind");
	if (of(log, "answer"))
		log_add_member(log, " = ", "answer");
	log_end_line(log, "!", "human", STYLE_HUMAN);
}

static void log_human_cancelled(struct log *log)
{
	buf_add(&log->words, TEXT("cancelled"));
	log_end_line(log, "⚠", "human", STYLE_HUMAN);
}

static void log_human_settled(struct log *log)
{
	bool is_agents = !yyjson_is_obj(of(log, "by"));
	struct buf words;

	buf_init(&words, DETAIL_MAX);
	settled_add(&words, log->frame->data, false);
	add_cut(&log->words, buf_text(&words), DETAIL_MAX);
	buf_finish(&words);
	log_end_line(log, is_agents ? "⚠" : "✓", "human", STYLE_HUMAN);
}

static void log_human_error(struct log *log)
{
	log_add_member(log, "ERROR ", "message");
	log_end_line(log, "⚠", "human", STYLE_ERROR);
}

static void log_awaiting_quit(struct log *log)
{
	log_add_member(log, "awaiting quit ", "msg");
	end_debug(log, "·");
}

static void log_awaiting_step(struct log *log)
{
	log_add_member(log, "PAUSED on event=", "event-name");
	if (yyjson_get_bool(of(log, "external?")))
		buf_add(&log->words, TEXT(" (external)"));
	end_debug(log, "·");
}

static void log_other(struct log *log)
{
	add_cut(&log->words, log->frame->event, DETAIL_MAX);
	if (log->frame->data) {
		buf_add_char(&log->words, ' ');
		log_add_value(&log->words, log->frame->data, DETAIL_MAX);
	}
	end_invoke(log, "·");
}

static void log_nothing(struct log *log)
{
}

static const struct {
	const char *event;
	void (*lines)(struct log *log);
} table[] = {
	{"llm/delta", log_nothing},
	{"llm/start", log_start},
	{"llm/worker-exit", log_exit},
	{"llm/user-message", log_user_message},
	{"llm/request", log_request},
	{"llm/response", log_response},
	{"llm/tool-result", log_tool_result},
	{"llm/context-warning", log_context_warning},
	{"llm/error", log_llm_error},
	{"llm/model-down", log_model_down},
	{"llm/model-policy-empty", log_policy_empty},
	{"runner/started", log_started},
	{"runner/start-config", log_start_config},
	{"runner/event-processed", log_processed},
	{"runner/done", log_done},
	{"runner/aborted", log_aborted},
	{"runner/error", log_runner_error},
	{"runner/tick", log_nothing},
	{"checkpoint/written", log_nothing},
	{"human-input/start", log_human_start},
	{"human-input/answer", log_human_answer},
	{"human-input/cancelled", log_human_cancelled},
	{"human-input/settled", log_human_settled},
	{"human-input/error", log_human_error},
	{"debug/awaiting-quit", log_awaiting_quit},
	{"debug/awaiting-step", log_awaiting_step},
};

void log_event(struct model *model, const struct frame *frame)
{
	struct log log = {.model = model, .frame = frame};
	size_t i = 0;

	while (i < sizeof(table) / sizeof(*table) && !text_is(frame->event, table[i].event))
		i++;
	buf_init(&log.words, WORDS_MAX);
	if (i < sizeof(table) / sizeof(*table))
		table[i].lines(&log);
	else
		log_other(&log);
	buf_finish(&log.words);
}
