/* yaml.c - a YAML file into the struct that a table of fields describes.
 *
 * The events of libyaml are followed as far as the table knows the way: what is
 * not in it is a fault at once, so the depth of the file is that of the table.
 * Anchors, aliases and tags are refused: a configuration needs none of them, and
 * they are how a small file becomes a large one.
 */
#include "config/yaml.h"

#include <yaml.h>

#include "base/buf.h"
#include "base/near.h"

#define SHOWN_NAME 60
#define TREE_DEPTH_MAX 8 /* of what is kept as JSON */
#define TREE_MAX 4096    /* bytes of that */

struct yaml_reader {
	yaml_parser_t parser;
	const char *name;
	struct error *why;
};

/* Writes NAME:LINE:COLUMN in front of what `why` says.  Of a long name the end
 * is kept, so that the place always fits. */
static bool fault_at(struct yaml_reader *r, yaml_mark_t mark)
{
	size_t len = strlen(r->name);
	const char *name = len > SHOWN_NAME ? r->name + len - SHOWN_NAME : r->name;

	return error_within(r->why, "%s:%zu:%zu", name, mark.line + 1, mark.column + 1);
}

static bool yaml_refuse(struct yaml_reader *r, const yaml_event_t *event, const char *words)
{
	error_set(r->why, "%s", words);
	return fault_at(r, event->start_mark);
}

static bool parser_fault(struct yaml_reader *r)
{
	yaml_mark_t mark = r->parser.problem_mark;

	if (r->parser.error == YAML_READER_ERROR) /* it knows bytes, not lines */
		mark = r->parser.mark;
	error_set(r->why, "%s", r->parser.problem ? r->parser.problem : "not YAML");
	return fault_at(r, mark);
}

static bool has_extras(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return true;
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor || event->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor || event->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor || event->data.mapping_start.tag;
	default:
		return false;
	}
}

/* On success the caller deletes the event. */
static bool next(struct yaml_reader *r, yaml_event_t *event)
{
	if (!yaml_parser_parse(&r->parser, event))
		return parser_fault(r);
	if (!has_extras(event))
		return true;
	yaml_refuse(r, event, "anchors, aliases and tags are not allowed here");
	yaml_event_delete(event);
	return false;
}

static struct text scalar_text(const yaml_event_t *event)
{
	return (struct text){(const char *)event->data.scalar.value, event->data.scalar.length};
}

