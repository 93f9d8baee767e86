/* typing.c - a filter or a command, typed in the footer. */
#include <stdio.h>

#include "tui/inside.h"

static void set_filter(struct tui *tui, struct text text)
{
	size_t most = sizeof(tui->filter) - 1;

	snprintf(tui->filter, sizeof(tui->filter), "%.*s", (int)(text.len < most ? text.len : most),
	         text.at ? text.at : "");
}

static void typing_leave(struct tui *tui)
{
	tui->typing.mark = '\0';
	typed_set(&tui->typing.field, (struct text){0});
}

/* A word, and what stands behind it. */
static void command(struct tui *tui, struct text line)
{
	struct text rest, word = text_cut(text_trim(line), ' ', &rest);

	if (word.len && !tui_action(tui, word, text_trim(rest)))
		tui_say(tui, "there is no command %.*s; ? lists them", TEXT_ARG(word));
}

static void submit(struct tui *tui)
{
	char mark = tui->typing.mark;
	char line[TUI_FILTER_MAX * 8];

	snprintf(line, sizeof(line), "%.*s", TEXT_ARG(buf_text(&tui->typing.field.text)));
	typing_leave(tui);
	if (mark == ':')
		command(tui, text_of(line));
}

static void give_up(struct tui *tui)
{
	if (tui->typing.mark == '/')
		set_filter(tui, text_of(tui->typing.before));
	typing_leave(tui);
}

bool typing_press(struct tui *tui, const struct press *press)
{
	static const struct press space = {.code = ' '};
	struct typed *field = &tui->typing.field;

	if (!tui->typing.mark)
		return false;
	if (tui->is_pasting) /* one line, which its typist ends */
		typed_paste(field, press->code == PRESS_ENTER ? &space : press);
	else if (press->code == PRESS_ENTER)
		submit(tui);
	else if (press->code == PRESS_ESCAPE ||
	         (press->code == PRESS_BACKSPACE && field->text.len == 0))
		give_up(tui);
	else
		typed_press(field, press);
	if (tui->typing.mark == '/')
		set_filter(tui, buf_text(&field->text));
	return true;
}

bool typing_draw(struct tui *tui, struct area area)
{
	char mark[] = {tui->typing.mark, '\0'};
	struct pen pen = pen_at(area, 0, 0, STYLE_TITLE);

	if (!tui->typing.mark)
		return false;
	pen_put(&pen, text_of(mark));
	pen.style = STYLE_PLAIN;
	tui_cursor(tui, typed_draw(&tui->typing.field, pen));
	return true;
}

void typing_begin(struct tui *tui, char mark)
{
	tui->typing.mark = mark;
	snprintf(tui->typing.before, sizeof(tui->typing.before), "%s", tui->filter);
	typed_set(&tui->typing.field, mark == '/' ? text_of(tui->filter) : (struct text){0});
}

void typing_filter(struct tui *tui, struct text text)
{
	set_filter(tui, text);
	if (text.len)
		tui_say(tui, "only what has %s in it", tui->filter);
	else
		tui_say(tui, "no filter");
}
