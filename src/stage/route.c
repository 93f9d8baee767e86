/* route.c - routes as lines with a table of lengths. */
#include "stage/route.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/must.h"

#define LINE_STEP 4.0      /* of a curve, in units of the stage */
#define CURVE_LINES 1024.0 /* at most, for one corner */
#define CORNERS_MAX 16384  /* of a route; beyond that corners are sharp */
#define POINTS_MAX 1024    /* as the schema says */

struct corner {
	double x, y;
	double length; /* from the beginning */
};

struct stage_route {
	struct corner *corners;
	size_t count, room;
	struct text names[POINTS_MAX];
	size_t indices[POINTS_MAX]; /* of the corners that the points became */
	size_t points;
};

struct point {
	double x, y;
	bool is_smooth;
};

static void add_corner(struct stage_route *r, double x, double y)
{
	double length = 0;

	if (r->count == r->room) {
		r->room = r->room ? r->room * 2 : 64;
		r->corners = must_grow(r->corners, r->room * sizeof(*r->corners));
	}
	if (r->count) {
		const struct corner *last = &r->corners[r->count - 1];

		length = last->length + hypot(x - last->x, y - last->y);
	}
	assert(r->count < r->room);
	r->corners[r->count++] = (struct corner){x, y, length};
}

/* How many lines make the curve from p0 by c to p1. */
static double curve_lines(struct point p0, struct point c, struct point p1)
{
	double way = hypot(c.x - p0.x, c.y - p0.y) + hypot(p1.x - c.x, p1.y - c.y);
	double lines = ceil(way / LINE_STEP);

	return lines < 2 ? 2 : lines > CURVE_LINES ? CURVE_LINES : lines;
}

static void add_curve(struct stage_route *r, struct point c, struct point next)
{
	const struct corner *last = &r->corners[r->count - 1];
	struct point p0 = {last->x, last->y}, p1 = {(c.x + next.x) / 2, (c.y + next.y) / 2};
	double lines = curve_lines(p0, c, p1);

	if ((double)r->count + lines > CORNERS_MAX) {
		add_corner(r, c.x, c.y);
		return;
	}
	for (unsigned i = 1; i <= lines; i++) {
		double t = i / lines, u = 1 - t;

		add_corner(r, u * u * p0.x + 2 * u * t * c.x + t * t * p1.x,
		           u * u * p0.y + 2 * u * t * c.y + t * t * p1.y);
	}
}

/* The position of this id instead, if there is one. */
static struct point snapped(struct point point, yyjson_val *scene, struct text id)
{
	yyjson_val *positions = yyjson_obj_get(scene, "positions"), *position;
	size_t i, max;

	if (id.len == 0)
		return point;
	yyjson_arr_foreach(positions, i, max, position)
	{
		if (!text_equal(json_text_at(position, "id"), id))
			continue;
		point.x = show_number(position, "x", 0);
		point.y = show_number(position, "y", 0);
	}
	return point;
}

static size_t read_points(struct stage_route *r, yyjson_val *route, yyjson_val *scene,
                          struct point *points)
{
	yyjson_val *list = yyjson_obj_get(route, "points"), *one;
	size_t i, max, count = 0;

	yyjson_arr_foreach(list, i, max, one)
	{
		if (count == POINTS_MAX)
			break;
		r->names[count] = json_text_at(one, "name");
		points[count++] =
			(struct point){show_number(one, "x", 0), show_number(one, "y", 0),
		                       text_is(json_text_at(one, "cornerStyle"), "smooth")};
	}
	if (count) {
		points[0] = snapped(points[0], scene, json_text_at(route, "fromPositionId"));
		points[count - 1] =
			snapped(points[count - 1], scene, json_text_at(route, "toPositionId"));
	}
	return count;
}

struct stage_route *route_create(yyjson_val *route, yyjson_val *scene)
{
	struct stage_route *r = must_zero(1, sizeof(*r));
	struct point *points = must_zero(POINTS_MAX, sizeof(*points));

	r->points = read_points(r, route, scene, points);
	for (size_t i = 0; i < r->points; i++) {
		if (i > 0 && i + 1 < r->points && points[i].is_smooth)
			add_curve(r, points[i], points[i + 1]);
		else
			add_corner(r, points[i].x, points[i].y);
		r->indices[i] = r->count - 1;
	}
	free(points);
	return r;
}

void route_destroy(struct stage_route *route)
{
	if (!route)
		return;
	free(route->corners);
	free(route);
}

double route_length(const struct stage_route *route)
{
	return route->count ? route->corners[route->count - 1].length : 0;
}

static double route_length_of(const struct stage_route *route, struct text name, double other)
{
	for (size_t i = 0; i < route->points && name.len; i++)
		if (text_equal(route->names[i], name))
			return route->corners[route->indices[i]].length;
	return other;
}

struct route_span route_between(const struct stage_route *route, struct text from, struct text to)
{
	return (struct route_span){route_length_of(route, from, 0),
	                           route_length_of(route, to, route_length(route))};
}

/* The last corner that is not beyond the length, and has one after it. */
static size_t find_corner(const struct stage_route *route, double length)
{
	size_t low = 0, high = route->count - 1;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (route->corners[middle].length <= length)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct route_place route_at(const struct stage_route *route, struct route_span span, double t)
{
	double length = span.from + (span.to - span.from) * t, part;
	const struct corner *a, *b;
	int direction;

	if (route->count == 0)
		return (struct route_place){0, 0, 1};
	if (route->count == 1)
		return (struct route_place){route->corners[0].x, route->corners[0].y, 1};
	a = &route->corners[find_corner(route, length)];
	b = a + 1;
	part = b->length > a->length ? (length - a->length) / (b->length - a->length) : 0;
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	direction = b->x - a->x >= 0 ? 1 : -1;
	return (struct route_place){a->x + (b->x - a->x) * part, a->y + (b->y - a->y) * part,
	                            span.to < span.from ? -direction : direction};
}

size_t route_corners(const struct stage_route *route)
{
	return route->count;
}

struct route_place route_corner(const struct stage_route *route, size_t i)
{
	return (struct route_place){route->corners[i].x, route->corners[i].y, 1};
}

size_t route_corner_of(const struct stage_route *route, size_t i)
{
	return route->indices[i];
}
