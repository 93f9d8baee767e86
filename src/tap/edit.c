/* edit.c - spans, cuts and inserts.
 *
 * A new item goes behind the last one, at the end of its value; into an empty
 * container it goes right before the closing bracket.  So the cut that takes it
 * back is found in the text alone: from the end of the item before, or from the
 * newline that leads to it up to the bracket.
 */
#include "tap/edit.h"

#include <stdlib.h>
#include <yyjson.h>

#include "base/must.h"
#include "base/scan.h"

static const char *edit_end_of(struct text t)
{
	return t.at + t.len;
}

/* ---- the spans ---- */

static void edit_add_item(struct container *c, struct text key, struct text value)
{
	const char *from = key.at ? key.at - 1 : value.at; /* with the key's quote */

	if ((c->count & (c->count - 1)) == 0)
		c->items = must_grow(c->items, 2 * (c->count ? c->count : 1) * sizeof(*c->items));
	c->items[c->count++] = (struct json_item){
		.key = key, .value = value, .all = {from, (size_t)(edit_end_of(value) - from)}};
}

bool container_read(struct container *c, struct text value)
{
	struct text key = {0}, item;
	struct scan scan;

	*c = (struct container){.text = value};
	if (value.len == 0 || (value.at[0] != '{' && value.at[0] != '['))
		return false;
	if (value.at[0] == '{') {
		scan_object(&scan, value);
		while (scan_member(&scan, &key, &item))
			edit_add_item(c, key, item);
	} else {
		scan_array(&scan, value);
		while (scan_item(&scan, &item))
			edit_add_item(c, key, item);
	}
	return true;
}

void container_finish(struct container *c)
{
	free(c->items);
	*c = (struct container){0};
}

bool json_item_is_named(const struct json_item *item, const char *name)
{
	yyjson_doc *doc;
	yyjson_val *root;
	bool same;

	if (!item->key.at || text_find(item->key, '\\') < 0)
		return item->key.at && text_is(item->key, name);
	doc = yyjson_read(item->key.at - 1, item->key.len + 2, 0);
	root = yyjson_doc_get_root(doc);
	same = yyjson_equals_str(root, name);
	yyjson_doc_free(doc);
	return same;
}

struct json_item *container_find(const struct container *c, const char *name, size_t *count)
{
	struct json_item *found = NULL;

	*count = 0;
	for (size_t i = 0; i < c->count; i++) {
		if (!json_item_is_named(&c->items[i], name))
			continue;
		found = &c->items[i];
		++*count;
	}
	return found;
}

bool container_all_go(const struct container *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (!c->items[i].goes)
			return false;
	return c->count > 0;
}

/* ---- the changes ---- */

void edits_init(struct edits *edits, struct text text, size_t max)
{
	*edits = (struct edits){.text = text};
	buf_init(&edits->added, max);
}

void edits_finish(struct edits *edits)
{
	free(edits->all);
	buf_finish(&edits->added);
}

static struct text_edit *add_edit(struct edits *edits, const char *at)
{
	if ((edits->count & (edits->count - 1)) == 0)
		edits->all = must_grow(edits->all, 2 * (edits->count ? edits->count : 1) *
		                                           sizeof(struct text_edit));
	edits->all[edits->count] = (struct text_edit){.at = at, .from = edits->added.len};
	return &edits->all[edits->count++];
}

void edits_cut(struct edits *edits, const char *from, const char *to)
{
	add_edit(edits, from)->cut = (size_t)(to - from);
}

struct buf *edits_insert(struct edits *edits, const char *at)
{
	add_edit(edits, at);
	return &edits->added;
}

