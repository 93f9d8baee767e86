/* admit.c - one look at a producer's bytes.
 *
 * Most signals are what they should be, and plain.c reads them in place.  Of any other a
 * document is made, once, and one walk over the members of the envelope says what is there,
 * and whether each is what it should be.  Both fill one struct members, and decide() holds
 * that against the law.  What is stored is made in plain.c or compose.c.
 */
#include "bus/admit.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "base/random.h"
#include "bus/inside.h"
#include "signal/schema.h"

/* Room for all that may be filled in; the names of connections are short. */
#define FILL_MAX (16 * KIB)
#define NAME_SHOWN 60 /* a name from outside is quoted no longer */
#define STAGE TEXT("stage")

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const reason_names[ADMIT_REASONS] = {
	[ADMIT_OK] = "ok",
	[ADMIT_NOT_JSON] = "not_json",
	[ADMIT_NOT_OBJECT] = "not_object",
	[ADMIT_TOO_BIG] = "too_big",
	[ADMIT_TOO_DEEP] = "too_deep",
	[ADMIT_DUPLICATE] = "duplicate",
	[ADMIT_WRONG_TYPE] = "wrong_type",
	[ADMIT_SCHEMA] = "schema",
	[ADMIT_FORBIDDEN] = "forbidden",
	[ADMIT_NO_ENVELOPE] = "no_envelope",
};

const char *admit_reason_name(enum admit_reason reason)
{
	return reason_names[reason];
}

size_t admit_most(const struct admit_options *options)
{
	return options->size_max > ADMIT_OWN_MAX ? options->size_max : ADMIT_OWN_MAX;
}

struct admit *admit_create(const struct admit_options *options)
{
	struct admit *admit = must_zero(1, sizeof(*admit));
	size_t most = admit_most(options);

	admit->options = *options;
	json_reader_init(&admit->json, most);
	admit->empty = yyjson_read("{}", 2, YYJSON_READ_NOFLAG);
	buf_init(&admit->body, most + FILL_MAX);
	buf_init(&admit->source, most + FILL_MAX);
	return admit;
}

void admit_set_mode(struct admit *admit, enum admit_mode mode)
{
	admit->options.mode = mode;
}

void admit_destroy(struct admit *admit)
{
	if (!admit)
		return;
	json_reader_finish(&admit->json);
	yyjson_doc_free(admit->empty);
	buf_finish(&admit->body);
	buf_finish(&admit->source);
	free(admit);
}

/* --- reading --------------------------------------------------------------- */

