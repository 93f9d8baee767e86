/* wishes.h - what clients want of single sessions: another model, and how much they show of tools.
 *
 * It is kept for the sessions that were changed last, and on the disk (memo.h).
 */
#ifndef GATEWAY_WISHES_H
#define GATEWAY_WISHES_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/error.h"

struct gateway;
struct gateway_call;
struct gateway_place;

void gateway_wishes_finish(struct gateway *g);

struct memo_wish;

void gateway_wishes_save(const struct gateway *g, struct buf *out); /* a list's items: memo.h */
void gateway_wishes_load(void *g, const struct memo_wish *w);       /* one more, of the last life */

/* value: a text; null: as it was before; NULL: nothing is said of it. */
bool gateway_can_wish_model(const struct gateway_call *call, const struct gateway_place *place,
                            yyjson_val *value, struct error *why);
void gateway_wish_model(const struct gateway_call *call, const struct gateway_place *place,
                        yyjson_val *value); /* if that can be */
void gateway_wish_verbose(const struct gateway_call *call, const struct gateway_place *place,
                          yyjson_val *value);

struct text gateway_wished_model(const struct gateway *g, struct text key); /* empty: none */
void gateway_put_wishes(const struct gateway *g, struct text key, struct buf *out); /* members */

#endif
