/* write.c - values of the configuration as JSON. */
#include "config/write.h"

#include <stdlib.h>

#include "base/put.h"
#include "base/scope.h"
#include "config/check.h"

/* A text that the file may only refer to is a secret by the time it is read. */
static bool is_secret(const struct field *field)
{
	return field->check == check_reference;
}

/* The query of a URL may hold a token. */
static void write_url(struct text url, struct buf *out)
{
	struct text rest, bare = text_cut(url, '?', &rest);
	char *shown;

	if (!rest.at) {
		buf_add_json(out, url);
		return;
	}
	shown = text_dup((struct text){url.at, bare.len + 1});
	buf_add_json(out, text_of(shown));
	out->len--; /* its quote */
	buf_add(out, TEXT("(secret)\""));
	free(shown);
}

static void write_text(const struct field *field, const char *value, struct buf *out)
{
	if (!value)
		buf_add(out, TEXT("null"));
	else if (field->tree)
		buf_add(out, text_of(value));
	else if (is_secret(field))
		buf_add(out, TEXT("\"(secret)\""));
	else if (field->check == check_source_url)
		write_url(text_of(value), out);
	else
		buf_add_json(out, text_of(value));
}

static void write_amount(const struct field *field, double n, struct buf *out)
{
	char *words = field_amount(field, n);

	buf_add_json(out, text_of(words));
	free(words);
}

static void write_scopes(unsigned scopes, struct buf *out)
{
	const char *comma = "";

	buf_add_char(out, '"');
	for (unsigned bit = 1; bit <= SCOPE_ALL; bit <<= 1) {
		if (!(scopes & bit))
			continue;
		buf_print(out, "%s%s", comma, scope_name((enum scope)bit));
		comma = ",";
	}
	buf_add(out, scopes ? TEXT("\"") : TEXT("none\""));
}

static bool write_is_there(const struct field *field, const void *row)
{
	const char *at = row;

	if (field->type == FIELD_TEXTS)
		return *(const size_t *)(const void *)(at + field->count) > 0;
	if (field->type == FIELD_TEXT)
		return *(const char *const *)(const void *)(at + field->offset) != NULL;
	return field->type == FIELD_GROUP || !field->given ||
	       *(const bool *)(const void *)(at + field->given);
}

static void write_row(const struct field *fields, const void *row, struct buf *out)
{
	put_object(out, NULL);
	for (const struct field *f = fields; f->name; f++) {
		if (!write_is_there(f, row))
			continue;
		put_key(out, f->name);
		field_write(f, row, out);
	}
	put_end(out);
}

static void write_list(const struct field *field, const void *base, struct buf *out)
{
	size_t count = *(const size_t *)(const void *)((const char *)base + field->count);
	const char *items =
		*(const char *const *)(const void *)((const char *)base + field->offset);

	buf_add_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_add_char(out, ',');
		if (field->type == FIELD_ROWS)
			write_row(field->fields, items + i * field->size, out);
		else
			buf_add_json(out, text_of(((const char *const *)(const void *)items)[i]));
	}
	buf_add_char(out, ']');
}

static void write_choice(const char *word, struct buf *out)
{
	if (field_is_bare(word))
		buf_add(out, text_of(word));
	else
		buf_add_json(out, text_of(word));
}

/* Of names to values, or to rows. */
static void write_map(const struct field *field, const void *base, struct buf *out)
{
	size_t count = *(const size_t *)(const void *)((const char *)base + field->count);
	const char *rows = *(const char *const *)(const void *)((const char *)base + field->offset);

	buf_add_char(out, '{');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_add_char(out, ',');
		field_write(&field->fields[0], rows + i * field->size, out);
		buf_add_char(out, ':');
		if (field->type == FIELD_NAMED)
			write_row(field->fields + 1, rows + i * field->size, out);
		else
			field_write(&field->fields[1], rows + i * field->size, out);
	}
	buf_add_char(out, '}');
}

void field_write(const struct field *field, const void *base, struct buf *out)
{
	const void *at = (const char *)base + field->offset;

	switch (field->type) {
	case FIELD_TEXT:
		write_text(field, *(const char *const *)at, out);
		break;
	case FIELD_CHOICE:
		write_choice(field->choices[*(const unsigned *)at], out);
		break;
	case FIELD_SWITCH:
		buf_add(out, *(const bool *)at ? TEXT("true") : TEXT("false"));
		break;
	case FIELD_COUNT:
		buf_add_u64(out, *(const unsigned *)at);
		break;
	case FIELD_NUMBER:
		buf_print(out, "%.15g", *(const double *)at);
		break;
	case FIELD_SIZE:
		write_amount(field, (double)*(const size_t *)at, out);
		break;
	case FIELD_TIME:
		write_amount(field, *(const unsigned *)at, out);
		break;
	case FIELD_SCOPES:
		write_scopes(*(const unsigned *)at, out);
		break;
	case FIELD_MAP:
	case FIELD_NAMED:
		write_map(field, base, out);
		break;
	case FIELD_GROUP: /* within a row */
		write_row(field->fields, at, out);
		break;
	default:
		write_list(field, base, out);
	}
}
