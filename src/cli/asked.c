/* asked.c - what is asked, and whether all of it was seen. */
#include "cli/asked.h"

#include <stdio.h>

#include "base/crc32c.h"
#include "base/visible.h"
#include "cli/follow.h"
#include "run/prompt.h"
#include "signal/json.h"

#define ANSWER_MS 10000
#define PATH_BYTES (4 * KIB)
#define INPUT_MAX (16 * MIB)

bool asked_is_cut(yyjson_val *prompt)
{
	struct text note = TEXT(VISIBLE_MISSING);
	struct text words = json_text_at(prompt, "prompt");
	double bytes = 0;

	json_number(yyjson_obj_get(prompt, "inputBytes"), &bytes);
	return bytes > PROMPT_WORDS_MAX ||
	       (words.len > note.len &&
	        text_equal((struct text){words.at + words.len - note.len, note.len}, note));
}

yyjson_doc *asked_input(struct remote *remote, yyjson_val *prompt, struct error *why)
{
	struct remote_request request = {.method = "GET", .timeout_ms = ANSWER_MS};
	yyjson_doc *doc = NULL;
	struct buf path, body;

	if (!yyjson_obj_get(prompt, "inputBytes")) {
		error_set(why, "the rest of it is in its signal, and on the page: signalbox open");
		return NULL;
	}
	buf_init(&path, PATH_BYTES);
	buf_add(&path, TEXT("/api/prompts/"));
	follow_add_escaped(&path, json_text_at(prompt, "id"));
	buf_add(&path, TEXT("/input"));
	buf_add_char(&path, '\0');
	request.path = path.at;
	if (remote_ask(remote, &request, &body, why)) {
		doc = yyjson_read(body.at, body.len, YYJSON_READ_BIGNUM_AS_RAW);
		if (!doc)
			error_set(why, "the box gave no input");
		buf_finish(&body);
	}
	buf_finish(&path);
	return doc;
}

void asked_word(yyjson_val *input, char word[ASKED_WORD_LEN + 1])
{
	struct buf json;

	buf_init(&json, INPUT_MAX);
	json_add(&json, input);
	snprintf(word, ASKED_WORD_LEN + 1, "%08x", crc32c(0, json.at ? json.at : "", json.len));
	buf_finish(&json);
}

yyjson_val *asked_find(yyjson_val *prompts, struct text id)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(prompts);
	yyjson_val *prompt, *found = NULL;

	while ((prompt = yyjson_arr_iter_next(&it))) {
		if (!id.len || !text_starts(json_text_at(prompt, "id"), id))
			continue;
		if (found)
			return NULL;
		found = prompt;
	}
	return found;
}

yyjson_val *asked_find_of(yyjson_val *prompts, const struct roll *roll, struct text name)
{
	yyjson_val *member = roll_find(roll, name);

	if (!member)
		return asked_find(prompts, name);
	return asked_find(prompts, json_text_at(yyjson_obj_get(member, "state"), "prompt"));
}
