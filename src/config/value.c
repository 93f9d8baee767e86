/* value.c - one value of the configuration, from words to a plain C type. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "base/near.h"
#include "base/scope.h"
#include "config/field.h"

/* Longer than any path or address, so that nothing here grows without end. */
#define VALUE_MAX 4096

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit sizes[] = {
	{"B", 1}, {"KiB", KIB}, {"MiB", MIB}, {"GiB", 1024 * MIB}, {"TiB", 1024 * 1024 * MIB}, {0},
};
static const struct unit times[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {0}};
static const struct unit plain[] = {{"", 1}, {0}};

const char *field_wants(const struct field *field)
{
	static const char *const words[] = {
		[FIELD_TEXT] = "a text",
		[FIELD_CHOICE] = "one of a few words",
		[FIELD_SWITCH] = "true or false",
		[FIELD_COUNT] = "a whole number",
		[FIELD_NUMBER] = "a number",
		[FIELD_SIZE] = "a size like 64MiB (B, KiB, MiB, GiB, TiB)",
		[FIELD_TIME] = "a time like 5ms (ms, s, m, h)",
		[FIELD_SCOPES] = "scopes like observe,emit or none",
		[FIELD_TEXTS] = "a list of texts",
		[FIELD_ROWS] = "a list of maps",
		[FIELD_MAP] = "a map of texts",
		[FIELD_NAMED] = "a map of maps",
		[FIELD_GROUP] = "a map",
	};

	if (field->tree)
		return "a map, or a list of maps";
	if (field->brief)
		return field->type == FIELD_ROWS ? "a list of texts or maps" : "a text or a map";
	return words[field->type];
}

bool field_is_bare(const char *word)
{
	return text_is(text_of(word), "true") || text_is(text_of(word), "false");
}

const char *field_alias(const char *word)
{
	if (!field_is_bare(word))
		return NULL;
	return text_is(text_of(word), "true") ? "on" : "off";
}

static bool says(struct text value, const char *word)
{
	const char *alias = field_alias(word);

	return text_is(value, word) || (alias && text_is(value, alias));
}

static bool misses(const struct field *field, struct text value, struct error *why)
{
	return error_set(why, "'%.*s' is not %s", TEXT_ARG(value), field_wants(field));
}

/* Digits and one of the units; false for everything else and for overflow. */
static bool read_amount(struct text value, const struct unit *units, uint64_t *out)
{
	size_t digits = 0;

	while (digits < value.len && value.at[digits] >= '0' && value.at[digits] <= '9')
		digits++;
	if (!text_to_u64((struct text){value.at, digits}, out))
		return false;
	for (; units->name; units++)
		if (text_is((struct text){value.at + digits, value.len - digits}, units->name))
			return !__builtin_mul_overflow(*out, units->factor, out);
	return *out == 0 && digits == value.len; /* nothing of anything is nothing */
}

char *field_amount(const struct field *field, double n)
{
	const struct unit *units = field->type == FIELD_SIZE   ? sizes
	                           : field->type == FIELD_TIME ? times
	                                                       : plain;
	const struct unit *best = units;

	for (const struct unit *u = units; u->name; u++)
		if (n > 0 && fmod(n, (double)u->factor) == 0)
			best = u;
	return must_print("%.15g%s", n / (double)best->factor, n > 0 ? best->name : "");
}

char *field_range(const struct field *field)
{
	char *low, *high, *range;

	if (field->high <= 0)
		return NULL;
	low = field_amount(field, field->low);
	high = field_amount(field, field->high);
	range = must_print("%s to %s", low, high);
	free(low);
	free(high);
	return range;
}

static bool in_range(const struct field *field, double n, struct error *why)
{
	bool is_small = n < field->low;
	char *bound;

	if (!is_small && (field->high <= 0 || n <= field->high))
		return true;
	bound = field_amount(field, is_small ? field->low : field->high);
	error_set(why,
	          is_small ? "too small: at least %s is wanted" : "too big: at most %s is allowed",
	          bound);
	free(bound);
	return false;
}

