/* http_query.h - the query of a request, taken apart; pure. */
#ifndef NET_HTTP_QUERY_H
#define NET_HTTP_QUERY_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

/* Percent-decodes t into out; false if it is badly encoded, holds a NUL or is more
 * than out holds. */
bool http_decode(struct text t, struct buf *out);

/* A name=value of a query string, percent-decoded into out; false if absent,
 * badly encoded or more than out holds.  Is it there at all? */
bool http_query(struct text query, const char *name, struct buf *out);
bool http_query_has(struct text query, const char *name);

/* Each name=value in turn, decoded, until one is refused; why begins with its
 * name.  The names are read as they stand. */
typedef bool http_parameter_fn(void *self, struct text name, struct text value, struct error *why);
bool http_query_each(struct text query, http_parameter_fn *take, void *self, struct error *why);

#endif
