/* view_prompt.c - the modal: what an agent asks, and how it is answered.
 *
 * Text, a choice of one, a choice of several, yes or no.  The oldest open prompt stands
 * there until it is answered, here or by somebody else.  Keys that come in the moment in
 * which it appears were meant for something else, and do nothing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "tui/inside.h"
#include "tui/paper.h"

#define UNMEANT_MS 300
#define OPTIONS_MAX 1024
#define WORDS_ROWS_MAX 6
#define OPTION_ROWS_MAX 8
#define ANSWER_MAX (512 * KIB)

struct prompt_view {
	char *id;
	struct typed typed;
	struct paper words;
	size_t chosen, top; /* options */
	bool picked[OPTIONS_MAX];
	int64_t since_ms;
};

/* ---- what is asked ---- */

static struct asked *first_asked(const struct tui *tui)
{
	list_each(&tui->model.prompts, l) {
		struct asked *asked = list_of(l, struct asked, in_model);

		if (!asked->is_sent)
			return asked;
	}
	return NULL;
}

static bool prompt_wanted(struct tui *tui)
{
	return tui->line.send && first_asked(tui) != NULL;
}

static yyjson_val *frame_of(const struct tui *tui, const struct prompt_view *view)
{
	struct asked *asked = view->id ? model_asked(&tui->model, text_of(view->id)) : NULL;

	return asked ? yyjson_doc_get_root(asked->doc) : NULL;
}

static yyjson_val *opts_of(yyjson_val *frame)
{
	return yyjson_obj_get(frame, "opts");
}

static size_t option_count(yyjson_val *frame)
{
	size_t count = yyjson_arr_size(yyjson_obj_get(opts_of(frame), "options"));

	return count < OPTIONS_MAX ? count : OPTIONS_MAX;
}

enum way { WAY_TEXT, WAY_SELECT, WAY_MULTI, WAY_CONFIRM };

/* A choice without options is asked as text, as the box does it. */
static enum way way_of(yyjson_val *frame)
{
	struct text type = json_text(yyjson_obj_get(frame, "type"));

	if (text_is(type, "confirm"))
		return WAY_CONFIRM;
	if (text_is(type, "select") && option_count(frame) > 0)
		return WAY_SELECT;
	return text_is(type, "multi") && option_count(frame) > 0 ? WAY_MULTI : WAY_TEXT;
}

static yyjson_val *option_at(yyjson_val *frame, size_t at)
{
	return yyjson_arr_get(yyjson_obj_get(opts_of(frame), "options"), at);
}

static yyjson_val *value_of(yyjson_val *option)
{
	return yyjson_is_obj(option) ? yyjson_obj_get(option, "value") : option;
}

/* ---- coming and going ---- */

static const char *words_of(enum way way)
{
	static const char *const words[] = {"?", "Select:", "Select any:", "Confirm?"};

	return words[way];
}

/* What the agent would choose is chosen already. */
static void choose_default(struct prompt_view *view, yyjson_val *frame)
{
	yyjson_val *other = yyjson_obj_get(opts_of(frame), "default");

	for (size_t i = 0; other && i < option_count(frame); i++) {
		yyjson_val *value = value_of(option_at(frame, i)), *one;
		size_t at, count;

		if (yyjson_equals(value, other))
			view->chosen = i;
		yyjson_arr_foreach(other, at, count, one)
		{
			view->picked[i] |= yyjson_equals(value, one);
		}
	}
}

static void take(struct tui *tui, struct prompt_view *view, const struct asked *asked)
{
	yyjson_val *frame = yyjson_doc_get_root(asked->doc);
	struct text words = json_text(yyjson_obj_get(opts_of(frame), "prompt"));

	free(view->id);
	view->id = must_dup(asked->id);
	typed_set(&view->typed, (struct text){0});
	memset(view->picked, 0, sizeof(view->picked));
	view->chosen = view->top = 0;
	view->since_ms = tui->now_ms;
	choose_default(view, frame);
	paper_clear(&view->words);
	view->words.is_begun = true;
	paper_add(&view->words, STYLE_TITLE, words.len ? words : text_of(words_of(way_of(frame))));
}

