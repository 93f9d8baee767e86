/* edit.c - a show written out again, with one item of it changed.
 *
 * The order of everything stays, and each member of the document and each item of its
 * lists gets a line of its own: people read these files, and compare them.
 */
#include "stage/edit.h"

#include "base/put.h"
#include "signal/pointer.h"

static const struct {
	const char *list, *item;
} names[EDIT_PARTS] = {
	[EDIT_CHOREOGRAPHIES] = {"choreographies", "choreography"},
	[EDIT_WIRES] = {"wires", "wire"},
	[EDIT_BINDINGS] = {"bindings", "binding"},
	[EDIT_ENTITIES] = {"entities", "entity"},
};

bool edit_part_find(struct text name, enum edit_part *part)
{
	for (*part = 0; *part < EDIT_PARTS; ++*part)
		if (text_is(name, names[*part].list))
			return true;
	return false;
}

/* What has the list. */
static yyjson_val *owner_of(const struct show *show, enum edit_part part)
{
	return part == EDIT_ENTITIES ? show->scene : show->root;
}

static yyjson_val *list_of_part(const struct show *show, enum edit_part part)
{
	return yyjson_obj_get(owner_of(show, part), names[part].list);
}

/* Its index; when there is none, how many there are. */
static size_t edit_find(yyjson_val *list, struct text id)
{
	yyjson_val *item;
	size_t i, max;

	yyjson_arr_foreach(list, i, max, item)
	{
		if (text_equal(json_text_at(item, "id"), id))
			return i;
	}
	return yyjson_arr_size(list);
}

enum edit_answer edit_get(const struct show *show, enum edit_part part, struct text id,
                          struct buf *out)
{
	yyjson_val *list = list_of_part(show, part);
	yyjson_val *wanted = id.len ? yyjson_arr_get(list, edit_find(list, id)) : list;

	if (id.len && !wanted)
		return EDIT_UNKNOWN;
	if (wanted)
		json_add(out, wanted);
	else
		buf_add(out, TEXT("[]"));
	return EDIT_DONE;
}

/* ---- writing ---- */

struct item_change {
	const struct show *show;
	yyjson_val *owner;
	const char *name;
	yyjson_val *list; /* NULL: there is none yet */
	size_t at;        /* the item's index; how many there are: a new one */
	struct text item; /* the new one; empty: it is taken away */
};

/* NULL: the new one. */
static void edit_add_item(const struct item_change *change, yyjson_val *item, const char **comma,
                          struct buf *out)
{
	if (!item && change->item.len == 0)
		return;
	buf_print(out, "%s\n", *comma);
	if (item)
		json_add(out, item);
	else
		buf_add(out, change->item);
	*comma = ",";
}

static void add_list(const struct item_change *change, yyjson_val *list, struct buf *out)
{
	bool is_changed = list == change->list;
	const char *comma = "";
	yyjson_val *item;
	size_t i, max;

	buf_add_char(out, '[');
	yyjson_arr_foreach(list, i, max, item)
	{
		edit_add_item(change, is_changed && i == change->at ? NULL : item, &comma, out);
	}
	if (is_changed && change->at == yyjson_arr_size(list))
		edit_add_item(change, NULL, &comma, out);
	buf_add(out, TEXT("\n]"));
}

static void edit_add_object(const struct item_change *change, yyjson_val *object, struct buf *out);

static void edit_add_member(const struct item_change *change, yyjson_val *value, struct buf *out)
{
	if (value == change->show->scene)
		edit_add_object(change, value, out);
	else if (yyjson_is_arr(value))
		add_list(change, value, out);
	else
		json_add(out, value);
}

static void edit_add_object(const struct item_change *change, yyjson_val *object, struct buf *out)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(object);
	const char *comma = "{";
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&it))) {
		buf_print(out, "%s\n", comma);
		buf_add_json(out, json_text(key));
		buf_add(out, TEXT(": "));
		edit_add_member(change, yyjson_obj_iter_get_val(key), out);
		comma = ",";
	}
	if (object == change->owner && !change->list) {
		buf_print(out, ",\n\"%s\": ", change->name);
		add_list(change, NULL, out);
	}
	buf_add(out, TEXT("\n}"));
}

/* ---- the item ---- */

