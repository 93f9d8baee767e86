/* inspect.c - the pages of the inspector: chart, status, artifacts, help. */
#include "tui/inspect.h"

#include <stdio.h>
#include <time.h>

#include "crew/words.h"
#include "tui/crew.h"
#include "tui/log.h"
#include "tui/named.h"

#define LINE_MAX_BYTES (4 * KIB)
#define VALUE_MAX 400

static void add_clock(struct buf *out, double ms)
{
	time_t seconds = (time_t)(ms / 1000);
	char clock[16] = "--:--:--";
	struct tm tm;

	if (ms > 0 && localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	buf_print(out, "%s  ", clock);
}

static void add_plain(struct buf *out, yyjson_val *value)
{
	if (yyjson_is_str(value))
		buf_add(out, json_text(value));
	else
		log_add_value(out, value, VALUE_MAX);
}

/* The session that an event is of, by its name; else nothing, or the name of its invocation. */
static void add_whose(struct buf *out, const struct tui *tui, const struct frame *frame)
{
	struct invoked of = {model_run_of(&tui->model, frame), frame->invoke,
	                     frame->subagent.len ? frame->subagent : frame->session};
	struct named who = named_find(&tui->board.sessions, &of);
	size_t before = out->len;

	if (who.member)
		named_add(out, &who);
	else
		buf_add(out, frame->invoke);
	if (out->len > before)
		buf_add(out, TEXT("  "));
}

/* ---- chart ---- */

void inspect_chart_event(struct paper *paper, const struct tui *tui, const struct frame *frame)
{
	struct buf line;

	if (!text_is(frame->event, "runner/event-processed") &&
	    !text_is(frame->event, "runner/start-config"))
		return;
	buf_init(&line, LINE_MAX_BYTES);
	add_clock(&line, frame->ts);
	add_whose(&line, tui, frame);
	if (text_is(frame->event, "runner/start-config")) {
		buf_add(&line, TEXT("start  → "));
		log_add_value(&line, yyjson_obj_get(frame->data, "config"), VALUE_MAX);
	} else {
		add_plain(&line, yyjson_obj_get(frame->data, "event-name"));
		buf_add(&line, TEXT("  "));
		log_add_value(&line, yyjson_obj_get(frame->data, "config-before"), VALUE_MAX);
		buf_add(&line, TEXT(" → "));
		log_add_value(&line, yyjson_obj_get(frame->data, "config-after"), VALUE_MAX);
	}
	paper_add(paper, STYLE_PLAIN, buf_text(&line));
	buf_finish(&line);
}

static bool is_current(const struct fold *fold, const char *state)
{
	for (size_t i = 0; i < fold->config.count; i++)
		if (strcmp(fold->config.at[i], state) == 0)
			return true;
	return false;
}

/* The path to where it is, each state below the one that holds it. */
static int draw_path(struct area area, const struct states *path)
{
	int row = 0;

	for (size_t i = 0; i < path->count; i++, row++) {
		struct pen pen = pen_at(area, row, 1, STYLE_PHASE_DONE);

		pen_repeat(&pen, TEXT(" "), 2 * (int)i);
		pen.style = i + 1 < path->count ? STYLE_PHASE_DONE : STYLE_PHASE;
		pen_put(&pen, i + 1 < path->count ? TEXT("▾ ") : TEXT("◉ "));
		pen_put(&pen, text_of(path->at[i]));
	}
	return row;
}

int inspect_states(struct area area, const struct fold *fold)
{
	int row = draw_path(area, fold->breadcrumb.count ? &fold->breadcrumb : &fold->config);

	for (size_t i = 0; i < fold->siblings.count && row < area.rows / 2; i++) {
		struct pen pen = pen_at(area, row, 1, STYLE_PHASE_NEXT);

		if (is_current(fold, fold->siblings.at[i]))
			continue;
		pen_repeat(&pen, TEXT(" "), 2 * (int)fold->breadcrumb.count - 2);
		pen_put(&pen, TEXT("○ "));
		pen_put(&pen, text_of(fold->siblings.at[i]));
		row++;
	}
	return row + 1;
}

/* ---- artifacts ---- */

static void add_artifact(struct paper *paper, const struct tui *tui, const struct frame *frame,
                         yyjson_val *where)
{
	struct buf line;

	if (!yyjson_is_str(where))
		return;
	buf_init(&line, LINE_MAX_BYTES);
	add_clock(&line, frame->ts);
	buf_print(&line, "%-18.*s ", TEXT_ARG(frame->event));
	add_whose(&line, tui, frame);
	buf_add(&line, json_text(where));
	paper_add(paper, STYLE_PLAIN, buf_text(&line));
	buf_finish(&line);
}

void inspect_artifact_event(struct paper *paper, const struct tui *tui, const struct frame *frame)
{
	yyjson_val *inner = yyjson_obj_get(frame->data, "event-data");

	add_artifact(paper, tui, frame, yyjson_obj_get(frame->data, "io/ref"));
	add_artifact(paper, tui, frame, yyjson_obj_get(inner, "output-ref"));
	if (text_starts(frame->event, TEXT("artifact")))
		add_artifact(paper, tui, frame, yyjson_obj_get(frame->data, "path"));
}

/* ---- status ---- */

static void inspect_add_states(struct paper *paper, const char *name, const struct states *states)
{
	struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	buf_print(&line, "%-14s", name);
	for (size_t i = 0; i < states->count; i++)
		buf_print(&line, "%s%s", i ? " " : "", states->at[i]);
	paper_add(paper, STYLE_PLAIN, buf_text(&line));
	buf_finish(&line);
}

static void inspect_add_word(struct paper *paper, const char *name, const char *word)
{
	paper_print(paper, STYLE_PLAIN, "%-14s%s", name, word ? word : "-");
}

static void add_debug(struct paper *paper, const struct fold_debug *debug)
{
	if (!debug->is_known)
		inspect_add_word(paper, "debug", "off");
	else
		paper_print(paper, STYLE_PLAIN, "%-14s%s · step-budget %llu · mode %s", "debug",
		            debug->paused ? "paused" : "running",
		            (unsigned long long)debug->step_budget,
		            debug->mode ? debug->mode : "-");
}

static void add_figure(struct paper *paper, const char *name,
                       void (*say)(struct buf *out, yyjson_val *member), yyjson_val *member)
{
	struct buf words;

	buf_init(&words, LINE_MAX_BYTES);
	say(&words, member);
	if (words.len)
		paper_print(paper, STYLE_PLAIN, "%-14s%.*s", name, TEXT_ARG(buf_text(&words)));
	buf_finish(&words);
}

/* A session as the crew has it. */
static void add_session(struct paper *paper, const struct tui *tui, yyjson_val *member)
{
	static const char *const names[] = {"title", "agent", "model", "project", "branch", "mode"};
	yyjson_val *state = yyjson_obj_get(member, "state");
	struct buf words;

	paper_print(paper, STYLE_PLAIN, "%-14s%.*s", "session",
	            TEXT_ARG(json_text_at(member, "handle")));
	buf_init(&words, LINE_MAX_BYTES);
	words_state(&words, state);
	buf_add(&words, TEXT("  "));
	words_clock(&words, state, (double)tui->now_ms);
	paper_print(paper, STYLE_PLAIN, "%-14s%.*s", "state", TEXT_ARG(buf_text(&words)));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (json_text_at(member, names[i]).len)
			paper_print(paper, STYLE_PLAIN, "%-14s%.*s", names[i],
			            TEXT_ARG(json_text_at(member, names[i])));
	buf_finish(&words);
	add_figure(paper, "plan", words_plan, member);
	add_figure(paper, "tokens", words_tokens, member);
	add_figure(paper, "cost", words_cost, member);
}

/* Where its chart is; of a session that has one. */
static void add_chart(struct paper *paper, const struct fold *fold)
{
	inspect_add_word(paper, "chart", fold->chart);
	inspect_add_states(paper, "config", &fold->config);
	inspect_add_states(paper, "breadcrumb", &fold->breadcrumb);
	inspect_add_states(paper, "siblings", &fold->siblings);
	add_debug(paper, &fold->debug);
}

static void add_run(struct paper *paper, const struct fold *fold)
{
	struct fold_totals totals = fold_totals(fold);

	inspect_add_word(paper, "session", fold->session);
	add_chart(paper, fold);
	inspect_add_word(paper, "finished", fold->finished ? "yes" : "no");
	inspect_add_word(paper, "final", fold->final_config);
	paper_print(paper, STYLE_PLAIN, "%-14s%zu, %zu at work, %.1f t/s", "invocations",
	            totals.invocations, totals.live, totals.tps);
	paper_print(paper, STYLE_PLAIN, "%-14sin %llu, out %llu", "tokens",
	            (unsigned long long)fold->input_tokens,
	            (unsigned long long)fold->output_tokens);
}

void inspect_status(struct paper *paper, struct tui *tui)
{
	const struct fold *fold = tui_fold(tui);
	yyjson_val *member = tui_subject(tui);
	struct buf state;

	if (!member)
		add_run(paper, fold);
	else
		add_session(paper, tui, member);
	if (member && fold->config.count > 0)
		add_chart(paper, fold);
	paper_print(paper, STYLE_PLAIN, "%-14s%llu, %llu errors", "events",
	            (unsigned long long)fold->events, (unsigned long long)fold->errors);
	paper_print(paper, STYLE_PLAIN, "%-14s%zu open", "prompts", tui->model.prompt_count);
	paper_print(paper, STYLE_PLAIN, "%-14s%zu", "sources", tui->board.source_count);
	buf_init(&state, KIB);
	if (tui->line.state)
		tui->line.state(tui->line.self, &state);
	paper_print(paper, STYLE_PLAIN, "%-14s%s%.*s", "line",
	            tui->line.name ? tui->line.name : "-", TEXT_ARG(buf_text(&state)));
	buf_finish(&state);
}

/* ---- help ---- */

static void print_key(char words[16], uint32_t code)
{
	if (code == PRESS_TAB)
		snprintf(words, 16, "Tab");
	else if (code == PRESS_ESCAPE)
		snprintf(words, 16, "Esc");
	else if (code && code < ' ')
		snprintf(words, 16, "Ctrl-%c", (char)(code + '@'));
	else if (code)
		snprintf(words, 16, "%c", (char)code);
	else
		words[0] = '\0';
}

void inspect_help(struct paper *paper)
{
	char key[16];

	paper_head(paper, STYLE_TITLE, TEXT(" key     command       what it does"));
	for (size_t t = 0; actions[t]; t++) {
		for (const struct action *action = actions[t]; action->run; action++) {
			if (!action->help)
				continue;
			print_key(key, action->code);
			paper_print(paper, STYLE_PLAIN, "%-7s :%-12s %s", key, action->word,
			            action->help);
		}
	}
	paper_head(paper, STYLE_TITLE, TEXT(" in panes and lists"));
	paper_add(paper, STYLE_PLAIN,
	          TEXT("j k ↑ ↓  move or scroll       g G Home End  to the ends\n"
	               "PgUp PgDn  by pages           Enter  open what is chosen\n"
	               "y Y  copy the last reply, or all of it, by the terminal's clipboard\n"
	               "h Backspace  back             Esc  close"));
	paper_head(paper, STYLE_TITLE, TEXT(" a question"));
	paper_add(paper, STYLE_PLAIN,
	          TEXT("text: Enter answers   one: j k Enter   several: Space Enter\n"
	               "yes or no: y n, Enter is a no if that is the default\n"
	               "PgDn PgUp  read all of it, before which nothing is allowed\n"
	               "Esc Tab  leave it open, and back; all other keys do what they always do\n"
	               "Ctrl-X twice  tell the agent that nobody will answer"));
}
