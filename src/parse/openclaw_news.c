/* openclaw_news.c - is there anything new in what a gateway repeats?
 *
 * Presence and health come every minute, whether something happened or not.
 */
#include "parse/openclaw_frame.h"

#include "signal/json.h"

#define DEPTH_MAX 16 /* of what is looked at: state is flat */

/* Clocks, ages, loads and how it was put into words. */
static bool is_fleeting(struct text name)
{
	static const char *const names[] = {
		"ts",       "age",   "text",      "reason",           "recent",
		"sessions", "probe", "eventLoop", "lastInputSeconds", NULL};
	static const struct text ends[] = {{"Ms", 2}, {"At", 2}, {"Ago", 3}};

	for (size_t i = 0; names[i]; i++)
		if (text_is(name, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (name.len > ends[i].len &&
		    memcmp(name.at + name.len - ends[i].len, ends[i].at, ends[i].len) == 0)
			return true;
	return false;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
	return a * 0xff51afd7ed558ccdu;
}

static uint64_t news_in(yyjson_val *value, unsigned depth);

/* Members have no order. */
static uint64_t news_in_object(yyjson_val *object, unsigned depth)
{
	yyjson_obj_iter each = yyjson_obj_iter_with(object);
	uint64_t sum = 1;
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&each))) {
		struct text name = json_text(key);

		if (!is_fleeting(name))
			sum += mix(openclaw_hash_of(name),
			           news_in(yyjson_obj_iter_get_val(key), depth + 1));
	}
	return sum;
}

static uint64_t news_in(yyjson_val *value, unsigned depth)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(value);
	uint64_t hash = yyjson_get_tag(value);
	yyjson_val *one;

	if (depth > DEPTH_MAX)
		return hash;
	if (yyjson_is_obj(value))
		return news_in_object(value, depth);
	if (yyjson_is_str(value))
		return openclaw_hash_of(json_text(value));
	while ((one = yyjson_arr_iter_next(&each)))
		hash = mix(hash, news_in(one, depth + 1));
	if (yyjson_is_num(value))
		hash = mix(hash, yyjson_is_real(value) ? (uint64_t)yyjson_get_real(value)
		                                       : yyjson_get_uint(value));
	return hash;
}

uint64_t openclaw_news_of(yyjson_val *value)
{
	return news_in(value, 0);
}

bool openclaw_frame_is_stale(struct openclaw_frame *f)
{
	enum openclaw_event event = openclaw_event_of(f->event);
	bool is_presence = event == OPENCLAW_PRESENCE;
	uint64_t *known = is_presence ? &f->gateway->presence : &f->gateway->health;
	uint64_t *news = is_presence ? &f->gateway->presence_news : &f->gateway->health_news;
	yyjson_val *version = yyjson_obj_get(yyjson_obj_get(f->root, "stateVersion"),
	                                     is_presence ? "presence" : "health");
	yyjson_val *list = yyjson_obj_get(f->payload, "presence");
	uint64_t before = *news;

	if (!is_presence && event != OPENCLAW_HEALTH)
		return false;
	if (yyjson_is_uint(version) && yyjson_get_uint(version) <= *known)
		return true;
	if (yyjson_is_uint(version))
		*known = yyjson_get_uint(version);
	*news = openclaw_news_of(list ? list : f->payload);
	return *news == before;
}