static bool set_size(const struct field *field, size_t *at, struct text value, struct error *why)
{
	uint64_t n;

	if (!read_amount(value, sizes, &n))
		return misses(field, value, why);
	if (!in_range(field, (double)n, why))
		return false;
	*at = (size_t)n;
	return true;
}

static bool set_count(const struct field *field, unsigned *at, struct text value, struct error *why)
{
	bool is_time = field->type == FIELD_TIME;
	uint64_t n;

	if (!read_amount(value, is_time ? times : plain, &n) || n > UINT32_MAX)
		return misses(field, value, why);
	if (!in_range(field, (double)n, why))
		return false;
	*at = (unsigned)n;
	return true;
}

static bool value_set_number(const struct field *field, double *at, struct text value,
                             struct error *why)
{
	char digits[32], *end;
	double n;

	/* strtod would take "inf", "nan", " 1" and "0x1p3" too. */
	if (value.len == 0 || value.len >= sizeof(digits))
		return misses(field, value, why);
	memcpy(digits, value.at, value.len);
	digits[value.len] = '\0';
	if (strspn(digits, "0123456789.") != value.len)
		return misses(field, value, why);
	n = strtod(digits, &end);
	if (*end != '\0' || end == digits || !isfinite(n))
		return misses(field, value, why);
	if (!in_range(field, n, why))
		return false;
	*at = n;
	return true;
}

static bool set_switch(const struct field *field, bool *at, struct text value, struct error *why)
{
	if (!says(value, "true") && !says(value, "false"))
		return misses(field, value, why);
	*at = says(value, "true");
	return true;
}

static bool set_choice(const struct field *field, unsigned *at, struct text value,
                       struct error *why)
{
	struct near near;
	struct buf all;

	near_init(&near, value);
	buf_init(&all, VALUE_MAX);
	for (unsigned i = 0; field->choices[i]; i++) {
		if (says(value, field->choices[i])) {
			buf_finish(&all);
			*at = i;
			return true;
		}
		near_offer(&near, field->choices[i]);
		buf_print(&all, "%s%s", i ? ", " : "", field->choices[i]);
	}
	if (near_best(&near))
		error_set(why, "'%.*s' is none of %.*s; did you mean '%s'?", TEXT_ARG(value),
		          TEXT_ARG(buf_text(&all)), near_best(&near));
	else
		error_set(why, "'%.*s' is none of %.*s", TEXT_ARG(value), TEXT_ARG(buf_text(&all)));
	buf_finish(&all);
	return false;
}

static bool is_control(const struct field *field, char c)
{
	if (field->lines && (c == '\n' || c == '\t'))
		return false;
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool set_text(const struct field *field, char **at, struct text value, struct error *why)
{
	if (value.len == 0)
		return error_set(why, "the text is empty");
	for (size_t i = 0; i < value.len; i++)
		if (is_control(field, value.at[i]))
			return error_set(why, "a control character is in the text");
	if (field->check && !field->check(value, why))
		return false;
	free(*at);
	*at = text_dup(value);
	return true;
}

static bool set_scopes(const struct field *field, void *base, struct text value, struct error *why)
{
	bool good = scope_parse(value, (void *)((char *)base + field->offset), why);

	if (good && field->given)
		*(bool *)((char *)base + field->given) = true;
	return good;
}

bool field_set(const struct field *field, void *base, struct text value, struct error *why)
{
	void *at = (char *)base + field->offset;

	if (value.len > VALUE_MAX)
		return error_set(why, "longer than %d bytes", VALUE_MAX);
	switch (field->type) {
	case FIELD_TEXT:
		return set_text(field, at, value, why);
	case FIELD_CHOICE:
		return set_choice(field, at, value, why);
	case FIELD_SWITCH:
		return set_switch(field, at, value, why);
	case FIELD_COUNT:
	case FIELD_TIME:
		return set_count(field, at, value, why);
	case FIELD_NUMBER:
		return value_set_number(field, at, value, why);
	case FIELD_SIZE:
		return set_size(field, at, value, why);
	case FIELD_SCOPES:
		return set_scopes(field, base, value, why);
	default:
		return error_set(why, "%s is wanted", field_wants(field));
	}
}
