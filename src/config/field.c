/* field.c - walking a table of fields: finding, defaults, lists, freeing. */
#include "config/field.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

/* More than anybody writes by hand, and little enough to hold. */
#define LIST_MAX 256

static void *field_member(const struct field *field, void *base)
{
	return (char *)base + field->offset;
}

static size_t *list_count(const struct field *field, void *base)
{
	return (size_t *)(void *)((char *)base + field->count);
}

/* The array's pointer has the type of its rows, so it is moved as bytes. */
static char *list_rows(const struct field *field, void *base)
{
	char *rows;

	memcpy(&rows, field_member(field, base), sizeof(rows));
	return rows;
}

const struct field *field_find(const struct field *fields, struct text name)
{
	for (; fields->name; fields++)
		if (text_is(name, fields->name))
			return fields;
	return NULL;
}

static size_t item_size(const struct field *field)
{
	return field_has_rows(field) ? field->size : sizeof(char *);
}

static void *field_add_item(const struct field *field, void *base, struct error *why)
{
	size_t *count = list_count(field, base), size = item_size(field);
	char *rows = list_rows(field, base);

	if (*count == LIST_MAX) {
		error_set(why, "more than %d", LIST_MAX);
		return NULL;
	}
	rows = must_grow(rows, (*count + 1) * size);
	memcpy(field_member(field, base), &rows, sizeof(rows));
	memset(rows + *count * size, 0, size);
	return rows + (*count)++ * size;
}

void *field_add_row(const struct field *field, void *base, struct error *why)
{
	void *row = field_add_item(field, base, why);

	if (row)
		fields_init(field->fields, row);
	return row;
}

bool field_add(const struct field *field, void *base, struct text value, struct error *why)
{
	/* An item of a plain list is read as a lone field at the item's start. */
	struct field plain = {.name = field->name, .type = FIELD_TEXT, .check = field->check};
	const struct field *first = field_has_rows(field) ? field->fields : &plain;
	void *item;

	if (field_has_rows(field) && !field->brief)
		return error_set(why, "%s is wanted", field_wants(field));
	item = field_add_item(field, base, why);
	return item && field_set(first, item, value, why) && field_row_is_good(field, base, why);
}

static bool has_key(const struct field *map, void *base, struct text key)
{
	const char *rows = list_rows(map, base);

	for (size_t i = 0; i < *list_count(map, base); i++) {
		const char *at = rows + i * map->size + map->fields[0].offset;

		if (text_is(key, *(const char *const *)(const void *)at))
			return true;
	}
	return false;
}

bool field_add_pair(const struct field *map, void *base, const struct text pair[2],
                    struct error *why)
{
	void *row;

	if (has_key(map, base, pair[0]))
		return error_set(why, "'%.*s' is given twice", TEXT_ARG(pair[0]));
	row = field_add_row(map, base, why);
	return row && field_set(&map->fields[0], row, pair[0], why) &&
	       field_set(&map->fields[1], row, pair[1], why) && field_row_is_good(map, base, why);
}

void *field_add_named(const struct field *map, void *base, struct text name, struct error *why)
{
	void *row;

	if (has_key(map, base, name)) {
		error_set(why, "'%.*s' is given twice", TEXT_ARG(name));
		return NULL;
	}
	row = field_add_row(map, base, why);
	return row && field_set(&map->fields[0], row, name, why) ? row : NULL;
}

bool field_row_is_good(const struct field *field, void *base, struct error *why)
{
	size_t before = *list_count(field, base) - 1;

	return !field->check_row ||
	       field->check_row(list_rows(field, base) + before * field->size, before, why);
}

bool field_is_complete(const struct field *field, void *base, struct error *why)
{
	return !field->filled || *list_count(field, base) > 0 ||
	       error_set(why, "the list is empty; omit it to use the default");
}

void field_clear(const struct field *field, void *base)
{
	size_t *count = list_count(field, base), size = item_size(field);
	char *rows = list_rows(field, base), *none = NULL;

	for (size_t i = 0; i < *count; i++) {
		if (field_has_rows(field)) {
			fields_finish(field->fields, rows + i * size);
		} else {
			char *text;

			memcpy(&text, rows + i * size, sizeof(text));
			free(text);
		}
	}
	free(rows);
	memcpy(field_member(field, base), &none, sizeof(none));
	*count = 0;
}

bool field_assign(const struct field *field, void *base, struct text value, struct error *why)
{
	if (!field_is_list(field))
		return field_set(field, base, value, why);
	field_clear(field, base);
	for (struct text rest = value; rest.at;) {
		struct text item = text_trim(text_cut(rest, ',', &rest));

		if (item.len > 0 && !field_add(field, base, item, why))
			return false;
	}
	return field_is_complete(field, base, why);
}

void fields_init(const struct field *fields, void *base)
{
	for (const struct field *f = fields; f->name; f++) {
		struct error why;

		if (f->type == FIELD_GROUP) {
			fields_init(f->fields, field_member(f, base));
		} else if (f->preset && !field_assign(f, base, text_of(f->preset), &why)) {
			/* A fault of the table, which every run of every test would show. */
			fprintf(stderr, "the default of %s: %s\n", f->name, why.words);
			abort();
		}
	}
}

void fields_finish(const struct field *fields, void *base)
{
	for (const struct field *f = fields; f->name; f++) {
		if (f->type == FIELD_GROUP) {
			fields_finish(f->fields, field_member(f, base));
		} else if (f->type == FIELD_TEXT) {
			char **text = field_member(f, base);

			free(*text);
			*text = NULL;
		} else if (field_is_list(f)) {
			field_clear(f, base);
		}
	}
}
