/* notes.c - short values by their names. */
#include "deliver/notes.h"

#include <stdlib.h>

#include "base/must.h"
#include "signal/json.h"

struct note {
	const char *value; /* behind the name */
	size_t to_save;
	struct link in_all; /* notes.all */
	char name[];
};

void notes_init(struct notes *n, size_t max)
{
	*n = (struct notes){.max = max};
	map_init(&n->by_name);
	list_init(&n->all);
}

static void drop_note(struct notes *n, struct note *note)
{
	saving_change(&n->saving, &note->to_save);
	map_remove(&n->by_name, text_of(note->name));
	list_remove(&note->in_all);
	free(note);
}

void notes_finish(struct notes *n)
{
	saving_finish(&n->saving);
	while (!list_is_empty(&n->all))
		drop_note(n, list_of(n->all.next, struct note, in_all));
	map_finish(&n->by_name);
}

void notes_forget(struct notes *n, struct text name)
{
	struct note *note = map_get(&n->by_name, name);

	if (note)
		drop_note(n, note);
}

void notes_set(struct notes *n, struct text name, struct text value)
{
	struct note *note;

	if (!name.len || name.len > NOTES_TEXT_MAX || value.len > NOTES_TEXT_MAX ||
	    memchr(name.at, '\0', name.len))
		return;
	notes_forget(n, name);
	if (n->by_name.count >= n->max)
		drop_note(n, list_of(n->all.next, struct note, in_all));
	note = must_zero(1, sizeof(*note) + name.len + value.len + 2);
	memcpy(note->name, name.at, name.len);
	if (value.len)
		memcpy(note->name + name.len + 1, value.at, value.len);
	note->value = note->name + name.len + 1;
	list_add(&n->all, &note->in_all);
	map_set(&n->by_name, name, note);
}

struct text notes_get(const struct notes *n, struct text name)
{
	const struct note *note = map_get(&n->by_name, name);

	return note ? text_of(note->value) : (struct text){NULL, 0};
}

bool notes_first(const struct notes *n, struct text *name, struct text *value)
{
	const struct note *note;

	if (list_is_empty(&n->all))
		return false;
	note = list_of(n->all.next, struct note, in_all);
	*name = text_of(note->name);
	*value = text_of(note->value);
	return true;
}

static void save_note(const void *of, struct buf *out)
{
	const struct note *note = of;

	buf_add_json(out, text_of(note->name));
	buf_add_char(out, ':');
	buf_add_json(out, text_of(note->value));
}

void notes_save_begin(struct notes *n)
{
	saving_begin(&n->saving, n->by_name.count, save_note);
	list_each(&n->all, l) {
		struct note *note = list_of(l, struct note, in_all);

		saving_add(&n->saving, note, &note->to_save);
	}
}

bool notes_save_more(struct notes *n, struct buf *out)
{
	return saving_more(&n->saving, out);
}

void notes_load(struct notes *n, yyjson_val *saved)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(saved);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)))
		notes_set(n, json_text(key), json_text(yyjson_obj_iter_get_val(key)));
}
