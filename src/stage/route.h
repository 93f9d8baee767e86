/* route.h - a way across the stage, walked by its length.
 *
 * Corners are sharp, or smooth: then a curve leads from what came before to half-way
 * to the next point.  Curves are drawn as short lines.
 */
#ifndef STAGE_ROUTE_H
#define STAGE_ROUTE_H

#include "base/text.h"
#include "stage/show.h"

struct stage_route;

struct route_place {
	double x, y;
	int direction; /* 1: to the right, -1: to the left */
};

/* Part of a route, as distances from its beginning; backwards if from > to. */
struct route_span {
	double from, to;
};

/* `route` is one of the scene's.  Its ends are put on the positions that it names. */
struct stage_route *route_create(yyjson_val *route, yyjson_val *scene);
void route_destroy(struct stage_route *route);

double route_length(const struct stage_route *route);

/* Between two named points; an empty or unknown name is that end of the route. */
struct route_span route_between(const struct stage_route *route, struct text from, struct text to);

/* t goes from 0 to 1. */
struct route_place route_at(const struct stage_route *route, struct route_span span, double t);

/* For tests: the corners of the lines, and which of them is point i of the document. */
size_t route_corners(const struct stage_route *route);
struct route_place route_corner(const struct stage_route *route, size_t i);
size_t route_corner_of(const struct stage_route *route, size_t i);

#endif
