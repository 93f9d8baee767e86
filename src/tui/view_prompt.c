/* view_prompt.c - the modal: what an agent asks, and how it is answered.
 *
 * Text, a choice of one, a choice of several, yes or no.  The oldest open prompt stands
 * there until it is answered, here or by somebody else.  Keys that come in the moment in
 * which it appears were meant for something else, and do nothing; keys that mean nothing
 * to it are for the rest of the screen, and who leaves it answers nothing.
 *
 * Nothing is chosen from the start but what is safe, and what is not safe is chosen only
 * after all of the question was on the screen.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/visible.h"
#include "tui/named.h"
#include "tui/prompt_view.h"
#include "tui/settled.h"

#define UNMEANT_MS 300
#define WORDS_MAX (VISIBLE_GROWTH * MIB)
#define ANSWER_MAX (512 * KIB)

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

/* ---- coming and going ---- */

static size_t safe_option(yyjson_val *frame)
{
	for (size_t i = 0; i < question_option_count(frame); i++)
		if (question_is_safe(question_option(frame, i)))
			return i;
	return PROMPT_NOTHING;
}

/* Is it what stands here, told once more?  Then it is as it was left. */
static bool view_prompt_is_same(struct prompt_view *view, const struct asked *asked)
{
	struct buf asks;
	bool same;

	if (!view->id || strcmp(view->id, asked->id) != 0)
		return false;
	if (view->number == asked->number)
		return true;
	buf_init(&asks, FRAME_MAX);
	same = json_add(&asks, yyjson_doc_get_root(asked->doc)) &&
	       text_equal(buf_text(&asks), buf_text(&view->asks));
	view->number = same ? asked->number : view->number;
	buf_finish(&asks);
	return same;
}

static void view_prompt_take(struct tui *tui, struct prompt_view *view, const struct asked *asked)
{
	yyjson_val *frame = yyjson_doc_get_root(asked->doc);
	struct buf words;

	view->number = asked->number;
	buf_clear(&view->asks);
	json_add(&view->asks, frame);
	free(view->id);
	view->id = must_dup(asked->id);
	typed_set(&view->typed, (struct text){0});
	memset(view->picked, 0, sizeof(view->picked));
	view->chosen = safe_option(frame);
	view->top = view->seen = 0;
	view->is_read = false;
	view->since_ms = tui->now_ms;
	view->cancel_until_ms = 0;
	buf_init(&words, WORDS_MAX);
	question_words(frame, &words);
	paper_clear(&view->words);
	view->words.is_begun = true;
	view->words.top = 0;
	paper_add(&view->words, STYLE_HUMAN, buf_text(&words));
	buf_finish(&words);
}

/* Another one may be the oldest now. */
static yyjson_val *view_prompt_follow(struct tui *tui, struct prompt_view *view)
{
	const struct asked *asked = first_asked(tui);

	if (asked && !view_prompt_is_same(view, asked))
		view_prompt_take(tui, view, asked);
	return frame_of(tui, view);
}

static void prompt_open(struct tui *tui, void *self)
{
	struct prompt_view *view = self;

	tui->is_aside = false;
	buf_init(&view->asks, FRAME_MAX);
	typed_init(&view->typed);
	paper_init(&view->words);
	view_prompt_follow(tui, view);
}

static void prompt_close(struct tui *tui, void *self)
{
	struct prompt_view *view = self;

	buf_finish(&view->asks);
	typed_finish(&view->typed);
	paper_finish(&view->words);
	free(view->id);
}

/* May this be chosen now?  If not, it is said why. */
static bool may_send(struct tui *tui, const struct prompt_view *view, bool is_safe)
{
	if (is_safe || prompt_unread(view) == 0)
		return true;
	tui_say(tui, "%zu more lines of it were not shown yet: PgDn reads on", prompt_unread(view));
	return false;
}

/* ---- answers ---- */

/* What was sent stands here no more: if it is refused it is asked anew, with nothing chosen
 * but what is safe, whether or not the screen was drawn in between. */
static void sent(struct prompt_view *view, struct asked *asked)
{
	asked->is_sent = true;
	free(view->id);
	view->id = NULL;
}