/* Another one may be the oldest now. */
static yyjson_val *follow(struct tui *tui, struct prompt_view *view)
{
	const struct asked *asked = first_asked(tui);

	if (asked && (!view->id || strcmp(view->id, asked->id) != 0))
		take(tui, view, asked);
	return frame_of(tui, view);
}

static void prompt_open(struct tui *tui, void *self)
{
	struct prompt_view *view = self;

	typed_init(&view->typed);
	paper_init(&view->words);
	follow(tui, view);
}

static void prompt_close(struct tui *tui, void *self)
{
	struct prompt_view *view = self;

	typed_finish(&view->typed);
	paper_finish(&view->words);
	free(view->id);
}

/* ---- answers ---- */

static void send_answer(struct tui *tui, const struct prompt_view *view, struct text value)
{
	struct asked *asked = model_asked(&tui->model, text_of(view->id));
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	buf_add(&out, TEXT("{\"kind\":\"answer\",\"prompt-id\":"));
	buf_add_json(&out, text_of(view->id));
	if (value.len) {
		buf_add(&out, TEXT(",\"value\":"));
		buf_add(&out, value);
		buf_add_char(&out, '}');
	} else {
		buf_add(&out, TEXT(",\"cancelled\":true}"));
	}
	if (out.full)
		tui_say(tui, "that is too long");
	else if (asked && tui_send(tui, buf_text(&out)))
		asked->is_sent = true;
	buf_finish(&out);
}

static void send_value(struct tui *tui, const struct prompt_view *view, yyjson_val *value)
{
	struct buf json;

	buf_init(&json, ANSWER_MAX);
	json_add(&json, value);
	send_answer(tui, view, buf_text(&json));
	buf_finish(&json);
}

static void send_text(struct tui *tui, const struct prompt_view *view, yyjson_val *frame)
{
	yyjson_val *other = yyjson_obj_get(opts_of(frame), "default");
	struct buf json;

	if (view->typed.text.len == 0 && yyjson_is_str(other)) {
		send_value(tui, view, other);
		return;
	}
	buf_init(&json, ANSWER_MAX);
	buf_add_json(&json, buf_text(&view->typed.text));
	send_answer(tui, view, buf_text(&json));
	buf_finish(&json);
}

/* In the order of the options. */
static void send_picked(struct tui *tui, const struct prompt_view *view, yyjson_val *frame)
{
	const char *comma = "";
	struct buf json;

	buf_init(&json, ANSWER_MAX);
	buf_add_char(&json, '[');
	for (size_t i = 0; i < option_count(frame); i++) {
		yyjson_val *value = value_of(option_at(frame, i));

		if (!view->picked[i] || !value)
			continue;
		buf_add(&json, text_of(comma));
		json_add(&json, value);
		comma = ",";
	}
	buf_add_char(&json, ']');
	send_answer(tui, view, buf_text(&json));
	buf_finish(&json);
}

/* ---- keys ---- */

static void press_text(struct tui *tui, struct prompt_view *view, const struct press *press)
{
	if (tui->is_pasting)
		typed_paste(&view->typed, press);
	else if (press->code == PRESS_ENTER)
		send_text(tui, view, frame_of(tui, view));
	else
		typed_press(&view->typed, press);
}

static void press_confirm(struct tui *tui, struct prompt_view *view, const struct press *press)
{
	yyjson_val *other = yyjson_obj_get(opts_of(frame_of(tui, view)), "default");

	if (press->code == 'y' || press->code == 'Y')
		send_answer(tui, view, TEXT("true"));
	else if (press->code == 'n' || press->code == 'N')
		send_answer(tui, view, TEXT("false"));
	else if (press->code == PRESS_ENTER && yyjson_is_bool(other))
		send_answer(tui, view, yyjson_get_bool(other) ? TEXT("true") : TEXT("false"));
}

static void press_choice(struct tui *tui, struct prompt_view *view, const struct press *press)
{
	yyjson_val *frame = frame_of(tui, view);
	size_t count = option_count(frame);
	bool is_multi = way_of(frame) == WAY_MULTI;

	switch (press->code) {
	case 'j':
	case PRESS_DOWN:
	case PRESS_RIGHT:
	case PRESS_WHEEL_DOWN:
		view->chosen = (view->chosen + 1) % count;
		break;
	case 'k':
	case PRESS_UP:
	case PRESS_LEFT:
	case PRESS_WHEEL_UP:
		view->chosen = (view->chosen + count - 1) % count;
		break;
	case ' ':
		view->picked[view->chosen] ^= is_multi;
		break;
	case PRESS_ENTER:
		if (is_multi)
			send_picked(tui, view, frame);
		else
			send_value(tui, view, value_of(option_at(frame, view->chosen)));
		break;
	default:
		break;
	}
}