/* Is there a container within `max` others?  The text is known to be JSON. */
static bool is_deeper_than(struct text raw, unsigned max)
{
	unsigned depth = 0;

	for (size_t i = 0; i < raw.len; i++) {
		char c = raw.at[i];

		if (c == '"') {
			while (raw.at[++i] != '"')
				i += raw.at[i] == '\\';
		} else if (c == '{' || c == '[') {
			if (++depth > max)
				return true;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	return false;
}

static enum admit_reason too_deep(struct admit *a)
{
	error_set(a->why, "too deep: %u levels are allowed", a->options.depth_max);
	return ADMIT_TOO_DEEP;
}

static enum admit_reason parse(struct admit *a)
{
	size_t max = a->from->is_box ? admit_most(&a->options) : a->options.size_max;
	yyjson_doc *doc;

	if (a->raw.len > max) {
		error_set(a->why, "too big: %zu bytes, %zu are allowed", a->raw.len, max);
		return ADMIT_TOO_BIG;
	}
	a->raw = text_trim(a->raw);
	doc = json_read(&a->json, a->raw, a->why);
	if (!doc)
		return ADMIT_NOT_JSON;
	a->root = yyjson_doc_get_root(doc);
	if (!yyjson_is_obj(a->root)) {
		error_set(a->why, "not an object");
		return ADMIT_NOT_OBJECT;
	}
	/* Each level is a value, so few values are not deep. */
	if (yyjson_doc_get_val_count(doc) > a->options.depth_max &&
	    is_deeper_than(a->raw, a->options.depth_max))
		return too_deep(a);
	return ADMIT_OK;
}

enum member member_of(struct text name)
{
	switch (name.len) {
	case 2:
		return memcmp(name.at, "id", 2) ? MEMBER_OTHER : MEMBER_ID;
	case 3:
		return memcmp(name.at, "seq", 3) ? MEMBER_OTHER : MEMBER_SEQ;
	case 4:
		return memcmp(name.at, "type", 4) ? MEMBER_OTHER : MEMBER_TYPE;
	case 6:
		return memcmp(name.at, "source", 6) ? MEMBER_OTHER : MEMBER_SOURCE;
	case 7:
		return memcmp(name.at, "payload", 7) ? MEMBER_OTHER : MEMBER_PAYLOAD;
	case 8:
		return memcmp(name.at, "metadata", 8) ? MEMBER_OTHER : MEMBER_METADATA;
	case 9:
		return memcmp(name.at, "timestamp", 9) ? MEMBER_OTHER : MEMBER_TIMESTAMP;
	case 13:
		return memcmp(name.at, "correlationId", 13) ? MEMBER_OTHER : MEMBER_CORRELATION;
	default:
		return MEMBER_OTHER;
	}
}

/* Notes what the envelope has.  It is one if some `type` is a string. */
static void see_members(struct admit *a)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(a->root);
	yyjson_val *key;

	memset(a->values, 0, sizeof(a->values));
	a->wrapped = true;
	a->other_count = 0;
	a->twice = NULL;
	while ((key = yyjson_obj_iter_next(&iter))) {
		enum member member = member_of(json_text(key));

		if (member == MEMBER_OTHER) {
			if (a->other_count++ == 0)
				a->first_other = key;
			continue;
		}
		if (a->values[member])
			a->twice = key;
		a->values[member] = yyjson_obj_iter_get_val(key);
		if (member == MEMBER_TYPE && yyjson_is_str(a->values[member]))
			a->wrapped = false;
	}
}

/* --- checking -------------------------------------------------------------- */

/* The key of an unknown member that has the same name as one before it. */
static yyjson_val *other_twice(struct admit *a)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(a->root);
	yyjson_val *key, *twice = NULL;
	struct map seen;

	map_init(&seen);
	while (!twice && (key = yyjson_obj_iter_next(&iter))) {
		struct text name = json_text(key);

		if (member_of(name) != MEMBER_OTHER)
			continue;
		if (map_get(&seen, name))
			twice = key;
		else
			map_set(&seen, name, key);
	}
	map_finish(&seen);
	return twice;
}

static enum admit_reason check_twice(struct admit *a)
{
	if (!a->twice && a->other_count > 1)
		a->twice = other_twice(a);
	if (!a->twice)
		return ADMIT_OK;
	error_set(a->why, "%.*s: given twice", NAME_SHOWN, yyjson_get_str(a->twice));
	return ADMIT_DUPLICATE;
}

static enum admit_reason wrong_type(struct admit *a, const char *name, const char *wanted)
{
	error_set(a->why, "%s: %s is needed", name, wanted);
	return ADMIT_WRONG_TYPE;
}

/* What it says is now known. */
static void fill_members(struct admit *a)
{
	yyjson_val **v = a->values;
	struct members *m = &a->members;

	m->id = json_text(v[MEMBER_ID]);
	m->type = json_text(v[MEMBER_TYPE]);
	m->source = json_text(v[MEMBER_SOURCE]);
	m->correlation = json_text(v[MEMBER_CORRELATION]);
	m->has_time = json_number(v[MEMBER_TIMESTAMP], &m->at_ms);
	m->has_payload = v[MEMBER_PAYLOAD] != NULL;
	m->kind = kind_of(m->type);
}

static bool is_string_or_none(yyjson_val *value)
{
	return !value || yyjson_is_str(value);
}

/* A name with a U+0000 in it would be shorter for whoever takes it for a C string. */
static bool is_name_or_none(yyjson_val *value)
{
	struct text name = json_text(value);

	return !name.len || !memchr(name.at, '\0', name.len);
}

static enum admit_reason check_names(struct admit *a)
{
	static const struct {
		enum member member;
		const char *name;
	} names[] = {
		{MEMBER_TYPE, "type"},
		{MEMBER_ID, "id"},
		{MEMBER_SOURCE, "source"},
		{MEMBER_CORRELATION, "correlationId"},
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (!is_name_or_none(a->values[names[i].member]))
			return wrong_type(a, names[i].name, "a string without U+0000");
	return ADMIT_OK;
}

static enum admit_reason check_types(struct admit *a)
{
	yyjson_val **v = a->values;
	double at_ms;

