/* pieces.c - frames that an agent sent, opened where their number is. */
#include "base/put.h"
#include "run/inside.h"
#include "run/raw.h"

/* Before all that an agent sent, so that it cannot say otherwise. */
void pieces_begin(struct text *head, const char *run, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "run", run);
	buf_add_char(out, ',');
	*head = (struct text){head->at + 1, head->len - 1};
}

void pieces_add(const struct frame_pieces *p, bool merged, uint64_t number, struct buf *out)
{
	uint64_t own;

	buf_add(out, p->head);
	if (p->is_agents && !merged && text_to_u64(p->own, &own)) {
		buf_add(out, p->own);
	} else if (p->is_numbered) {
		if (p->is_agents && !p->own.len)
			buf_add(out, TEXT(",\"seq\":"));
		buf_add_u64(out, number);
	}
	buf_add(out, p->tail);
}

void run_frame_add(const struct run_frame *f, bool merged, struct buf *out)
{
	struct frame_pieces pieces = f->pieces;

	if (merged && f->run)
		pieces_begin(&pieces.head, f->run->id, out);
	pieces_add(&pieces, merged, merged ? f->number : f->own, out);
}

struct text translate_origin(const struct json_reader *reader, struct text line,
                             yyjson_val *envelope, bool *is_dialect)
{
	yyjson_val *origin = yyjson_obj_get(yyjson_obj_get(envelope, "metadata"), "origin");
	yyjson_val *frame = raw_key(origin, "frame");

	*is_dialect = text_is(json_text_at(origin, "dialect"), "run");
	if (!*is_dialect || !yyjson_is_obj(yyjson_obj_get(origin, "frame")))
		return TEXT("");
	return raw_value(reader, line, frame);
}

/* What an agent sent, as it was; an event opens where its number is, or could be. */
void pieces_of_agent(struct frame_pieces *p, const struct signal *s)
{
	yyjson_val *origin = yyjson_obj_get(yyjson_obj_get(s->envelope, "metadata"), "origin");
	yyjson_val *frame = yyjson_obj_get(origin, "frame");
	struct text raw = raw_value(s->reader, s->line, raw_key(origin, "frame"));
	yyjson_val *kind = raw_key(frame, "kind"), *seq = raw_key(frame, "seq");
	struct text at;

	*p = (struct frame_pieces){.head = raw, .is_agents = true};
	p->is_numbered = !kind || text_is(json_text_at(frame, "kind"), "event");
	if (p->is_numbered && seq) {
		p->own = raw_value(s->reader, s->line, seq);
		p->head = raw_before(raw, p->own);
		p->tail = raw_after(raw, p->own);
	} else if (p->is_numbered) {
		at = kind ? raw_value(s->reader, s->line, kind)
		          : (struct text){raw.at, raw.len - 1};
		p->tail = raw_after(raw, at);
		p->head = raw_before(raw, p->tail);
	}
}
