/* buf.h - bytes that grow up to a ceiling.
 *
 * No buffer of this program is unbounded: the ceiling is given at birth.  An
 * append that would pass it changes nothing, returns false and marks the buffer
 * `full`; so a caller may make several appends and look at `full` once.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/text.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

struct buf {
	char *at;
	size_t len;
	size_t room;
	size_t max;
	bool full; /* an append was refused */
};

void buf_init(struct buf *b, size_t max);
void buf_finish(struct buf *b); /* frees; the buffer is empty and usable after */

bool buf_add_grown(struct buf *b, struct text t); /* buf_add, when it must grow first */
bool buf_add_char(struct buf *b, char c);
bool buf_add_u64(struct buf *b, uint64_t n); /* decimal */
bool buf_print(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As a JSON string with its quotes.  Bytes that are not UTF-8 become U+FFFD, so
 * that what is written is always valid JSON. */
bool buf_add_json(struct buf *b, struct text t);

/* Room for n more bytes at b->at + b->len, not yet counted; NULL when full.
 * The writer adds what it wrote to b->len. */
char *buf_reserve(struct buf *b, size_t n);

void buf_clear(struct buf *b);          /* keeps the memory */
void buf_drop(struct buf *b, size_t n); /* the first n bytes */

static inline bool buf_add(struct buf *b, struct text t)
{
	if (t.len > b->room - b->len)
		return buf_add_grown(b, t);
	if (t.len)
		memcpy(b->at + b->len, t.at, t.len);
	b->len += t.len;
	return true;
}

static inline struct text buf_text(const struct buf *b)
{
	return (struct text){b->at, b->len};
}

#endif
