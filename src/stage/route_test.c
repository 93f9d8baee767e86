/* route_test.c - routes have the shape that the shared vector says. */
#include "stage/route.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define TOTAL 233.9442211000487 /* as ../shared/vectors/route.json, whose shape this is */

static const char document[] =
	"{\"positions\":[{\"id\":\"a\",\"x\":0,\"y\":0},{\"id\":\"b\",\"x\":200,\"y\":50}],"
	"\"routes\":[{\"fromPositionId\":\"a\",\"toPositionId\":\"b\",\"points\":["
	"{\"x\":7,\"y\":7,\"name\":\"start\"},"
	"{\"x\":100,\"y\":0,\"cornerStyle\":\"smooth\",\"name\":\"bend\"},"
	"{\"x\":100,\"y\":50,\"cornerStyle\":\"sharp\"},{\"x\":9,\"y\":9}]}]}";

static yyjson_doc *doc;
static struct stage_route *route;

static int start(void **state)
{
	yyjson_val *scene;

	doc = yyjson_read(document, sizeof(document) - 1, 0);
	scene = yyjson_doc_get_root(doc);
	route = route_create(yyjson_arr_get(yyjson_obj_get(scene, "routes"), 0), scene);
	return 0;
}

static int stop(void **state)
{
	route_destroy(route);
	yyjson_doc_free(doc);
	return 0;
}

static void assert_at(struct route_place place, double x, double y, int direction)
{
	if (fabs(place.x - x) > 1e-9 || fabs(place.y - y) > 1e-9 || place.direction != direction)
		fail_msg("%.12f, %.12f, %d", place.x, place.y, place.direction);
}

static void a_smooth_corner_is_a_curve_of_short_lines(void **state)
{
	static const size_t indices[] = {0, 32, 33, 34};

	assert_int_equal(route_corners(route), 35);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(route_corner_of(route, i), indices[i]);
	assert_at(route_corner(route, 0), 0, 0, 1);
	assert_at(route_corner(route, 1), 6.15234375, 0.0244140625, 1);
	assert_at(route_corner(route, 4), 23.4375, 0.390625, 1);
}

static void a_route_is_walked_by_its_length(void **state)
{
	struct route_span all = route_between(route, TEXT(""), TEXT(""));

	assert_true(fabs(route_length(route) - TOTAL) < 1e-9);
	assert_at(route_at(route, all, 0), 0, 0, 1);
	assert_at(route_at(route, all, 0.25), 58.357829186462475, 3.1538418981014447, 1);
	assert_at(route_at(route, all, 0.5), 100, 33.027889449975646, 1);
	assert_at(route_at(route, all, 0.75), 141.51394472498782, 50, 1);
	assert_at(route_at(route, all, 1), 200, 50, 1);
}

static void a_part_of_it_may_be_walked_backwards(void **state)
{
	struct route_span back = route_between(route, TEXT("bend"), TEXT("start"));

	assert_at(route_at(route, back, 0), 100, 25, -1);
	assert_at(route_at(route, back, 1), 0, 0, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_smooth_corner_is_a_curve_of_short_lines),
		cmocka_unit_test(a_route_is_walked_by_its_length),
		cmocka_unit_test(a_part_of_it_may_be_walked_backwards),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
