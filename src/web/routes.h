/* routes.h - every path that is answered here, in one table.
 *
 * To add a route: write its function in an api_*.c, declare it in api.h, add a row to
 * routes.c, describe it in schema/openapi.yaml and docs/protocol.md.  The paths of streaming
 * dialects are the hub's and are not here.
 */
#ifndef WEB_ROUTES_H
#define WEB_ROUTES_H

#include "base/buf.h"
#include "base/text.h"

struct call;

/* What the body of a request may be.  ROUTE_NOTHING: none, or an empty object. */
enum route_type { ROUTE_JSON = 1, ROUTE_NDJSON = 2, ROUTE_NOTHING = 4 };

struct route {
	const char *method; /* GET answers HEAD too */
	const char *path;   /* a part of it may be `*`: call.part is what stands there */
	unsigned scope;     /* that is needed, of enum scope; 0: none */
	unsigned types;     /* of enum route_type; 0: it takes no body */
	size_t body_max;    /* gathered for answer(), may be absent; 0: answer() reads it */
	void (*answer)(struct call *call);
	bool has_query; /* answer() reads it, and refuses what it does not know */
};

/* Ended by a row without a method. */
extern const struct route routes[];

/* What a `*` stands for, the last of them, decoded: one part of a path that is not
 * empty. */
#define ROUTE_PART_MAX 512 /* the longest id of a show */
struct route_part {
	char at[ROUTE_PART_MAX];
	size_t len;
};

/* NULL: no such path or no such method; then allow says which the path has, as
 * in "GET, HEAD", and is left empty for an unknown path. */
const struct route *routes_find(struct text method, struct text path, struct route_part *part,
                                struct buf *allow);

/* 0 when it is none of ours.  Parameters such as charset are left aside. */
unsigned routes_type(struct text content_type);

/* Is it a body of a request that has nothing to say: empty, or an empty object? */
bool routes_is_nothing(struct text body);
#define ROUTES_NOTHING "this route takes no body, or {}"

#endif
