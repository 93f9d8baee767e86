/* settled.c - what became of a question, in words. */
#include "tui/settled.h"

#include "tui/inside.h"

void settled_add_who(struct buf *out, yyjson_val *by)
{
	struct text user = json_text_at(by, "user");
	struct text process = json_text_at(by, "process");
	struct text screen = json_text_at(by, "screen");

	if (user.len)
		buf_print(out, " by %.*s", TEXT_ARG(user));
	if (process.len || screen.len)
		buf_print(out, " (%.*s%s%.*s)", TEXT_ARG(process),
		          process.len && screen.len ? ", " : "", TEXT_ARG(screen));
}

void settled_add(struct buf *out, yyjson_val *settled, bool was_answered)
{
	struct text decision = json_text_at(settled, "decision");
	yyjson_val *by = yyjson_obj_get(settled, "by");

	if (yyjson_is_obj(by)) {
		buf_print(out, "settled: %.*s", TEXT_ARG(decision));
		settled_add_who(out, by);
		return;
	}
	if (text_is(decision, "gone")) {
		buf_add(out, TEXT("its agent is gone"));
		return;
	}
	buf_print(out, "it was decided there: %.*s", TEXT_ARG(decision));
	if (was_answered)
		buf_add(out, TEXT("; the answer given here came too late"));
}

yyjson_doc *settled_read(struct text raw)
{
	struct text mark = TEXT("prompt-closed");
	yyjson_doc *doc;

	if (!memmem(raw.at, raw.len, mark.at, mark.len))
		return NULL;
	doc = yyjson_read(raw.at, raw.len, 0);
	if (yyjson_equals_str(yyjson_obj_get(yyjson_doc_get_root(doc), "kind"), mark.at))
		return doc;
	yyjson_doc_free(doc);
	return NULL;
}

void settled_hear(struct tui *tui, struct text raw)
{
	yyjson_doc *doc = settled_read(raw);
	yyjson_val *root = yyjson_doc_get_root(doc), *settled = yyjson_obj_get(root, "settled");
	struct buf out;

	if (settled) {
		buf_init(&out, KIB);
		settled_add(&out, settled,
		            yyjson_equals_str(yyjson_obj_get(root, "state"), "answered"));
		tui_say(tui, "%.*s", TEXT_ARG(buf_text(&out)));
		buf_finish(&out);
	}
	yyjson_doc_free(doc);
}
