/* scan.h - the members of a JSON object, or the items of an array, as spans of
 * its text.
 *
 * It finds where each member is; it does not check what is inside.  For text
 * that is known to be JSON, or whose spans are checked by whoever uses them.
 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <endian.h>

#include "base/text.h"

/* The first quote, backslash or control character from `at` on, or the end.  Strings
 * are most of any JSON, so sixteen bytes at a time. */
static inline const char *scan_stop(const char *at, const char *end)
{
	typedef uint8_t bytes __attribute__((vector_size(16)));
	typedef uint64_t words __attribute__((vector_size(16)));

	for (; end - at >= 16; at += 16) {
		words stops;
		bytes b;

		memcpy(&b, at, 16);
		stops = (words)((b == '"') | (b == '\\') | (b < ' '));
		if (stops[0])
			return at + __builtin_ctzll(htole64(stops[0])) / 8;
		if (stops[1])
			return at + 8 + __builtin_ctzll(htole64(stops[1])) / 8;
	}
	while (at < end && *at != '"' && *at != '\\' && (uint8_t)*at >= ' ')
		at++;
	return at;
}

/* The first CR or LF from `at` on, or the end. */
static inline const char *scan_line(const char *at, const char *end)
{
	typedef uint8_t bytes __attribute__((vector_size(16)));
	typedef uint64_t words __attribute__((vector_size(16)));

	for (; end - at >= 16; at += 16) {
		words stops;
		bytes b;

		memcpy(&b, at, 16);
		stops = (words)((b == '\n') | (b == '\r'));
		if (stops[0])
			return at + __builtin_ctzll(htole64(stops[0])) / 8;
		if (stops[1])
			return at + 8 + __builtin_ctzll(htole64(stops[1])) / 8;
	}
	while (at < end && *at != '\n' && *at != '\r')
		at++;
	return at;
}

struct scan {
	const char *at, *end;
	bool first; /* none was given yet */
	bool bad;   /* it does not look like one */
};

void scan_object(struct scan *scan, struct text object);

/* The next member: its key as written, without quotes, and its value.  False at
 * the end of the object, or when it is bad. */
bool scan_member(struct scan *scan, struct text *key, struct text *value);

/* The same in two steps, for who does not want to step over the value. */
bool scan_key(struct scan *scan, struct text *key);
bool scan_value(struct scan *scan, struct text *value);

/* The same for an array: scan_array() begins, scan_item() gives the next. */
void scan_array(struct scan *scan, struct text array);
bool scan_item(struct scan *scan, struct text *value);

/* After a key: everything up to the brace that ends the text.  That is the value
 * if no other member follows; empty if the text does not end with a brace. */
struct text scan_rest(const struct scan *scan);

/* Are there more values in the text than this, in whatever depth?  Without a look at what they are:
 * it stops as soon as it knows. */
bool scan_has_more(struct text json, size_t values);

/* After the last member: is nothing left but white space? */
bool scan_is_over(struct scan *scan);

#endif