static void press_way(struct tui *tui, struct prompt_view *view, const struct press *press)
{
	enum way way = way_of(frame_of(tui, view));

	if (way == WAY_TEXT)
		press_text(tui, view, press);
	else if (tui->is_pasting)
		return;
	else if (press->code == 'i' || press->code == '?')
		tui_action(tui, press->code == 'i' ? TEXT("inspect") : TEXT("help"),
		           (struct text){0});
	else if (way == WAY_CONFIRM)
		press_confirm(tui, view, press);
	else
		press_choice(tui, view, press);
}

/* One that is asked scrolls what happened, to see what it is about. */
static bool prompt_press(struct tui *tui, void *self, const struct press *press)
{
	struct prompt_view *view = self;
	struct opened *pane = &tui->panes[tui->focus];

	if (press->code == PRESS_PAGE_UP || press->code == PRESS_PAGE_DOWN)
		pane->view->press(tui, pane->self, press);
	else if (tui->now_ms - view->since_ms < UNMEANT_MS || !follow(tui, view))
		return true;
	else if (press->code == PRESS_ESCAPE && !tui->is_pasting)
		send_answer(tui, view, (struct text){0});
	else
		press_way(tui, view, press);
	return true;
}

/* ---- who was first ---- */

static void add_who(struct buf *out, yyjson_val *by)
{
	struct text user = json_text(yyjson_obj_get(by, "user"));
	struct text process = json_text(yyjson_obj_get(by, "process"));
	struct text screen = json_text(yyjson_obj_get(by, "screen"));

	if (user.len)
		buf_print(out, " by %.*s", TEXT_ARG(user));
	if (process.len || screen.len)
		buf_print(out, " (%.*s%s%.*s)", TEXT_ARG(process),
		          process.len && screen.len ? ", " : "", TEXT_ARG(screen));
}

/* Of what stands here, and was not answered here. */
static void prompt_hear(struct tui *tui, void *self, const struct text raw)
{
	struct prompt_view *view = self;
	yyjson_doc *doc;
	yyjson_val *root;
	struct buf out;

	if (!memmem(raw.at, raw.len, "prompt-closed", strlen("prompt-closed")))
		return;
	doc = yyjson_read(raw.at, raw.len, 0);
	root = yyjson_doc_get_root(doc);
	if (view->id && yyjson_equals_str(yyjson_obj_get(root, "kind"), "prompt-closed") &&
	    text_is(json_text(yyjson_obj_get(root, "prompt-id")), view->id)) {
		buf_init(&out, KIB);
		buf_add(&out, json_text(yyjson_obj_get(root, "state")));
		add_who(&out, yyjson_obj_get(root, "by"));
		if (out.len > 0)
			tui_say(tui, "%.*s", TEXT_ARG(buf_text(&out)));
		buf_finish(&out);
	}
	yyjson_doc_free(doc);
}

/* ---- drawing ---- */

static int words_rows(struct prompt_view *view, int cols)
{
	if (view->words.cols != cols) {
		struct canvas none = {0};

		paper_draw(&view->words, (struct area){&none, 0, 0, 0, cols});
	}
	return view->words.row_count < WORDS_ROWS_MAX ? (int)view->words.row_count : WORDS_ROWS_MAX;
}

static int prompt_rows(struct tui *tui, void *self, int cols)
{
	struct prompt_view *view = self;
	yyjson_val *frame = follow(tui, view);
	int rows = words_rows(view, cols), options = (int)option_count(frame);
	enum way way = way_of(frame);

	if (way == WAY_SELECT || way == WAY_MULTI)
		return rows + (options < OPTION_ROWS_MAX ? options : OPTION_ROWS_MAX);
	return rows + 1;
}