static bool is_nothing(const yaml_event_t *event)
{
	struct text value;

	if (event->type != YAML_SCALAR_EVENT || event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	value = scalar_text(event);
	return value.len == 0 || text_is(value, "~") || text_is(value, "null");
}

static bool read_map(struct yaml_reader *r, const struct field *fields, void *base);

static bool unknown_key(struct yaml_reader *r, const yaml_event_t *event,
                        const struct field *fields)
{
	struct text key = scalar_text(event);
	struct near near;

	near_init(&near, key);
	for (const struct field *f = fields; f->name; f++)
		near_offer(&near, f->name);
	if (near_best(&near))
		error_set(r->why, "unknown key '%.*s', did you mean '%s'?", TEXT_ARG(key),
		          near_best(&near));
	else
		error_set(r->why, "unknown key '%.*s'", TEXT_ARG(key));
	return fault_at(r, event->start_mark);
}

static bool wrong_kind(struct yaml_reader *r, const yaml_event_t *event, const struct field *field)
{
	error_set(r->why, "'%s' wants %s", field->name, field_wants(field));
	return fault_at(r, event->start_mark);
}

/* A value's own words get the key's name and the place in front. */
static bool value_fault(struct yaml_reader *r, const yaml_event_t *event, const struct field *field)
{
	error_within(r->why, "%s", field->name);
	return fault_at(r, event->start_mark);
}

static bool yaml_read_row(struct yaml_reader *r, const struct field *list, void *base,
                          const yaml_event_t *start)
{
	void *row = field_add_row(list, base, r->why);

	if (!row)
		return value_fault(r, start, list);
	return read_map(r, list->fields, row) &&
	       (field_row_is_good(list, base, r->why) || value_fault(r, start, list));
}

static bool yaml_read_item(struct yaml_reader *r, const struct field *list, void *base,
                           const yaml_event_t *event)
{
	if (event->type == YAML_MAPPING_START_EVENT && list->type == FIELD_ROWS)
		return yaml_read_row(r, list, base, event);
	if (event->type != YAML_SCALAR_EVENT || is_nothing(event))
		return wrong_kind(r, event, list);
	return field_add(list, base, scalar_text(event), r->why) || value_fault(r, event, list);
}

static bool yaml_read_list(struct yaml_reader *r, const struct field *list, void *base,
                           const yaml_event_t *start)
{
	bool good = true, over = false;

	field_clear(list, base);
	while (good && !over) {
		yaml_event_t event;

		if (!next(r, &event))
			return false;
		over = event.type == YAML_SEQUENCE_END_EVENT;
		good = over || yaml_read_item(r, list, base, &event);
		yaml_event_delete(&event);
	}
	return good && (field_is_complete(list, base, r->why) || value_fault(r, start, list));
}

/* A name, and a map of what is said of it; nothing: the defaults. */
static bool yaml_read_named(struct yaml_reader *r, const struct field *map, void *base,
                            const yaml_event_t *key)
{
	yaml_event_t value;
	void *row;
	bool good;

	if (key->type != YAML_SCALAR_EVENT)
		return yaml_refuse(r, key, "a key is a plain word");
	row = field_add_named(map, base, scalar_text(key), r->why);
	if (!row)
		return value_fault(r, key, map);
	if (!next(r, &value))
		return false;
	if (value.type == YAML_MAPPING_START_EVENT)
		good = read_map(r, map->fields + 1, row);
	else
		good = is_nothing(&value) || wrong_kind(r, &value, map);
	yaml_event_delete(&value);
	return good && (field_row_is_good(map, base, r->why) || value_fault(r, key, map));
}

static bool yaml_read_entry(struct yaml_reader *r, const struct field *map, void *base,
                            const yaml_event_t *key)
{
	yaml_event_t value;
	bool good;

	if (key->type != YAML_SCALAR_EVENT)
		return yaml_refuse(r, key, "a key is a plain word");
	if (!next(r, &value))
		return false;
	if (value.type != YAML_SCALAR_EVENT || is_nothing(&value))
		good = wrong_kind(r, &value, map);
	else
		good = field_add_pair(map, base,
		                      (struct text[2]){scalar_text(key), scalar_text(&value)},
		                      r->why) ||
		       value_fault(r, key, map);
	yaml_event_delete(&value);
	return good;
}

static bool yaml_read_entries(struct yaml_reader *r, const struct field *map, void *base)
{
	bool good = true, over = false;

	field_clear(map, base);
	while (good && !over) {
		yaml_event_t event;

		if (!next(r, &event))
			return false;
		over = event.type == YAML_MAPPING_END_EVENT;
		good = over || (map->type == FIELD_NAMED ? yaml_read_named(r, map, base, &event)
		                                         : yaml_read_entry(r, map, base, &event));
		yaml_event_delete(&event);
	}
	return good;
}

/* ---- what is kept as JSON ---- */

static size_t skip_digits(struct text t, size_t at)
{
	while (at < t.len && text_is_digit(t.at[at]))
		at++;
	return at;
}

/* As JSON has them. */
static bool is_number(struct text t)
{
	size_t at = t.len && t.at[0] == '-', from = at;

	at = skip_digits(t, at);
	if (at == from || (t.at[from] == '0' && at > from + 1))
		return false;
	if (at < t.len && t.at[at] == '.') {
		from = at + 1;
		at = skip_digits(t, from);
		if (at == from)
			return false;
	}
	return at == t.len;
}

static bool is_plain_json(const yaml_event_t *event)
{
	struct text value = scalar_text(event);

	return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (text_is(value, "true") || text_is(value, "false") || is_number(value));
}

static void tree_scalar(const yaml_event_t *event, struct buf *out)
{
	if (is_nothing(event))
		buf_add(out, TEXT("null"));
	else if (is_plain_json(event))
		buf_add(out, scalar_text(event));
	else
		buf_add_json(out, scalar_text(event));
}

static bool read_tree(struct yaml_reader *r, const yaml_event_t *event, unsigned depth,
                      struct buf *out);

/* One more of a map or a list, or its end. */
static bool tree_item(struct yaml_reader *r, bool is_map, unsigned depth, struct buf *out,
                      bool *over)
{
	yaml_event_t event;
	bool good;

	if (!next(r, &event))
		return false;
	*over = event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT;
	if (*over) {
		yaml_event_delete(&event);
		return true;
	}
	if (out->len && out->at[out->len - 1] != '{' && out->at[out->len - 1] != '[')
		buf_add_char(out, ',');
	if (is_map && event.type != YAML_SCALAR_EVENT) {
		good = yaml_refuse(r, &event, "a key is a plain word");
	} else if (is_map) {
		buf_add_json(out, scalar_text(&event));
		buf_add_char(out, ':');
		yaml_event_delete(&event);
		if (!next(r, &event))
			return false;
		good = read_tree(r, &event, depth, out);
	} else {
		good = read_tree(r, &event, depth, out);
	}
	yaml_event_delete(&event);
	return good;
}

static bool read_tree(struct yaml_reader *r, const yaml_event_t *event, unsigned depth,
                      struct buf *out)
{
	bool is_map = event->type == YAML_MAPPING_START_EVENT, good = true, over = false;

	if (event->type == YAML_SCALAR_EVENT) {
		tree_scalar(event, out);
		return true;
	}
	if (depth == TREE_DEPTH_MAX)
		return yaml_refuse(r, event, "nested too deeply");
	buf_add_char(out, is_map ? '{' : '[');
	while (good && !over)
		good = tree_item(r, is_map, depth + 1, out, &over);
	buf_add_char(out, is_map ? '}' : ']');
	return good;
}

static bool yaml_read_tree(struct yaml_reader *r, const struct field *field, void *base,
                           const yaml_event_t *event)
{
	struct buf json;
	bool good;

	if (is_nothing(event))
		return true;
	buf_init(&json, TREE_MAX);
	good = read_tree(r, event, 0, &json);
	if (good && json.full) {
		error_set(r->why, "longer than %d bytes", TREE_MAX);
		good = value_fault(r, event, field);
	} else if (good) {
		good = field_set(field, base, buf_text(&json), r->why) ||
		       value_fault(r, event, field);
	}
	buf_finish(&json);
	return good;
}

static bool yaml_read_value(struct yaml_reader *r, const struct field *field, void *base,
                            const yaml_event_t *event)
{
	if (field->type == FIELD_GROUP) {
		if (is_nothing(event)) /* all of it is commented out */
			return true;
		base = (char *)base + field->offset;
		if (event->type == YAML_MAPPING_START_EVENT)
			return read_map(r, field->fields, base);
		if (!field->brief)
			return wrong_kind(r, event, field);
		field = field->fields;
	}
	if (field->type == FIELD_MAP || field->type == FIELD_NAMED)
		return event->type == YAML_MAPPING_START_EVENT ? yaml_read_entries(r, field, base)
		                                               : wrong_kind(r, event, field);
	if (field_is_list(field))
		return event->type == YAML_SEQUENCE_START_EVENT
		               ? yaml_read_list(r, field, base, event)
		               : wrong_kind(r, event, field);
	if (field->tree)
		return yaml_read_tree(r, field, base, event);
	if (event->type != YAML_SCALAR_EVENT || is_nothing(event))
		return wrong_kind(r, event, field);
	return field_set(field, base, scalar_text(event), r->why) || value_fault(r, event, field);
}

/* One key and its value.  `seen` has a bit for each field of the table. */
static bool read_pair(struct yaml_reader *r, const struct field *fields, void *base,
                      const yaml_event_t *key, uint64_t *seen)
{
	const struct field *field;
	yaml_event_t value;
	bool good;

	if (key->type != YAML_SCALAR_EVENT)
		return yaml_refuse(r, key, "a key is a plain word");
	field = field_find(fields, scalar_text(key));
	if (!field)
		return unknown_key(r, key, fields);
	if (*seen >> (field - fields) & 1) {
		error_set(r->why, "'%s' is given twice", field->name);
		return fault_at(r, key->start_mark);
	}
	*seen |= (uint64_t)1 << (field - fields);
	if (!next(r, &value))
		return false;
	good = yaml_read_value(r, field, base, &value);
	yaml_event_delete(&value);
	return good;
}

static bool has_needed(struct yaml_reader *r, const struct field *fields, const yaml_event_t *end,
                       uint64_t seen)
{
	for (const struct field *f = fields; f->name; f++) {
		if (f->needed && !(seen >> (f - fields) & 1)) {
			error_set(r->why, "'%s' is missing", f->name);
			return fault_at(r, end->start_mark);
		}
	}
	return true;
}

static bool read_map(struct yaml_reader *r, const struct field *fields, void *base)
{
	bool good = true, over = false;
	uint64_t seen = 0;

	while (good && !over) {
		yaml_event_t event;

		if (!next(r, &event))
			return false;
		over = event.type == YAML_MAPPING_END_EVENT;
		good = over ? has_needed(r, fields, &event, seen)
		            : read_pair(r, fields, base, &event, &seen);
		yaml_event_delete(&event);
	}
	return good;
}

/* The events around the one document a file has, and the document itself. */
static bool read_event(struct yaml_reader *r, const struct field *fields, void *base,
                       const yaml_event_t *event, unsigned *documents)
{
	switch (event->type) {
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return true;
	case YAML_DOCUMENT_START_EVENT:
		return ++*documents == 1 || yaml_refuse(r, event, "a second document begins here");
	case YAML_MAPPING_START_EVENT:
		return read_map(r, fields, base);
	default:
		return is_nothing(event) || yaml_refuse(r, event, "a map of keys is wanted");
	}
}

static bool read_stream(struct yaml_reader *r, const struct field *fields, void *base)
{
	bool good = true, over = false;
	unsigned documents = 0;

	while (good && !over) {
		yaml_event_t event;

		if (!next(r, &event))
			return false;
		over = event.type == YAML_STREAM_END_EVENT;
		good = read_event(r, fields, base, &event, &documents);
		yaml_event_delete(&event);
	}
	return good;
}

bool yaml_read(const struct field *fields, void *base, struct text bytes, const char *name,
               struct error *why)
{
	struct error unheard = {""};
	struct yaml_reader r = {.name = name, .why = why ? why : &unheard};
	bool good;

	if (!yaml_parser_initialize(&r.parser))
		return error_set(why, "%s: no memory for a YAML parser", name);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)bytes.at, bytes.len);
	good = read_stream(&r, fields, base);
	yaml_parser_delete(&r.parser);
	return good;
}