void edits_inserted(struct edits *edits)
{
	struct text_edit *last = &edits->all[edits->count - 1];

	last->len = edits->added.len - last->from;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Where the line begins that leads to `at`, its newline included; `at` itself when
 * something else stands before it on its line. */
static const char *lead_of(const char *at, const char *open)
{
	const char *p = at;

	while (p > open && is_blank(p[-1]))
		p--;
	if (p == open || p[-1] != '\n')
		return at;
	p--;
	return p > open && p[-1] == '\r' ? p - 1 : p;
}

void edits_cut_items(struct edits *edits, const struct container *c)
{
	const char *open = c->text.at + 1, *close = edit_end_of(c->text) - 1;
	size_t i = 0, next;

	if (container_all_go(c)) {
		edits_cut(edits, lead_of(c->items[0].all.at, open), close);
		return;
	}
	for (; i < c->count; i = next) {
		next = i + 1;
		if (!c->items[i].goes)
			continue;
		while (next < c->count && c->items[next].goes)
			next++;
		if (i > 0)
			edits_cut(edits, edit_end_of(c->items[i - 1].all),
			          edit_end_of(c->items[next - 1].all));
		else
			edits_cut(edits, c->items[0].all.at, c->items[next].all.at);
	}
}

static int edit_compare(const void *a, const void *b)
{
	const struct text_edit *one = a, *other = b;

	return (one->at > other->at) - (one->at < other->at);
}

void edits_apply(struct edits *edits, struct buf *out)
{
	const char *at = edits->text.at;

	if (edits->count)
		qsort(edits->all, edits->count, sizeof(*edits->all), edit_compare);
	for (size_t i = 0; i < edits->count; i++) {
		const struct text_edit *e = &edits->all[i];

		buf_add(out, (struct text){at, (size_t)(e->at - at)});
		if (e->len)
			buf_add(out, (struct text){edits->added.at + e->from, e->len});
		at = e->at + e->cut;
	}
	buf_add(out, (struct text){at, (size_t)(edit_end_of(edits->text) - at)});
}

/* ---- the style ---- */

/* The blanks that begin the first line which has some. */
static struct text first_indent(struct text text)
{
	for (const char *p = text.at, *end = edit_end_of(text); p < end;) {
		const char *line = memchr(p, '\n', (size_t)(end - p));

		if (!line)
			break;
		for (p = ++line; p < end && is_blank(*p); p++)
			;
		if (p > line && p < end && *p != '\n' && *p != '\r')
			return (struct text){line, (size_t)(p - line)};
	}
	return TEXT("  ");
}

void json_style_read(struct json_style *style, struct text text, const struct container *root)
{
	style->newline = text_find(text, '\r') >= 0 ? TEXT("\r\n") : TEXT("\n");
	style->unit = first_indent(text);
	style->one_line = root->count > 0 && text_find(root->text, '\n') < 0;
}

/* The blanks that begin the line in which `at` stands; whole: nothing but them
 * stands before it. */
static struct text margin_of(const char *at, struct text text, bool *whole)
{
	const char *line = at, *p;

	while (line > text.at && line[-1] != '\n')
		line--;
	for (p = line; p < at && is_blank(*p); p++)
		;
	*whole = p == at && line > text.at;
	return (struct text){line, (size_t)(p - line)};
}

void insert_place_of(struct insert_place *place, const struct container *c,
                     struct json_style *style, struct text text)
{
	bool whole;

	*place = (struct insert_place){.style = style, .first = c->count == 0};
	if (place->first) {
		place->at = edit_end_of(c->text) - 1;
		place->margin = margin_of(c->text.at, text, &whole);
		place->deeper = 1;
		place->spread = !style->one_line;
	} else {
		const struct json_item *last = &c->items[c->count - 1];

		place->at = edit_end_of(last->all);
		place->margin = margin_of(last->all.at, text, &place->spread);
	}
}

void insert_place_line(const struct insert_place *place, struct buf *out, unsigned deeper)
{
	if (!place->spread)
		return;
	buf_add(out, place->style->newline);
	buf_add(out, place->margin);
	for (unsigned i = 0; i < deeper; i++)
		buf_add(out, place->style->unit);
}

void insert_place_lead(const struct insert_place *place, struct buf *out)
{
	if (!place->first)
		buf_add(out, place->spread ? TEXT(",") : TEXT(", "));
	insert_place_line(place, out, place->deeper);
}

void insert_place_tail(const struct insert_place *place, struct buf *out)
{
	if (place->first)
		insert_place_line(place, out, 0);
}