	if (!is_string_or_none(v[MEMBER_ID]))
		return wrong_type(a, "id", "a string");
	if (!is_string_or_none(v[MEMBER_SOURCE]))
		return wrong_type(a, "source", "a string");
	if (!is_string_or_none(v[MEMBER_CORRELATION]))
		return wrong_type(a, "correlationId", "a string");
	if (v[MEMBER_TIMESTAMP] && !json_number(v[MEMBER_TIMESTAMP], &at_ms))
		return wrong_type(a, "timestamp", "a number");
	if (v[MEMBER_PAYLOAD] && !yyjson_is_obj(v[MEMBER_PAYLOAD]))
		return wrong_type(a, "payload", "an object");
	if (v[MEMBER_METADATA] && !yyjson_is_obj(v[MEMBER_METADATA]))
		return wrong_type(a, "metadata", "an object");
	return check_names(a);
}

/* A null where a missing member is filled counts as missing. */
static void drop_null(struct admit *a, enum member member)
{
	if (!yyjson_is_null(a->values[member]))
		return;
	a->values[member] = NULL;
	a->cuts = true;
}

static enum admit_reason check_envelope(struct admit *a)
{
	enum admit_reason reason = check_twice(a);

	if (reason != ADMIT_OK)
		return reason;
	a->cuts = a->values[MEMBER_SEQ] != NULL;
	drop_null(a, MEMBER_ID);
	drop_null(a, MEMBER_TIMESTAMP);
	drop_null(a, MEMBER_SOURCE);
	drop_null(a, MEMBER_PAYLOAD);
	reason = check_types(a);
	if (reason != ADMIT_OK)
		return reason;
	if (!a->from->keeps_origin && yyjson_obj_getn(a->values[MEMBER_METADATA], "origin", 6))
		a->cuts = true;
	fill_members(a);
	return ADMIT_OK;
}

/* The object becomes the payload of an envelope of ours, one level down. */
static enum admit_reason check_wrapped(struct admit *a)
{
	if (is_deeper_than(a->raw, a->options.depth_max - 1))
		return too_deep(a);
	memset(a->values, 0, sizeof(a->values));
	a->values[MEMBER_PAYLOAD] = a->root;
	a->other_count = 0;
	a->cuts = false;
	fill_members(a);
	a->members.type = TEXT("event");
	return ADMIT_OK;
}

/* Types that speak for people or for us: not for whoever shows no credential. */
static bool is_closed(struct text type)
{
	static const struct text types[] = {
		{"prompt", 6}, {"answer", 6}, {"control", 7}, {"command.told", 12}};
	static const struct text families[] = {
		{"user.", 5}, {"source.", 7}, {"journal.", 8}, {"prompt.", 7}, {"session.", 8}};
	bool closed = false;

	for (size_t i = 0; i < COUNT(types); i++)
		closed |= text_equal(type, types[i]);
	for (size_t i = 0; i < COUNT(families); i++)
		closed |= text_starts(type, families[i]);
	return closed;
}

static struct text shown(struct text name)
{
	return (struct text){name.at, name.len < NAME_SHOWN ? name.len : NAME_SHOWN};
}

/* Who shows no credential may not use closed types, nor the names of sources that are
 * configured. */
static enum admit_reason check_producer(struct admit *a)
{
	struct text source = a->members.source, type = a->members.type;

