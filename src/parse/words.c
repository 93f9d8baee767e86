/* words.c - texts, within their ceilings. */
#include "parse/words.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "parse/inside.h"

bool words_are_wanted(const struct parse *p)
{
	return p->options.words && p->at_ms >= p->options.words_from_ms;
}

bool words_add_input(struct make *m, yyjson_val *input)
{
	size_t len = 0;
	char *json = yyjson_is_obj(input) ? yyjson_val_write(input, 0, &len) : NULL;
	bool fits = json && len <= WORDS_TOOL_MAX;

	if (fits)
		make_raw(m, "input", (struct text){json, len});
	free(json);
	return fits;
}

static void add_text(struct buf *out, struct text words)
{
	if (words.len == 0)
		return;
	if (out->len)
		buf_add(out, TEXT("\n\n"));
	buf_add(out, utf8_cut(words, WORDS_SAID_MAX));
}

void words_join(struct buf *out, yyjson_val *content)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(content);
	yyjson_val *block;

	add_text(out, json_text(content));
	while ((block = yyjson_arr_iter_next(&each)))
		add_text(out,
		         yyjson_is_str(block) ? json_text(block) : json_text_at(block, "text"));
}

void words_add_output(struct make *m, yyjson_val *output)
{
	struct buf words;
	struct text shown;
	yyjson_val value = {0};
	char *json = NULL;
	size_t len;

	buf_init(&words, 2 * MIB);
	words_join(&words, output);
	if (words.len == 0 && output && !yyjson_is_null(output) && !yyjson_is_str(output) &&
	    (json = yyjson_val_write(output, 0, &len)))
		buf_add(&words, (struct text){json, len});
	shown = utf8_cut(buf_text(&words), WORDS_TOOL_MAX);
	if (shown.len) {
		yyjson_set_strn(&value, shown.at, shown.len);
		make_object(m, "output", &value);
	}
	free(json);
	buf_finish(&words);
}
