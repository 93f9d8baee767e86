/* envelope.c - one walk over a plain envelope.
 *
 * Every function takes the place where it begins, and returns the one behind what it
 * is named for, or NULL to decline.  A text ends with a brace, and only a closing
 * brace or bracket steps over its last byte: so there is a byte to look at everywhere
 * else, and who closes a container looks whether the text goes on.
 */
#include "signal/envelope.h"

#include "base/scan.h"
#include "base/utf8.h"
#include "signal/inside.h"

#define INTEGER_DIGITS 15 /* so many are exact in a double */
#define MODEST_DIGITS 32  /* so many are not beyond it, if there is no exponent */

enum plain_type {
	PLAIN_STRING,
	PLAIN_ESCAPED, /* a string that has escapes */
	PLAIN_INTEGER, /* INTEGER_DIGITS at most, and nothing else */
	PLAIN_NUMBER,  /* any other number */
	PLAIN_BOOLEAN,
	PLAIN_NULL,
	PLAIN_OBJECT,
	PLAIN_ARRAY,
};

struct plain {
	struct text text; /* as it was written; a string without its quotes */
	enum plain_type type;
};

/* --- tokens ---------------------------------------------------------------- */

static inline const char *skip_spaces(const char *at)
{
	while (*at == ' ')
		at++;
	return at;
}