	if (a->from->prefix.len == 0)
		return ADMIT_OK;
	if (is_closed(type)) {
		error_set(a->why, "type %.*s: a token is needed", TEXT_ARG(shown(type)));
		return ADMIT_FORBIDDEN;
	}
	if (source.at && a->from->may_name && !a->from->may_name(a->from->self, source)) {
		error_set(a->why, "source %.*s: a token is needed", TEXT_ARG(shown(source)));
		return ADMIT_FORBIDDEN;
	}
	return ADMIT_OK;
}

static enum admit_reason check_name(struct admit *a, const struct draft *out)
{
	if (a->from->is_box || !text_equal(out->source, SOURCE_OF_BOX))
		return ADMIT_OK;
	error_set(a->why, "source %.*s: only the box itself says that", TEXT_ARG(out->source));
	return ADMIT_FORBIDDEN;
}

/* Of whatever screen it was, it comes from the stage. */
static void check_user(struct admit *a)
{
	struct members *m = &a->members;

	a->is_user = a->from->is_client && text_starts(m->type, TEXT("user."));
	if (a->is_user && m->source.at && !text_equal(m->source, STAGE)) {
		m->source = (struct text){NULL, 0};
		a->cuts = true;
	}
}

static bool keeps_schema(struct admit *a, enum signal_kind kind, struct error *why)
{
	yyjson_val *payload = a->values[MEMBER_PAYLOAD];

	if (a->is_plain)
		return true;
	if (a->other_count)
		return error_set(why, "/%.*s: not allowed", NAME_SHOWN,
		                 yyjson_get_str(a->first_other));
	return schema_check_payload(kind, payload ? payload : yyjson_doc_get_root(a->empty), why);
}

static enum admit_reason check_schema(struct admit *a, struct draft *out)
{
	out->breaks_schema =
		a->options.mode != ADMIT_OFF && !keeps_schema(a, out->kind, &out->broken);
	if (!out->breaks_schema || (a->options.mode == ADMIT_WARN && !a->is_user))
		return ADMIT_OK;
	error_set(a->why, "%s", out->broken.words);
	return ADMIT_SCHEMA;
}

/* What it is known by: given, filled in, prefixed. */
static void name_it(struct admit *a, struct draft *out)
{
	const struct members *m = &a->members;

	out->type = m->type;
	out->correlation = m->correlation;
	out->kind = m->kind;
	out->at_ms = m->at_ms;
	if (m->id.at) {
		out->id = m->id;
	} else {
		random_uuid(a->uuid);
		out->id = (struct text){a->uuid, sizeof(a->uuid)};
	}
	out->source = m->source.at ? m->source : a->is_user ? STAGE : a->from->name;
	buf_clear(&a->source);
	if (a->from->prefix.len == 0)
		return;
	buf_add(&a->source, a->from->prefix);
	buf_add(&a->source, out->source);
	out->source = buf_text(&a->source);
}

static bool is_envelope(const struct admit *a)
{
	return !a->wrapped && !(a->other_count && yyjson_obj_getn(a->root, "op", 2));
}

/* A document of it, and what that says. */
static enum admit_reason read_document(struct admit *a)
{
	enum admit_reason reason = parse(a);

	if (reason != ADMIT_OK)
		return reason;
	see_members(a);
	if (a->from->envelope_only && !is_envelope(a)) {
		error_set(a->why, "not an envelope");
		return ADMIT_NO_ENVELOPE;
	}
	return a->wrapped ? check_wrapped(a) : check_envelope(a);
}

/* The law for what was read, by whichever reader. */
static enum admit_reason decide(struct admit *a, struct draft *out)
{
	enum admit_reason reason = check_producer(a);

	if (reason != ADMIT_OK)
		return reason;
	check_user(a);
	name_it(a, out);
	reason = check_name(a, out);
	return reason == ADMIT_OK ? check_schema(a, out) : reason;
}

static enum admit_reason look(struct admit *a, struct draft *out)
{
	enum admit_reason reason;

	a->is_plain = admit_read_plain(a);
	if (a->is_plain) {
		reason = decide(a, out);
		if (reason != ADMIT_OK || !a->cuts)
			return reason;
		a->is_plain = false; /* to cut something its place must be known */
	}
	reason = read_document(a);
	return reason == ADMIT_OK ? decide(a, out) : reason;
}

enum admit_reason admit_read(struct admit *admit, struct text raw, const struct admit_from *from,
                             struct draft *out, struct error *why)
{
	enum admit_reason reason;

	admit->raw = raw;
	admit->from = from;
	admit->why = why;
	out->filled = 0;
	reason = look(admit, out);
	if (reason != ADMIT_OK)
		return reason;
	if (admit->is_plain ? admit_place_plain(admit, out) : compose(admit, out))
		return ADMIT_OK;
	error_set(why, "too big with what was filled in");
	return ADMIT_TOO_BIG;
}
