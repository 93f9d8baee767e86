/* edit.h - a JSON text that is changed without being rewritten: the spans of its
 * containers, and cuts and inserts that are made all at once.
 *
 * The text is valid JSON: whoever comes here has checked it.
 */
#ifndef TAP_EDIT_H
#define TAP_EDIT_H

#include "base/buf.h"
#include "base/text.h"

/* ---- the spans ---- */

struct json_item {
	struct text key;   /* as written, without quotes; of an array's item empty */
	struct text value; /* as written */
	struct text all;   /* key and value */
	bool goes;         /* to be cut out */
};

/* The members of an object, or the items of an array. */
struct container {
	struct text text; /* with its brackets */
	struct json_item *items;
	size_t count;
};

/* False when the value is neither an object nor an array: then it has no items. */
bool container_read(struct container *container, struct text value);
void container_finish(struct container *container);

/* The last member of that name, and how many there are. */
struct json_item *container_find(const struct container *container, const char *name,
                                 size_t *count);
bool container_all_go(const struct container *container); /* and there is one */

/* Does a key or string, as written, stand for this name? */
bool json_item_is_named(const struct json_item *item, const char *name);

/* ---- the changes ---- */

struct text_edit {
	const char *at;
	size_t cut;
	size_t from, len; /* what is inserted, in edits.added */
};

struct edits {
	struct text text;
	struct text_edit *all;
	size_t count;
	struct buf added;
};

void edits_init(struct edits *edits, struct text text, size_t max);
void edits_finish(struct edits *edits);
void edits_cut(struct edits *edits, const char *from, const char *to);

/* What is appended to the buffer until edits_inserted() stands at `at`. */
struct buf *edits_insert(struct edits *edits, const char *at);
void edits_inserted(struct edits *edits);

/* Cuts out the items that go, and the commas and white space that came with them:
 * what edits_insert put at a insert_place_of() is taken back to the byte. */
void edits_cut_items(struct edits *edits, const struct container *container);

/* The text with all changes. */
void edits_apply(struct edits *edits, struct buf *out);

/* ---- where a new item goes, and how it looks there ---- */

struct json_style {
	struct text newline, unit; /* of indentation */
	bool one_line;             /* everything is: we do not begin another */
};
void json_style_read(struct json_style *style, struct text text, const struct container *root);

struct insert_place {
	const char *at;
	bool first;         /* the container is empty */
	bool spread;        /* an item a line */
	struct text margin; /* of the line that is followed... */
	unsigned deeper;    /* ...by so many units more */
	struct json_style *style;
};
void insert_place_of(struct insert_place *place, const struct container *container,
                     struct json_style *style, struct text text);

void insert_place_line(const struct insert_place *place, struct buf *out,
                       unsigned deeper);                                   /* if spread */
void insert_place_lead(const struct insert_place *place, struct buf *out); /* before the new item */
void insert_place_tail(const struct insert_place *place, struct buf *out); /* after it */

#endif
