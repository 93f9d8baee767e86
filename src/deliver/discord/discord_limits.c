/* discord_limits.c - windows of so many requests, as the heads of answers tell them. */
#include "deliver/discord/discord_limits.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

/* No second has more than fifty: those that are saved up, and those that come. */
#define ALL_HOLDS 25
#define ALL_EVERY_MS 40
#define GUESS_HOLDS 5
#define GUESS_MS 5000
#define RESET_MOST_MS 86400000.0
#define NAME_ROOM 160

struct discord_limit {
	uint64_t left;
	int64_t reset_ms; /* when it is full again */
	int64_t until_ms; /* stopped */
	uint64_t holds;
};

void discord_limits_init(struct discord_limits *l)
{
	*l = (struct discord_limits){.all.rate = {ALL_HOLDS, ALL_EVERY_MS}};
	map_init(&l->by_name);
}

void discord_limits_finish(struct discord_limits *l)
{
	struct text name;
	size_t at = 0;
	void *one;

	while (map_next(&l->by_name, &at, &name, &one))
		free(one);
	map_finish(&l->by_name);
}

/* ---- buckets ---- */

static struct text name_limit(const struct discord_limits *l, const struct discord_way *way,
                              char room[NAME_ROOM])
{
	const char *hash = l->hashes[way->route];
	int n = hash[0] ? snprintf(room, NAME_ROOM, "%s ", hash)
	                : snprintf(room, NAME_ROOM, "%d ", (int)way->route);
	size_t len = way->chat.len < 64 ? way->chat.len : 64;

	if (len)
		memcpy(room + n, way->chat.at, len);
	return (struct text){room, (size_t)n + len};
}

static bool is_full(const struct discord_limit *one, int64_t now_ms)
{
	return one->reset_ms <= now_ms && one->until_ms <= now_ms;
}

static void forget_limits(struct discord_limits *l, int64_t now_ms)
{
	struct map kept;
	struct text name;
	size_t at = 0;
	void *one;

	map_init(&kept);
	while (map_next(&l->by_name, &at, &name, &one))
		if (is_full(one, now_ms))
			free(one);
		else
			map_set(&kept, name, one);
	map_finish(&l->by_name);
	l->by_name = kept;
}

static struct discord_limit *limit_of(struct discord_limits *l, const struct discord_way *way,
                                      int64_t now_ms)
{
	char room[NAME_ROOM];
	struct text name = name_limit(l, way, room);
	struct discord_limit *one = map_get(&l->by_name, name);

	if (!one) {
		if (l->by_name.count >= BUCKETS_MAX)
			forget_limits(l, now_ms);
		one = must_zero(1, sizeof(*one));
		one->holds = one->left = GUESS_HOLDS;
		map_set(&l->by_name, name, one);
	}
	if (one->reset_ms <= now_ms)
		one->left = one->holds;
	return one;
}

/* ---- asking ---- */

int64_t discord_limits_ready(const struct discord_limits *l, const struct discord_way *way,
                             int64_t now_ms)
{
	char room[NAME_ROOM];
	const struct discord_limit *one = map_get(&l->by_name, name_limit(l, way, room));
	int64_t at = way->route == DISCORD_TO_TELL ? now_ms : bucket_ready(&l->all, now_ms);

	if (one && !one->left && one->reset_ms > at)
		at = one->reset_ms;
	if (one && one->until_ms > at)
		at = one->until_ms;
	return at;
}

void discord_limits_take(struct discord_limits *l, const struct discord_way *way, int64_t now_ms)
{
	struct discord_limit *one = limit_of(l, way, now_ms);

	if (one->reset_ms <= now_ms)
		one->reset_ms = now_ms + GUESS_MS;
	one->left -= one->left > 0;
	if (way->route != DISCORD_TO_TELL)
		bucket_take(&l->all, now_ms);
}

/* Answers come in any order: within a window nothing is given back. */
void discord_limits_learn(struct discord_limits *l, const struct discord_way *way,
                          const struct discord_said *said, int64_t now_ms)
{
	struct discord_limit *one;
	bool is_same;

	if (said->hash[0])
		memcpy(l->hashes[way->route], said->hash, sizeof(said->hash));
	if (!said->has_left || !said->has_reset)
		return;
	one = limit_of(l, way, now_ms);
	is_same = one->reset_ms > now_ms;
	one->left = is_same && one->left < said->left ? one->left : said->left;
	if (said->holds)
		one->holds = said->holds;
	one->reset_ms = now_ms + said->reset_ms;
}

void discord_limits_stop(struct discord_limits *l, const struct discord_way *way,
                         const struct discord_stop *stop, int64_t now_ms)
{
	struct discord_limit *one;

	if (stop->is_global) {
		bucket_stop(&l->all, stop->until_ms);
		return;
	}
	one = limit_of(l, way, now_ms);
	if (stop->until_ms > one->until_ms)
		one->until_ms = stop->until_ms;
}

/* ---- heads of answers ---- */

static bool read_seconds(struct text value, int64_t *ms)
{
	char digits[32], *end;
	double seconds;

	if (!value.len || value.len >= sizeof(digits))
		return false;
	memcpy(digits, value.at, value.len);
	digits[value.len] = '\0';
	seconds = strtod(digits, &end);
	if (*end || !(seconds >= 0) || seconds * 1000 > RESET_MOST_MS)
		return false;
	*ms = (int64_t)(seconds * 1000 + 0.999);
	return true;
}

void discord_read_said(struct discord_said *said, struct text name, struct text value)
{
	if (text_equal_nocase(name, TEXT("X-RateLimit-Limit")))
		text_to_u64(value, &said->holds);
	else if (text_equal_nocase(name, TEXT("X-RateLimit-Remaining")))
		said->has_left = text_to_u64(value, &said->left);
	else if (text_equal_nocase(name, TEXT("X-RateLimit-Reset-After")))
		said->has_reset = read_seconds(value, &said->reset_ms);
	else if (text_equal_nocase(name, TEXT("X-RateLimit-Bucket")) && value.len &&
	         value.len < sizeof(said->hash)) {
		memset(said->hash, 0, sizeof(said->hash));
		memcpy(said->hash, value.at, value.len);
	}
}
