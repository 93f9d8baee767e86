/* prompt_frame.c - prompts in the words of the run dialect. */
#include "run/prompt_frame.h"

#include "base/scan.h"
#include "signal/json.h"

/* Everything but the id is as it came; false when it has none. */
static bool splice(const struct prompt *p, struct buf *out)
{
	struct text frame = text_of(p->frame), key, value;
	struct scan scan;

	scan_object(&scan, frame);
	while (scan_member(&scan, &key, &value)) {
		if (!text_is(key, "prompt-id"))
			continue;
		buf_add(out, (struct text){frame.at, (size_t)(value.at - frame.at)});
		buf_add_json(out, text_of(p->id));
		buf_add(out, (struct text){value.at + value.len,
		                           (size_t)(frame.at + frame.len - value.at - value.len)});
		return true;
	}
	return false;
}

static void make(const struct prompt *p, struct buf *out)
{
	buf_print(out, "{\"kind\":\"prompt\",\"prompt-id\":\"%s\",\"session-id\":", p->id);
	buf_add_json(out, text_of(p->run));
	buf_add(out, TEXT(",\"invokeid\":"));
	if (p->invoke.at)
		buf_add_json(out, p->invoke);
	else
		buf_add(out, TEXT("null"));
	buf_print(out, ",\"type\":\"%s\",\"opts\":{\"prompt\":", prompt_type_name(p->type));
	buf_add_json(out, p->words);
	json_member_json(out, "options", p->options);
	json_member_json(out, "default", p->other);
	buf_add(out, TEXT("}}"));
}

void prompt_frame(const struct prompt *p, struct buf *out)
{
	if (!p->frame || !splice(p, out))
		make(p, out);
}

void prompt_closed_frame(const struct prompt *p, struct buf *out)
{
	buf_print(out, "{\"kind\":\"prompt-closed\",\"prompt-id\":\"%s\",\"state\":\"%s\"", p->id,
	          prompt_state_name(p->state));
	json_member_json(out, "by", p->by);
	json_member_json(out, "settled", p->settled);
	buf_add_char(out, '}');
}

void prompt_answer_frame(const struct prompt *p, struct buf *out)
{
	buf_add(out, TEXT("{\"kind\":\"answer\",\"prompt-id\":"));
	buf_add_json(out, p->own_id.at ? p->own_id : text_of(p->id));
	if (p->value)
		buf_print(out, ",\"value\":%s}", p->value);
	else
		buf_add(out, TEXT(",\"cancelled\":true}"));
}