static void put_option(struct pen *pen, yyjson_val *option)
{
	yyjson_val *label = yyjson_is_obj(option) ? yyjson_obj_get(option, "label") : option;
	struct buf json;

	if (!label)
		label = yyjson_obj_get(option, "value");
	if (yyjson_is_str(label)) {
		pen_put(pen, json_text(label));
		return;
	}
	buf_init(&json, 4 * KIB);
	json_add(&json, label);
	pen_put(pen, buf_text(&json));
	buf_finish(&json);
}

static void draw_options(struct prompt_view *view, yyjson_val *frame, struct area area)
{
	size_t rows = (size_t)area.rows, count = option_count(frame);
	bool is_multi = way_of(frame) == WAY_MULTI;

	if (view->chosen < view->top)
		view->top = view->chosen;
	if (rows > 0 && view->chosen >= view->top + rows)
		view->top = view->chosen - rows + 1;
	for (size_t i = 0; i < rows && view->top + i < count; i++) {
		size_t at = view->top + i;
		uint8_t style = STYLE_PLAIN | (at == view->chosen ? STYLE_CHOSEN : 0);
		struct pen pen = pen_at(area, (int)i, 0, style);

		pen_put(&pen, at == view->chosen ? TEXT(" ▸ ") : TEXT("   "));
		if (is_multi)
			pen_put(&pen, view->picked[at] ? TEXT("[x] ") : TEXT("[ ] "));
		put_option(&pen, option_at(frame, at));
		pen_rest(&pen);
	}
}

static void draw_text(struct tui *tui, struct prompt_view *view, struct area area)
{
	struct text other = json_text(yyjson_obj_get(opts_of(frame_of(tui, view)), "default"));
	struct pen pen = pen_at(area, 0, 0, STYLE_HUMAN);

	pen_put(&pen, TEXT(" > "));
	tui_cursor(tui, typed_draw(&view->typed, pen));
	if (view->typed.text.len == 0)
		pen_styled(&pen, STYLE_DIM, other);
}

static void draw_confirm(yyjson_val *frame, struct area area)
{
	yyjson_val *other = yyjson_obj_get(opts_of(frame), "default");
	struct pen pen = pen_at(area, 0, 0, STYLE_HUMAN);

	pen_put(&pen, TEXT(" y yes · n no"));
	if (yyjson_is_bool(other))
		pen_put(&pen, yyjson_get_bool(other) ? TEXT(" · Enter yes") : TEXT(" · Enter no"));
}

static void prompt_draw(struct tui *tui, void *self, struct area area)
{
	struct prompt_view *view = self;
	yyjson_val *frame = follow(tui, view);
	int words = words_rows(view, area.cols);
	struct area rest = area_rows(area, words, area.rows);

	paper_draw(&view->words, area_rows(area, 0, words));
	switch (way_of(frame)) {
	case WAY_TEXT:
		draw_text(tui, view, rest);
		break;
	case WAY_CONFIRM:
		draw_confirm(frame, rest);
		break;
	default:
		draw_options(view, frame, rest);
	}
}

/* Who asks, how long there is, and how many more wait. */
static void prompt_note(struct tui *tui, void *self, struct buf *out)
{
	struct prompt_view *view = self;
	yyjson_val *frame = follow(tui, view);
	struct text invoke = json_text(yyjson_obj_get(frame, "invokeid"));
	const struct asker *asker = view->id ? board_asker(&tui->board, text_of(view->id)) : NULL;

	buf_add(out, invoke);
	if (asker)
		buf_print(out, "%s%s · %s", out->len ? " · " : "", asker->source, asker->run);
	if (asker && asker->deadline_ms > tui->now_ms)
		buf_print(out, " · %lld s left",
		          (long long)(asker->deadline_ms - tui->now_ms + 999) / 1000);
	if (tui->model.prompt_count > 1)
		buf_print(out, " · 1 of %zu", tui->model.prompt_count);
}

const struct view view_prompt = {
	.name = "prompt",
	.title = "QUESTION",
	.hints = "Enter answer · j/k choose · Space toggle · y/n · Esc cancel · PgUp/PgDn scroll",
	.place = VIEW_MODAL,
	.size = sizeof(struct prompt_view),
	.open = prompt_open,
	.close = prompt_close,
	.draw = prompt_draw,
	.note = prompt_note,
	.press = prompt_press,
	.hear = prompt_hear,
	.wanted = prompt_wanted,
	.rows = prompt_rows,
};
