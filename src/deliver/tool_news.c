/* tool_news.c - calls of tools that are open, and what is told of each at its end. */
#include "deliver/tool_news.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "signal/json.h"

static void forget(struct tool_open *c)
{
	free(c->id);
	free(c->words);
	*c = (struct tool_open){0};
}

void tool_news_finish(struct tool_news *t)
{
	for (unsigned i = 0; t && i < TOOL_NEWS_OPEN; i++)
		forget(&t->open[i]);
}

/* ---- a call ---- */

static struct text first_text(yyjson_val *input)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(input);
	yyjson_val *key;

	if (yyjson_is_str(input))
		return json_text(input);
	while ((key = yyjson_obj_iter_next(&it)))
		if (yyjson_get_len(yyjson_obj_iter_get_val(key)) &&
		    yyjson_is_str(yyjson_obj_iter_get_val(key)))
			return json_text(yyjson_obj_iter_get_val(key));
	return TEXT("");
}

static void add_cut(struct buf *out, struct text t, size_t max)
{
	struct text whole = text_trim(t);

	t = utf8_cut(whole, max);
	utf8_add_shown(out, t);
	if (t.len < whole.len)
		buf_add(out, TEXT(" ..."));
}

static void put_call(struct text tool, yyjson_val *input, struct buf *out)
{
	struct text about = first_text(input);

	add_cut(out, tool.len ? tool : TEXT("a tool"), TOOL_NEWS_CALL);
	if (!text_trim(about).len)
		return;
	buf_add(out, TEXT(": "));
	add_cut(out, about, TOOL_NEWS_CALL);
}

void tool_news_begin(struct tool_news *t, struct text call, struct text tool, yyjson_val *input)
{
	struct tool_open *c = &t->open[t->next++ % TOOL_NEWS_OPEN];
	struct buf words;

	forget(c);
	buf_init(&words, 4 * TOOL_NEWS_CALL * 4);
	put_call(tool, input, &words);
	c->id = text_dup(call);
	c->words = text_dup(buf_text(&words));
	buf_finish(&words);
}

/* ---- its end ---- */

static struct tool_open *find_open(struct tool_news *t, struct text call)
{
	for (unsigned i = 0; i < TOOL_NEWS_OPEN; i++)
		if (t->open[i].id && text_is(call, t->open[i].id))
			return &t->open[i];
	return NULL;
}

/* Lines stay lines. */
static void put_output(yyjson_val *output, struct buf *out)
{
	size_t len = 0;
	char *json = yyjson_is_str(output) ? NULL : yyjson_val_write(output, 0, &len);
	struct text whole = text_trim(json ? (struct text){json, len} : json_text(output));
	struct text part = utf8_cut(whole, TOOL_NEWS_OUTPUT);

	for (struct text rest = part; rest.at;) {
		buf_add_char(out, '\n');
		utf8_add_shown(out, text_cut(rest, '\n', &rest));
	}
	if (part.len < whole.len)
		buf_add(out, TEXT(" ..."));
	free(json);
}

void tool_news_end(struct tool_news *t, const struct tool_end *end, struct buf *out)
{
	struct tool_open *c = find_open(t, end->call);

	if (c)
		buf_add(out, text_of(c->words));
	else
		put_call(end->tool, NULL, out);
	if (c)
		forget(c);
	if (end->has_failed)
		buf_add(out, TEXT(" (failed)"));
	if (end->output && !yyjson_is_null(end->output))
		put_output(end->output, out);
}