static bool is_hex(char c)
{
	return text_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* From the backslash on.  Half a surrogate pair may be written so. */
static const char *skip_escape(const char *at, const char *end)
{
	static const bool is_short[256] = {['"'] = 1, ['\\'] = 1, ['/'] = 1, ['b'] = 1,
	                                   ['f'] = 1, ['n'] = 1,  ['r'] = 1, ['t'] = 1};

	if (at[1] != 'u')
		return is_short[(uint8_t)at[1]] ? at + 2 : NULL;
	if (end - at < 6)
		return NULL;
	for (int i = 2; i < 6; i++)
		if (!is_hex(at[i]))
			return NULL;
	return at + 6;
}

/* What is left of a string, from its first backslash on. */
static const char *skip_escaped(const char *at, const char *end)
{
	while (at && at < end && *at == '\\') {
		at = skip_escape(at, end);
		if (at)
			at = scan_stop(at, end);
	}
	return at;
}

/* From its opening quote on; the text is what is within the quotes. */
static inline const char *read_string(const char *at, const char *end, struct plain *out)
{
	const char *first = at + 1;

	at = scan_stop(first, end);
	out->type = PLAIN_STRING;
	if (at < end && *at == '\\') {
		out->type = PLAIN_ESCAPED;
		at = skip_escaped(at, end);
	}
	if (!at || at == end || *at != '"')
		return NULL;
	out->text = (struct text){first, (size_t)(at - first)};
	return at + 1;
}

static const char *skip_digits(const char *at)
{
	const char *first = at;

	while (text_is_digit(*at))
		at++;
	return at > first ? at : NULL;
}

/* The fraction and the exponent, if there are any. */
static const char *skip_fraction(const char *at)
{
	if (*at == '.' && !(at = skip_digits(at + 1)))
		return NULL;
	if (*at != 'e' && *at != 'E')
		return at;
	at++;
	return skip_digits(at + (*at == '+' || *at == '-'));
}

static const char *skip_number(const char *at, enum plain_type *type)
{
	const char *first = at, *digits = at + (*at == '-');

	at = skip_digits(digits);
	if (!at || (*digits == '0' && at - digits > 1))
		return NULL;
	*type = at - first <= INTEGER_DIGITS && digits == first ? PLAIN_INTEGER : PLAIN_NUMBER;
	if (*at != '.' && *at != 'e' && *at != 'E')
		return at;
	*type = PLAIN_NUMBER;
	return skip_fraction(at);
}

static const char *skip_word(const char *at, const char *end, struct text word)
{
	if ((size_t)(end - at) <= word.len || memcmp(at, word.at, word.len) != 0)
		return NULL;
	return at + word.len;
}

/* --- values ---------------------------------------------------------------- */

static const char *skip_container(const char *at, const char *end, unsigned depth);

/* What is no string. */
static const char *skip_other(const char *at, const char *end, unsigned depth,
                              enum plain_type *type)
{
	switch (*at) {
	case '{':
		*type = PLAIN_OBJECT;
		return skip_container(at, end, depth);
	case '[':
		*type = PLAIN_ARRAY;
		return skip_container(at, end, depth);
	case 't':
		*type = PLAIN_BOOLEAN;
		return skip_word(at, end, TEXT("true"));
	case 'f':
		*type = PLAIN_BOOLEAN;
		return skip_word(at, end, TEXT("false"));
	case 'n':
		*type = PLAIN_NULL;
		return skip_word(at, end, TEXT("null"));
	default:
		return skip_number(at, type);
	}
}

/* depth: how many containers it lies in. */
static inline const char *read_value(const char *at, const char *end, unsigned depth,
                                     struct plain *out)
{
	at = skip_spaces(at);
	if (*at == '"')
		return read_string(at, end, out);
	out->text.at = at;
	at = skip_other(at, end, depth, &out->type);
	if (at)
		out->text.len = (size_t)(at - out->text.at);
	return at;
}

/* A name, and the colon behind it.  One that has escapes may be another name. */
static inline const char *read_name(const char *at, const char *end, struct text *name)
{
	struct plain string;

	at = skip_spaces(at);
	if (*at != '"' || !(at = read_string(at, end, &string)) || string.type != PLAIN_STRING)
		return NULL;
	*name = string.text;
	at = skip_spaces(at);
	return *at == ':' ? at + 1 : NULL;
}

/* Behind a member or an item: steps over the comma, or over what closes the container. */
static inline const char *go_on(const char *at, char close, bool *more)
{
	at = skip_spaces(at);
	*more = *at == ',';
	return *more || *at == close ? at + 1 : NULL;
}

/* From the brace or bracket on. */
static const char *skip_container(const char *at, const char *end, unsigned depth)
{
	bool is_object = *at == '{', more;
	char close = is_object ? '}' : ']';
	struct plain value;
	struct text name;

	at = skip_spaces(at + 1);
	more = *at != close;
	at += !more;
	if (depth == ENVELOPE_DEPTH_MAX)
		return NULL;
	while (more) {
		if (is_object && !(at = read_name(at, end, &name)))
			return NULL;
		if (!(at = read_value(at, end, depth + 1, &value)) ||
		    !(at = go_on(at, close, &more)))
			return NULL;
	}
	return at < end ? at : NULL;
}

/* --- the payload ----------------------------------------------------------- */

static bool keeps_words(const struct shape *s, const struct plain *value)
{
	if (!s->words)
		return true;
	for (size_t i = 0; i < s->word_count; i++)
		if (value->type == PLAIN_STRING && text_equal(s->words[i], value->text))
			return true;
	return false;
}

/* A number that has no exponent and is not long fits into a double; whether it is
 * as large as it must be is certain when it need not be more than zero. */
static bool keeps_number(const struct shape *s, const struct plain *value)
{
	struct text digits = value->text;

	if (s->has_minimum && (s->minimum > 0 || digits.at[0] == '-'))
		return false;
	if (value->type == PLAIN_INTEGER)
		return true;
	return value->type == PLAIN_NUMBER && s->types == SHAPE_NUMBER &&
	       digits.len <= MODEST_DIGITS && text_find(digits, 'e') < 0 &&
	       text_find(digits, 'E') < 0;
}

/* An object with a shape of its own is the other reader's. */
static bool keeps_shape(const struct shape *s, const struct plain *value)
{
	switch (s->types) {
	case SHAPE_STRING:
		return value->type <= PLAIN_ESCAPED && keeps_words(s, value);
	case SHAPE_INTEGER:
	case SHAPE_NUMBER:
		return keeps_number(s, value);
	case SHAPE_BOOLEAN:
		return value->type == PLAIN_BOOLEAN;
	case SHAPE_OBJECT:
		return value->type == PLAIN_OBJECT && !s->members;
	default:
		return false;
	}
}

/* Steps over a name that is expected here, and its colon.  Where a name ends is known
 * then without a look at its bytes one after the other, and that is what takes time. */
static inline __attribute__((always_inline)) const char *skip_name(const char *at, const char *end,
                                                                   struct text name)
{
	if (at[0] != '"' || at[1] != name.at[0] || (size_t)(end - at) < name.len + 3 ||
	    memcmp(at + 1, name.at, name.len) != 0 || at[name.len + 1] != '"')
		return NULL;
	at = skip_spaces(at + name.len + 2);
	return *at == ':' ? at + 1 : NULL;
}

/* The member of a schema whose name is here; steps over it. */
static const char *find_member(const char *at, const char *end, const struct shape *object,
                               const struct shape_member **out)
{
	for (size_t i = 0; i < object->member_count; i++) {
		const char *behind = skip_name(at, end, object->members[i].name);

		*out = &object->members[i];
		if (behind)
			return behind;
	}
	return NULL;
}

/* One member of a payload that has a schema. */
static const char *read_known(const char *at, const char *end, const struct shape *object,
                              uint32_t *seen)
{
	const struct shape_member *m;
	struct plain value;

	if (!(at = find_member(skip_spaces(at), end, object, &m)) ||
	    !(at = read_value(at, end, 2, &value)) || !keeps_shape(m->shape, &value))
		return NULL;
	*seen |= 1u << (m - object->members);
	return at;
}

/* One of any other. */
static const char *skip_member(const char *at, const char *end)
{
	struct plain value;
	struct text name;

	at = read_name(at, end, &name);
	return at ? read_value(at, end, 2, &value) : NULL;
}

/* object: what it must be like; NULL: like anything. */
static const char *skip_payload(const char *at, const char *end, const struct shape *object)
{
	uint32_t seen = 0;
	bool more;

	at = skip_spaces(at);
	if (*at != '{')
		return NULL;
	at = skip_spaces(at + 1);
	more = *at != '}';
	at += !more;
	while (more) {
		at = object ? read_known(at, end, object, &seen) : skip_member(at, end);
		if (!at || !(at = go_on(at, '}', &more)))
			return NULL;
	}
	return at < end && !(object && object->required & ~seen) ? at : NULL;
}

/* --- the envelope ---------------------------------------------------------- */

static const char *read_text(const char *at, const char *end, struct text *out)
{
	struct plain value;

	at = skip_spaces(at);
	if (*at != '"' || !(at = read_string(at, end, &value)) || value.type != PLAIN_STRING)
		return NULL;
	*out = value.text;
	return at;
}

static const char *read_timestamp(const char *at, struct members *m)
{
	const char *first = skip_spaces(at);

	uint64_t ms = 0;

	for (at = first; text_is_digit(*at); at++)
		ms = ms * 10 + (uint64_t)(*at - '0');
	if (at == first || at - first > INTEGER_DIGITS || (*first == '0' && at - first > 1))
		return NULL;
	m->at_ms = (double)ms;
	return at;
}

static const char *read_metadata(const char *at, const char *end, struct members *m)
{
	struct plain value;

	at = read_value(at, end, 1, &value);
	if (!at || value.type != PLAIN_OBJECT)
		return NULL;
	m->metadata = value.text;
	return at;
}

static const char *read_type(const char *at, const char *end, struct members *m)
{
	at = read_text(at, end, &m->type);
	if (at)
		m->kind = kind_of(m->type);
	return at;
}

/* Members of an envelope, as bits. */
enum {
	ID = 1,
	TYPE = 2,
	TIMESTAMP = 4,
	SOURCE = 8,
	PAYLOAD = 16,
	CORRELATION = 32,
	METADATA = 64,
};

/* An envelope that is being read. */
struct envelope_reading {
	const char *end;
	struct members *m;
	bool checked;
	unsigned given; /* members */
};

/* The payload's schema is that of the type, which must have come before. */
static const char *read_payload(const char *at, const struct envelope_reading *r)
{
	const struct shape *shape;

	if (!r->checked)
		return skip_payload(at, r->end, NULL);
	if (!(r->given & TYPE))
		return NULL;
	shape = schema_payloads[r->m->kind];
	return skip_payload(at, r->end, shape->is_closed ? shape : NULL);
}

/* Which member this should be, by the first letters of its name. */
static inline unsigned guess(const char *at)
{
	if (at[0] != '"')
		return 0;
	switch (at[1]) {
	case 'i':
		return ID;
	case 't':
		return at[2] == 'y' ? TYPE : TIMESTAMP;
	case 's':
		return SOURCE;
	case 'p':
		return PAYLOAD;
	case 'c':
		return CORRELATION;
	default:
		return METADATA;
	}
}

/* Steps over `name`, or it is another. */
#define EXPECT(name) ((at = skip_name(at, end, TEXT(name))) != NULL)

static inline const char *read_member(const char *at, const struct envelope_reading *r,
                                      unsigned member)
{
	const char *end = r->end;
	struct members *m = r->m;

	switch (member) {
	case ID:
		return EXPECT("id") ? read_text(at, end, &m->id) : NULL;
	case TYPE:
		return EXPECT("type") ? read_type(at, end, m) : NULL;
	case TIMESTAMP:
		return EXPECT("timestamp") ? read_timestamp(at, m) : NULL;
	case SOURCE:
		return EXPECT("source") ? read_text(at, end, &m->source) : NULL;
	case PAYLOAD:
		return EXPECT("payload") ? read_payload(at, r) : NULL;
	case CORRELATION:
		return EXPECT("correlationId") ? read_text(at, end, &m->correlation) : NULL;
	case METADATA:
		return EXPECT("metadata") ? read_metadata(at, end, m) : NULL;
	default:
		return NULL;
	}
}

bool envelope_read(struct members *m, struct text raw, bool checked)
{
	const unsigned needed = ID | TYPE | TIMESTAMP | SOURCE | PAYLOAD;
	struct envelope_reading r = {.m = m, .checked = checked};
	const char *at;
	bool more = true;

	if (raw.len < 2 || raw.at[0] != '{' || raw.at[raw.len - 1] != '}')
		return false;
	m->has_time = m->has_payload = true;
	r.end = raw.at + raw.len;
	at = raw.at + 1;
	m->correlation = m->metadata = (struct text){NULL, 0};
	while (more) {
		unsigned member;

		at = skip_spaces(at);
		member = guess(at);
		if (r.given & member || !(at = read_member(at, &r, member)) ||
		    !(at = go_on(at, '}', &more)))
			return false;
		r.given |= member;
	}
	return at == r.end && (r.given & needed) == needed && utf8_is_valid(raw);
}
