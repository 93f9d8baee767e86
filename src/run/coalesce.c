/* coalesce.c - pieces of a message, joined. */
#include "run/coalesce.h"

#include <stdlib.h>

#include "run/frame.h"

#define KEY_MAX (4 * KIB) /* longer names are not joined */

void coalesce_init(struct coalesce *c)
{
	*c = (struct coalesce){0};
	json_reader_init(&c->reader, FRAME_MAX);
	buf_init(&c->last, FRAME_MAX);
	buf_init(&c->key, KEY_MAX);
	buf_init(&c->text, COALESCE_TEXT_MAX);
}

void coalesce_finish(struct coalesce *c)
{
	json_reader_finish(&c->reader);
	buf_finish(&c->last);
	buf_finish(&c->key);
	buf_finish(&c->text);
}

static void add_name(struct buf *key, struct text name)
{
	buf_add(key, name);
	buf_add_char(key, '\0');
}

/* What makes two pieces adjacent ones of a message; false: it is no piece. */
static bool read_key(const struct frame *f, struct buf *key)
{
	yyjson_val *text = yyjson_obj_get(f->data, "text");

	if (f->kind != FRAME_EVENT || !text_is(f->event, "llm/delta") || !yyjson_is_str(text))
		return false;
	add_name(key, f->invoke);
	add_name(key, f->session);
	add_name(key, json_text(yyjson_obj_get(f->data, "type")));
	return !key->full;
}

static uint64_t pieces_of(const struct frame *f)
{
	yyjson_val *count = yyjson_obj_get(f->data, "coalesced");

	return yyjson_is_uint(count) ? yyjson_get_uint(count) : 1;
}

static bool is_same(const struct coalesce *c, const struct buf *key)
{
	return c->last.len && text_equal(buf_text(&c->key), buf_text(key));
}

bool coalesce_add(struct coalesce *c, struct text frame)
{
	struct frame f;
	struct buf key;
	struct text said;
	bool taken = false;

	buf_init(&key, KEY_MAX);
	if (frame_read(&f, &c->reader, frame, NULL) && read_key(&f, &key)) {
		said = json_text(yyjson_obj_get(f.data, "text"));
		taken = c->last.len ? is_same(c, &key) : buf_add(&c->key, buf_text(&key));
		taken = taken && buf_add(&c->text, said);
		c->text.full = false;
	}
	if (taken) {
		buf_clear(&c->last);
		buf_add(&c->last, frame);
		c->count += pieces_of(&f);
	} else if (c->last.len == 0) {
		buf_clear(&c->key);
	}
	buf_finish(&key);
	return taken;
}

static void add_joined(struct coalesce *c, struct buf *out)
{
	yyjson_doc *doc = yyjson_read(c->last.at, c->last.len, 0);
	yyjson_mut_doc *copy = yyjson_doc_mut_copy(doc, NULL);
	yyjson_mut_val *data = yyjson_mut_obj_get(yyjson_mut_doc_get_root(copy), "data");
	size_t len;
	char *json;

	yyjson_mut_obj_put(data, yyjson_mut_str(copy, "text"),
	                   yyjson_mut_strn(copy, c->text.at, c->text.len));
	yyjson_mut_obj_put(data, yyjson_mut_str(copy, "coalesced"),
	                   yyjson_mut_uint(copy, c->count));
	json = yyjson_mut_write(copy, 0, &len);
	if (json)
		buf_add(out, (struct text){json, len});
	free(json);
	yyjson_mut_doc_free(copy);
	yyjson_doc_free(doc);
}

bool coalesce_take(struct coalesce *c, struct buf *out)
{
	if (c->last.len == 0)
		return false;
	if (c->count > 1)
		add_joined(c, out);
	else
		buf_add(out, buf_text(&c->last));
	buf_clear(&c->last);
	buf_clear(&c->key);
	buf_clear(&c->text);
	c->count = 0;
	return true;
}
