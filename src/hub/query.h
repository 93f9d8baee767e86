/* query.h - a subscription as a request's query says it.
 *
 * ?after= (a Last-Event-ID header wins), type= and source= (repeated, or with
 * commas), correlationId=, slow=.  What is unknown is refused.
 */
#ifndef HUB_QUERY_H
#define HUB_QUERY_H

#include "hub/client.h"
#include "hub/subscription.h"

struct http;

/* The wish's filter is to be finished by the caller, whatever is returned. */
bool hub_query_read(struct subscription *wish, const struct http *http, struct error *why);

/* Does it make sense?  What a dialect's check is. */
bool hub_query_check(const struct http *http, struct error *why);
/* Likewise, of a dialect whose clients say in messages what they want. */
bool hub_query_check_none(const struct http *http, struct error *why);

#endif