/* One that nobody has. */
static void edit_make_id(yyjson_val *list, const char *word, struct buf *id)
{
	size_t n = yyjson_arr_size(list), i, max;
	yyjson_val *item;
	struct map taken;

	map_init(&taken);
	yyjson_arr_foreach(list, i, max, item)
	{
		map_set(&taken, json_text_at(item, "id"), item);
	}
	do {
		buf_clear(id);
		buf_print(id, "%s-%zu", word, ++n);
	} while (map_get(&taken, buf_text(id)));
	map_finish(&taken);
}

static bool has_id(yyjson_val *item)
{
	return yyjson_obj_get(item, "id");
}

/* The id comes first when the item was sent without. */
static void write_item(yyjson_val *item, struct text id, struct buf *out)
{
	static const char *const without[] = {NULL};

	if (!has_id(item)) {
		put_object(out, NULL);
		put_text(out, "id", id);
	}
	json_add_members(out, item, without, has_id(item) ? '{' : ',');
	buf_add_char(out, '}');
}

/* The faults of an item, as those of the document it will be in. */
static void edit_place(const struct item_change *change, struct error *why)
{
	pointer_item(why, change->at);
	pointer_member(why, text_of(change->name));
	if (change->owner == change->show->scene)
		pointer_member(why, TEXT("scene"));
}

static yyjson_val *read_item(const struct item_change *change, struct json_reader *reader,
                             struct text json, struct error *why)
{
	yyjson_doc *doc = json_read(reader, json, why);
	yyjson_val *item = yyjson_doc_get_root(doc);

	if (!doc || yyjson_is_obj(item))
		return item;
	pointer_fault(why, "an object is needed");
	edit_place(change, why);
	return NULL;
}

static enum edit_answer edit_add(const struct item_change *change, yyjson_val *item,
                                 const char *word, struct buf *id)
{
	if (has_id(item))
		buf_add(id, json_text_at(item, "id"));
	else
		edit_make_id(change->list, word, id);
	return edit_find(change->list, buf_text(id)) < change->at ? EDIT_EXISTS : EDIT_DONE;
}

static enum edit_answer edit_replace(const struct item_change *change, yyjson_val *item,
                                     struct text id, struct error *why)
{
	if (!has_id(item) || text_equal(json_text_at(item, "id"), id))
		return EDIT_DONE;
	pointer_fault(why, "not the one that is replaced");
	pointer_member(why, TEXT("id"));
	edit_place(change, why);
	return EDIT_INVALID;
}

static enum edit_answer make_item(const struct item_change *change, const struct show_edit *edit,
                                  struct buf *out, struct buf *id, struct error *why)
{
	enum edit_answer answer = EDIT_INVALID;
	struct json_reader reader;
	yyjson_val *item;

	json_reader_init(&reader, SHOW_MAX);
	item = read_item(change, &reader, edit->item, why);
	if (item && edit->verb == EDIT_ADD)
		answer = edit_add(change, item, names[edit->part].item, id);
	else if (item)
		answer = edit_replace(change, item, edit->id, why);
	if (answer == EDIT_DONE)
		write_item(item, buf_text(id), out);
	json_reader_finish(&reader);
	return answer;
}

static enum edit_answer write_show(struct item_change *change, const struct show_edit *edit,
                                   struct buf *out, struct buf *id, struct error *why)
{
	struct buf item;
	enum edit_answer answer = EDIT_DONE;

	buf_init(&item, SHOW_MAX);
	if (edit->verb != EDIT_REMOVE)
		answer = make_item(change, edit, &item, id, why);
	change->item = buf_text(&item);
	if (answer == EDIT_DONE) {
		edit_add_object(change, change->show->root, out);
		buf_add_char(out, '\n');
	}
	if (item.full || out->full) {
		pointer_fault(why, "larger than %zu bytes", SHOW_MAX);
		answer = EDIT_INVALID;
	}
	buf_finish(&item);
	return answer;
}

enum edit_answer edit_show(const struct show *show, const struct show_edit *edit, struct buf *out,
                           struct buf *id, struct error *why)
{
	struct item_change change = {
		.show = show,
		.owner = owner_of(show, edit->part),
		.name = names[edit->part].list,
		.list = list_of_part(show, edit->part),
	};
	size_t count = yyjson_arr_size(change.list);

	change.at = edit->verb == EDIT_ADD ? count : edit_find(change.list, edit->id);
	if (edit->verb != EDIT_ADD && change.at == count)
		return EDIT_UNKNOWN;
	if (edit->verb != EDIT_ADD)
		buf_add(id, edit->id);
	return write_show(&change, edit, out, id, why);
}
