/* field.h - one key of the configuration, described once.
 *
 * From a table of these come the reading of the file, the environment and the
 * flags, the defaults, the words of complaint, the help, and the freeing.
 */
#ifndef CONFIG_FIELD_H
#define CONFIG_FIELD_H

#include "base/error.h"
#include "base/text.h"

enum field_type {
	FIELD_TEXT,   /* char *   */
	FIELD_CHOICE, /* an enum whose values count through `choices` */
	FIELD_SWITCH, /* bool     */
	FIELD_COUNT,  /* unsigned */
	FIELD_NUMBER, /* double   */
	FIELD_SIZE,   /* size_t, bytes: 64MiB */
	FIELD_TIME,   /* unsigned, milliseconds: 5ms, 10s, 2m, 1h */
	FIELD_SCOPES, /* unsigned, of enum scope */
	FIELD_TEXTS,  /* char **, and a size_t at `count` */
	FIELD_ROWS,   /* array of structs of `size`, and a size_t at `count` */
	FIELD_MAP,    /* likewise: a map of its first field, a text, to its second */
	FIELD_NAMED,  /* likewise: a map of its first field, a text, to maps of the others */
	FIELD_GROUP,  /* a struct within the struct */
};

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
	const char *help;
	const char *preset; /* the default as one would write it; NULL: nothing */

	double low, high;           /* of what is counted, both allowed; high 0: no limit */
	const char *const *choices; /* ended by NULL */

	/* Is this text, or this item of a list, a good one?  NULL: any is. */
	bool (*check)(struct text value, struct error *why);
	/* Do the fields of this row go together, and with the rows before it, which it follows
	 * in an array?  NULL: always. */
	bool (*check_row)(const void *row, size_t rows_before, struct error *why);

	const struct field *fields; /* of a group or a row; ended by a NULL name */
	size_t count, size;
	size_t given; /* of scopes: a bool that says that there are some; 0: nobody asks */
	bool needed;  /* in a row: it must be given */
	bool brief;   /* a row or a group may be written as its first field alone */
	bool filled;  /* a list with nothing in it is a fault */
	bool lines;   /* a text may have ends of lines and tabs in it */
	bool tree;    /* a text is written as any maps and lists, and kept as their JSON */
};

const struct field *field_find(const struct field *fields, struct text name);

static inline bool field_is_list(const struct field *field)
{
	return field->type == FIELD_TEXTS || field->type == FIELD_ROWS ||
	       field->type == FIELD_MAP || field->type == FIELD_NAMED;
}

static inline bool field_has_rows(const struct field *field)
{
	return field_is_list(field) && field->type != FIELD_TEXTS;
}

/* Gives one value to a field that is neither group nor list.  `base` is the
 * struct that the table describes. */
bool field_set(const struct field *field, void *base, struct text value, struct error *why);

/* One more item of a list, given as one value; of a map, of which a key is given once. */
bool field_add(const struct field *field, void *base, struct text value, struct error *why);
bool field_add_pair(const struct field *map, void *base, const struct text pair[2],
                    struct error *why);

/* One more row, with the defaults of its own fields; NULL when there are too
 * many. */
void *field_add_row(const struct field *field, void *base, struct error *why);

/* The same of a map of maps, in which a name is given once. */
void *field_add_named(const struct field *map, void *base, struct text name, struct error *why);

/* Is the last row, which is complete, good as it is? */
bool field_row_is_good(const struct field *field, void *base, struct error *why);

/* Is a list that is complete good as it is? */
bool field_is_complete(const struct field *field, void *base, struct error *why);

/* Empties a list. */
void field_clear(const struct field *field, void *base);

/* Any one value, as the environment gives it: a list is parted at commas and
 * replaces what was there. */
bool field_assign(const struct field *field, void *base, struct text value, struct error *why);

/* Sets every field of a table to its default, groups too. */
void fields_init(const struct field *fields, void *base);

/* Frees everything that hangs from the struct. */
void fields_finish(const struct field *fields, void *base);

/* What a value looks like, in a few words: "a size like 64MiB". */
const char *field_wants(const struct field *field);

/* A word of a choice that is written without quotes: true or false. */
bool field_is_bare(const char *word);
const char *field_alias(const char *word); /* "on" of true, "off" of false, else NULL */

/* So much of it as one would write it, in the largest unit without a rest: 64MiB.  The
 * caller frees it. */
char *field_amount(const struct field *field, double n);

/* Its range, as one would write it: "1KiB to 16MiB".  The caller frees it; NULL
 * without one. */
char *field_range(const struct field *field);

#endif
