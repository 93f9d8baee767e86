/* coalesce.c - pieces of a message, joined. */
#include "signal/coalesce.h"

#include <stdlib.h>

void coalesce_init(struct coalesce *c, const struct coalesce_kind *kind, size_t max)
{
	*c = (struct coalesce){.kind = kind};
	json_reader_init(&c->reader, max);
	buf_init(&c->last, max);
	buf_init(&c->key, COALESCE_KEY_MAX);
	buf_init(&c->text, COALESCE_TEXT_MAX);
}

void coalesce_finish(struct coalesce *c)
{
	json_reader_finish(&c->reader);
	buf_finish(&c->last);
	buf_finish(&c->key);
	buf_finish(&c->text);
}

void coalesce_name(struct buf *key, struct text name)
{
	buf_add(key, name);
	buf_add_char(key, '\0');
}

static void hold(struct coalesce *c, struct text json, const struct coalesce_piece *piece)
{
	if (c->last.len == 0)
		c->seq = piece->seq;
	c->count += piece->count;
	buf_clear(&c->last);
	buf_add(&c->last, json);
}

/* The first is held whatever it is, those after it when they go with it. */
static bool goes_with(struct coalesce *c, const struct buf *key, const struct coalesce_piece *piece)
{
	bool fits;

	if (c->last.len && !text_equal(buf_text(&c->key), buf_text(key)))
		return false;
	fits = buf_add(&c->text, piece->text);
	c->text.full = false;
	if (fits && c->last.len == 0)
		buf_add(&c->key, buf_text(key));
	return fits;
}

bool coalesce_add(struct coalesce *c, struct text json)
{
	yyjson_doc *doc = json.len <= c->last.max ? json_read(&c->reader, json, NULL) : NULL;
	struct coalesce_piece piece = {.count = 1};
	struct buf key;
	bool held;

	buf_init(&key, COALESCE_KEY_MAX);
	held = doc && c->kind->read(yyjson_doc_get_root(doc), &key, &piece) && !key.full &&
	       goes_with(c, &key, &piece);
	if (held)
		hold(c, json, &piece);
	buf_finish(&key);
	return held;
}

static void add_joined(struct coalesce *c, struct buf *out)
{
	yyjson_doc *doc = yyjson_read(c->last.at, c->last.len, 0);
	yyjson_mut_doc *copy = yyjson_doc_mut_copy(doc, NULL);
	const struct coalesce_piece all = {
		.text = buf_text(&c->text), .seq = c->seq, .count = c->count};
	size_t len;
	char *json;

	c->kind->write(copy, &all);
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
