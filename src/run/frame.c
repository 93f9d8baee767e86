/* frame.c - one frame of the run dialect, read. */
#include "run/frame.h"

static const struct {
	const char *name;
	enum frame_kind kind;
} kinds[] = {
	{"event", FRAME_EVENT},   {"phase", FRAME_PHASE},
	{"prompt", FRAME_PROMPT}, {"prompt-closed", FRAME_PROMPT_CLOSED},
	{"debug", FRAME_DEBUG},   {"control", FRAME_CONTROL},
	{"answer", FRAME_ANSWER},
};

/* Without a kind it is a line of a transcript. */
static enum frame_kind kind_of(yyjson_val *kind)
{
	struct text name = json_text(kind);

	if (!kind)
		return FRAME_EVENT;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (text_is(name, kinds[i].name))
			return kinds[i].kind;
	return FRAME_OTHER;
}

bool frame_take(struct frame *frame, yyjson_val *root, struct error *why)
{
	yyjson_val *data = yyjson_obj_get(root, "data");
	yyjson_val *seq = yyjson_obj_get(root, "seq");

	if (!yyjson_is_obj(root))
		return error_set(why, "a frame is an object");
	*frame = (struct frame){
		.kind = kind_of(yyjson_obj_get(root, "kind")),
		.root = root,
		.run = json_text_at(root, "run"),
		.seq = yyjson_get_uint(seq),
		.has_seq = yyjson_is_uint(seq),
	};
	if (!json_number(yyjson_obj_get(root, "ts"), &frame->ts))
		frame->ts = 0;
	if (frame->kind != FRAME_EVENT)
		return true;
	frame->event = json_text_at(root, "event");
	if (frame->event.len == 0)
		return error_set(why, "an event wants a name");
	frame->data = yyjson_is_obj(data) ? data : NULL;
	frame->invoke = json_text_at(frame->data, "invokeid");
	frame->session = json_text_at(frame->data, "session-id");
	frame->subagent = json_text_at(frame->data, "subagent");
	return true;
}

bool frame_read(struct frame *frame, struct json_reader *reader, struct text raw, struct error *why)
{
	yyjson_doc *doc = json_read(reader, raw, why);

	if (!doc || !frame_take(frame, yyjson_doc_get_root(doc), why))
		return false;
	frame->raw = raw;
	return true;
}