static void send_answer(struct tui *tui, struct prompt_view *view, struct text value)
{
	struct asked *asked = model_asked(&tui->model, text_of(view->id));
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_word(&out, "kind", "answer");
	put_word(&out, "prompt-id", view->id);
	if (value.len) {
		put_json(&out, "value", value);
		buf_add_char(&out, '}');
	} else {
		put_bool(&out, "cancelled", true);
		put_end(&out);
	}
	if (out.full)
		tui_say(tui, "that is too long");
	else if (asked && tui_send(tui, buf_text(&out)))
		sent(view, asked);
	buf_finish(&out);
}

static void send_value(struct tui *tui, struct prompt_view *view, yyjson_val *value)
{
	struct buf json;

	buf_init(&json, ANSWER_MAX);
	json_add(&json, value);
	send_answer(tui, view, buf_text(&json));
	buf_finish(&json);
}

static void send_text(struct tui *tui, struct prompt_view *view, yyjson_val *frame)
{
	yyjson_val *other = question_default(frame);
	struct buf json;

	if (!may_send(tui, view, false))
		return;
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
static void send_picked(struct tui *tui, struct prompt_view *view, yyjson_val *frame)
{
	const char *comma = "";
	struct buf json;

	if (!may_send(tui, view, false))
		return;
	buf_init(&json, ANSWER_MAX);
	buf_add_char(&json, '[');
	for (size_t i = 0; i < question_option_count(frame); i++) {
		yyjson_val *value = question_value(question_option(frame, i));

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

static bool press_text(struct tui *tui, struct prompt_view *view, const struct press *press)
{
	if (tui->is_pasting)
		typed_paste(&view->typed, press);
	else if (press->code == PRESS_ENTER)
		send_text(tui, view, frame_of(tui, view));
	else
		typed_press(&view->typed, press);
	return true;
}

/* Enter is a no, if that is the default, and never a yes. */
static bool press_confirm(struct tui *tui, struct prompt_view *view, const struct press *press)
{
	yyjson_val *other = question_default(frame_of(tui, view));

	if (press->code == 'y' || press->code == 'Y') {
		if (may_send(tui, view, false))
			send_answer(tui, view, TEXT("true"));
	} else if (press->code == 'n' || press->code == 'N' ||
	           (press->code == PRESS_ENTER && yyjson_is_false(other))) {
		send_answer(tui, view, TEXT("false"));
	} else {
		return press->code == PRESS_ENTER;
	}
	return true;
}

static void send_chosen(struct tui *tui, struct prompt_view *view, yyjson_val *frame)
{
	yyjson_val *option = question_option(frame, view->chosen);
	bool is_safe = question_is_safe(option) || !question_is_answer(option);
	size_t cut;

	if (!option) {
		tui_say(tui, "nothing is chosen yet: j and k choose");
		return;
	}
	prompt_option_height(frame, view, view->chosen, &cut);
	if (cut && !is_safe)
		tui_say(tui, "%zu bytes of this are not shown: a wider screen, or the page", cut);
	else if (may_send(tui, view, is_safe))
		send_value(tui, view, question_value(option));
}

static bool press_choice(struct tui *tui, struct prompt_view *view, const struct press *press)
{
	yyjson_val *frame = frame_of(tui, view);
	size_t count = question_option_count(frame);
	bool is_multi = question_way(frame) == WAY_MULTI;

	switch (press->code) {
	case 'j':
	case PRESS_DOWN:
	case PRESS_RIGHT:
		view->chosen = view->chosen == PROMPT_NOTHING ? 0 : (view->chosen + 1) % count;
		return true;
	case 'k':
	case PRESS_UP:
	case PRESS_LEFT:
		view->chosen = view->chosen == PROMPT_NOTHING ? count - 1
		                                              : (view->chosen + count - 1) % count;
		return true;
	case ' ':
		if (is_multi && view->chosen < count)
			view->picked[view->chosen] ^= true;
		return is_multi;
	case PRESS_ENTER:
		if (is_multi)
			send_picked(tui, view, frame);
		else
			send_chosen(tui, view, frame);
		return true;
	default:
		return false;
	}
}

/* Line by line and page by page: there is no key that jumps over something, and none that
 * is pressed faster than it can be drawn. */
static bool press_words(struct prompt_view *view, const struct press *press)
{
	bool is_long = view->words.row_count > (size_t)view->words.page;
	size_t end = paper_first(&view->words) + (size_t)view->words.page;

	if (is_long && !view->is_read && end > view->seen &&
	    (press->code == PRESS_PAGE_DOWN || press->code == PRESS_WHEEL_DOWN))
		return true;
	if (press->code == PRESS_PAGE_UP || press->code == PRESS_PAGE_DOWN ||
	    press->code == PRESS_WHEEL_UP || press->code == PRESS_WHEEL_DOWN)
		return is_long && paper_press(&view->words, press);
	return false;
}

/* The agent is told that nobody will answer: only when it was meant. */
static void press_cancel(struct tui *tui, struct prompt_view *view)
{
	if (view->cancel_until_ms >= tui->now_ms) {
		send_answer(tui, view, (struct text){0});
		return;
	}
	view->cancel_until_ms = tui->now_ms + TUI_SAY_MS;
	tui_say(tui, "Ctrl-X again tells the agent that nobody will answer");
}

static bool press_way(struct tui *tui, struct prompt_view *view, const struct press *press)
{
	enum way way = question_way(frame_of(tui, view));

	if (press_words(view, press))
		return true;
	if (way == WAY_TEXT)
		return press_text(tui, view, press);
	if (tui->is_pasting)
		return true;
	return way == WAY_CONFIRM ? press_confirm(tui, view, press)
	                          : press_choice(tui, view, press);
}

static bool prompt_press(struct tui *tui, void *self, const struct press *press)
{
	struct prompt_view *view = self;

	if (!view_prompt_follow(tui, view) || tui->now_ms - view->since_ms < UNMEANT_MS)
		return true;
	if (press_is_mouse(press) && press->code != PRESS_WHEEL_UP &&
	    press->code != PRESS_WHEEL_DOWN) {
		tui->is_aside = false;
		return true;
	}
	if (!tui->is_pasting && (press->code == PRESS_ESCAPE || press->code == PRESS_TAB)) {
		tui->is_aside = true;
		tui_say(tui, "the question stays open; Tab goes back to it");
		return true;
	}
	if (!tui->is_pasting && press->code == PRESS_CTRL('x')) {
		press_cancel(tui, view);
		return true;
	}
	return press_way(tui, view, press);
}

/* ---- who was first ---- */

/* Of what stands here, and was not answered here; what its agent did comes later. */
static void prompt_hear(struct tui *tui, void *self, const struct text raw)
{
	struct prompt_view *view = self;
	yyjson_doc *doc = settled_read(raw);
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct buf out;

	buf_init(&out, KIB);
	if (view->id && text_is(json_text_at(root, "prompt-id"), view->id) &&
	    !yyjson_obj_get(root, "settled")) {
		buf_add(&out, json_text_at(root, "state"));
		settled_add_who(&out, yyjson_obj_get(root, "by"));
	}
	if (out.len > 0)
		tui_say(tui, "%.*s", TEXT_ARG(buf_text(&out)));
	buf_finish(&out);
	yyjson_doc_free(doc);
}

/* ---- drawing ---- */

static int prompt_rows(struct tui *tui, void *self, int cols)
{
	struct prompt_view *view = self;

	return prompt_height(tui, view, view_prompt_follow(tui, view), cols);
}

static void prompt_draw(struct tui *tui, void *self, struct area area)
{
	struct prompt_view *view = self;

	prompt_paint(tui, view, view_prompt_follow(tui, view), area);
}

/* A session by its name, and where it works. */
static void add_asker(const struct tui *tui, const struct invoked *of, struct buf *out)
{
	struct named who = named_find(&tui->board.sessions, of);
	struct text project = json_text_at(who.member, "project");

	if (!who.member) {
		buf_add(out, of->invoke);
		return;
	}
	named_add(out, &who);
	if (project.len)
		buf_print(out, " in %.*s", TEXT_ARG(project));
}

/* Who asks, how long there is, and how many more wait. */
static void prompt_note(struct tui *tui, void *self, struct buf *out)
{
	struct prompt_view *view = self;
	yyjson_val *frame = view_prompt_follow(tui, view);
	const struct asker *asker = view->id ? board_asker(&tui->board, text_of(view->id)) : NULL;
	struct invoked of = {text_of(asker ? asker->run : NULL), json_text_at(frame, "invokeid"),
	                     TEXT("")};

	add_asker(tui, &of, out);
	if (asker && !sessions_find(&tui->board.sessions, of.run))
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
	.hints = "Enter answer · j/k choose · Space toggle · y/n · PgDn reads on · "
		 "Esc leaves it · ? help",
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
