/* schema.c - the table of fields as a JSON Schema. */
#include <stdlib.h>

#include "base/put.h"
#include "base/scope.h"
#include "config/write.h"

/* Amounts have their units; nothing of anything needs none. */
#define SIZES "\"^(0|[0-9]+(B|KiB|MiB|GiB|TiB))$\""
#define TIMES "\"^(0|[0-9]+(ms|s|m|h))$\""

static void schema_add_object(const struct field *fields, const char *type, struct buf *out);

static void schema_add_choices(const char *const *choices, struct buf *out)
{
	put_list(out, "enum");
	for (size_t i = 0; choices[i]; i++) {
		if (field_is_bare(choices[i])) {
			put_json(out, NULL, text_of(choices[i]));
			put_word(out, NULL, field_alias(choices[i]));
		} else {
			put_word(out, NULL, choices[i]);
		}
	}
	buf_add_char(out, ']');
}

static void schema_add_number(const struct field *field, const char *type, struct buf *out)
{
	buf_print(out, "\"type\":\"%s\",\"minimum\":%.15g", type, field->low);
	if (field->high > 0)
		buf_print(out, ",\"maximum\":%.15g", field->high);
}

static void schema_add_amount(const char *pattern, struct buf *out)
{
	put_list(out, "anyOf");
	put_object(out, NULL);
	put_word(out, "type", "string");
	put_json(out, "pattern", text_of(pattern));
	put_end(out);
	put_object(out, NULL);
	put_u64(out, "const", 0);
	put_end(out);
	put_list_end(out);
}

/* Spaces around the commas are allowed, and none or all stands alone. */
static void schema_add_scopes(struct buf *out)
{
	struct buf one;

	buf_init(&one, KIB);
	for (unsigned bit = 1; bit <= SCOPE_ALL; bit <<= 1)
		buf_print(&one, "%s%s", bit > 1 ? "|" : "", scope_name((enum scope)bit));
	buf_print(out, "\"type\":\"string\",\"pattern\":\"^ *(none|all|(%.*s)( *, *(%.*s))*) *$\"",
	          TEXT_ARG(buf_text(&one)), TEXT_ARG(buf_text(&one)));
	buf_finish(&one);
}

static void add_rows(const struct field *field, struct buf *out)
{
	put_word(out, "type", "array");
	put_object(out, "items");
	if (field->brief) {
		put_list(out, "anyOf");
		put_object(out, NULL);
		put_word(out, "type", "string");
		put_u64(out, "minLength", 1);
		put_end(out);
		put_object(out, NULL);
	}
	schema_add_object(field->fields, "\"object\"", out);
	buf_add(out, field->brief ? TEXT("}]}") : TEXT("}"));
	if (field->filled)
		put_u64(out, "minItems", 1);
}

static void add_type(const struct field *field, struct buf *out);

/* All of it may be commented out. */
static void add_group(const struct field *field, struct buf *out)
{
	if (field->brief) {
		put_list(out, "anyOf");
		put_object(out, NULL);
		add_type(field->fields, out);
		buf_add(out, TEXT("},{"));
	}
	schema_add_object(field->fields, "[\"object\",\"null\"]", out);
	if (field->brief)
		buf_add(out, TEXT("}]"));
}

static void add_text(const struct field *field, struct buf *out)
{
	if (field->tree) {
		put_json(out, "type", TEXT("[\"object\",\"array\",\"null\"]"));
		return;
	}
	put_word(out, "type", "string");
	put_u64(out, "minLength", 1);
}

static void add_type(const struct field *field, struct buf *out)
{
	static const char *const switched[] = {"true", "false", NULL};

	switch (field->type) {
	case FIELD_TEXT:
		add_text(field, out);
		break;
	case FIELD_CHOICE:
		schema_add_choices(field->choices, out);
		break;
	case FIELD_SWITCH:
		schema_add_choices(switched, out);
		break;
	case FIELD_COUNT:
		schema_add_number(field, "integer", out);
		break;
	case FIELD_NUMBER:
		schema_add_number(field, "number", out);
		break;
	case FIELD_SIZE:
		schema_add_amount(SIZES, out);
		break;
	case FIELD_TIME:
		schema_add_amount(TIMES, out);
		break;
	case FIELD_SCOPES:
		schema_add_scopes(out);
		break;
	case FIELD_TEXTS:
		put_word(out, "type", "array");
		put_object(out, "items");
		put_word(out, "type", "string");
		put_u64(out, "minLength", 1);
		put_end(out);
		break;
	case FIELD_ROWS:
		add_rows(field, out);
		break;
	case FIELD_MAP:
		put_word(out, "type", "object");
		put_object(out, "additionalProperties");
		put_word(out, "type", "string");
		put_u64(out, "minLength", 1);
		put_end(out);
		break;
	case FIELD_NAMED:
		put_word(out, "type", "object");
		put_object(out, "additionalProperties");
		schema_add_object(field->fields + 1, "[\"object\",\"null\"]", out);
		put_end(out);
		break;
	case FIELD_GROUP:
		add_group(field, out);
	}
}

/* The default as one would write it is JSON already where it is no text. */
static void add_preset(const struct field *field, struct buf *out)
{
	bool is_bare = field->type == FIELD_SWITCH || field->type == FIELD_COUNT ||
	               field->type == FIELD_NUMBER;

	buf_add(out, field_is_list(field) ? TEXT(",\"default\":[") : TEXT(",\"default\":"));
	if (is_bare)
		buf_add(out, text_of(field->preset));
	else
		buf_add_json(out, text_of(field->preset));
	if (field_is_list(field))
		buf_add_char(out, ']');
}

static void schema_add_field(const struct field *field, struct buf *out)
{
	char *range = field_range(field);

	buf_add_json(out, text_of(field->name));
	buf_add_char(out, ':');
	put_object(out, NULL);
	put_word(out, "description", field->help);
	if (range) {
		out->len--; /* the quote: the range belongs to the words */
		buf_print(out, "; %s\"", range);
	}
	if (field->preset)
		add_preset(field, out);
	buf_add_char(out, ',');
	add_type(field, out);
	buf_add_char(out, '}');
	free(range);
}

static void add_needed(const struct field *fields, struct buf *out)
{
	bool is_first = true;

	put_list(out, "required");
	for (const struct field *f = fields; f->name; f++) {
		if (!f->needed)
			continue;
		if (!is_first)
			buf_add_char(out, ',');
		buf_add_json(out, text_of(f->name));
		is_first = false;
	}
	buf_add_char(out, ']');
}

static void schema_add_object(const struct field *fields, const char *type, struct buf *out)
{
	put_json(out, "type", text_of(type));
	put_bool(out, "additionalProperties", false);
	put_object(out, "properties");
	for (const struct field *f = fields; f->name; f++) {
		if (f != fields)
			buf_add_char(out, ',');
		schema_add_field(f, out);
	}
	buf_add_char(out, '}');
	add_needed(fields, out);
}

void field_schema(const struct field *fields, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "$schema", "https://json-schema.org/draft/2020-12/schema");
	put_word(out, "title", "signalbox.yaml");
	buf_add_char(out, ',');
	schema_add_object(fields, "[\"object\",\"null\"]", out);
	buf_add(out, TEXT("}\n"));
}
