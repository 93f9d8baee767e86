/* pieces.c - frames that an agent sent, opened where their number is. */
#include "run/inside.h"
#include "run/raw.h"

void pieces_add(const struct pieces *p, bool merged, uint64_t number, struct buf *out)
{
	buf_add(out, p->head);
	if (p->is_agents && !merged) {
		buf_add(out, p->own);
	} else if (p->is_numbered) {
		if (p->is_agents && !p->own.len)
			buf_add(out, TEXT(",\"seq\":"));
		buf_add_u64(out, number);
	}
	buf_add(out, p->tail);
}

struct text translate_origin(const struct json_reader *reader, struct text line,
                             yyjson_val *envelope, bool *is_dialect)
{
	yyjson_val *origin = yyjson_obj_get(yyjson_obj_get(envelope, "metadata"), "origin");
	yyjson_val *frame = raw_key(origin, "frame");

	*is_dialect = text_is(json_text(yyjson_obj_get(origin, "dialect")), "run");
	if (!*is_dialect || !yyjson_is_obj(yyjson_obj_get(origin, "frame")))
		return TEXT("");
	return raw_value(reader, line, frame);
}

/* What an agent sent, as it was; an event opens where its number is, or could be. */
void translate_frame(const struct translation *of, struct text raw)
{
	yyjson_val *origin = yyjson_obj_get(yyjson_obj_get(of->envelope, "metadata"), "origin");
	yyjson_val *frame = yyjson_obj_get(origin, "frame");
	yyjson_val *kind = raw_key(frame, "kind"), *seq = raw_key(frame, "seq");
	struct text name = json_text(yyjson_obj_get(frame, "kind"));
	struct pieces p = {.head = raw, .is_agents = true};
	struct text at;

	if (text_is(name, "prompt"))
		return;
	p.is_numbered = !kind || text_is(name, "event");
	if (p.is_numbered && seq) {
		p.own = raw_value(of->reader, of->s->line, seq);
		p.head = raw_before(raw, p.own);
		p.tail = raw_after(raw, p.own);
	} else if (p.is_numbered) {
		at = kind ? raw_value(of->reader, of->s->line, kind)
		          : (struct text){raw.at, raw.len - 1};
		p.tail = raw_after(raw, at);
		p.head = raw_before(raw, p.tail);
	}
	of->each(of->self, &p);
}
