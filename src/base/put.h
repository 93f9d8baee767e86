/* put.h - JSON, written member by member.
 *
 *	put_object(&out, NULL);
 *	put_word(&out, "name", "signalbox");
 *	put_u64(&out, "seq", seq);
 *	put_end(&out);                          {"name":"signalbox","seq":7}
 *
 * Commas come by themselves: one stands before what follows a value.  So a function may add
 * members to an object that another has begun.  A key is a word of ours and written as it is;
 * NULL: an item of a list, or a value of its own.
 */
#ifndef BASE_PUT_H
#define BASE_PUT_H

#include "base/buf.h"

void put_key(struct buf *out, const char *key); /* for a value that others write */

void put_object(struct buf *out, const char *key);
void put_end(struct buf *out);
void put_list(struct buf *out, const char *key);
void put_list_end(struct buf *out);

void put_text(struct buf *out, const char *key, struct text value);
void put_word(struct buf *out, const char *key, const char *value); /* NULL: null */
void put_u64(struct buf *out, const char *key, uint64_t value);
void put_i64(struct buf *out, const char *key, int64_t value);
void put_bool(struct buf *out, const char *key, bool value);
void put_json(struct buf *out, const char *key, struct text json); /* as it is, trimmed */

#endif
