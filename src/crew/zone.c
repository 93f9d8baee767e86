/* zone.c - minutes, and the moments from which they hold. */
#include "crew/zone.h"

#define HOUR_MS 3600000.0

static bool read_minutes(struct text word, int *out)
{
	bool is_west = text_starts(word, TEXT("-"));
	uint64_t minutes;

	if (is_west)
		word = (struct text){word.at + 1, word.len - 1};
	if (!text_to_u64(word, &minutes) || minutes > ZONE_MINUTES_MAX)
		return false;
	*out = is_west ? -(int)minutes : (int)minutes;
	return true;
}

static bool read_change(struct zone *zone, struct text word)
{
	struct text moment, minutes = text_cut(word, '@', &moment);
	double before = zone->count ? zone->changes[zone->count - 1].from_ms : -1;
	uint64_t ms;

	if (zone->count == ZONE_CHANGES_MAX || !moment.at || !text_to_u64(moment, &ms) ||
	    !((double)ms > before) || !read_minutes(minutes, &zone->changes[zone->count].minutes))
		return false;
	zone->changes[zone->count++].from_ms = (double)ms;
	return true;
}

bool zone_read(struct zone *zone, struct text words, struct error *why)
{
	struct text rest, first = text_cut(words, ',', &rest);
	bool good;

	*zone = (struct zone){0};
	good = read_minutes(first, &zone->first);
	while (good && rest.at)
		good = read_change(zone, text_cut(rest, ',', &rest));
	return good || error_set(why,
	                         "minutes east of UTC, from -%d to %d, and at most %d changes: "
	                         "MINUTES@MILLISECONDS",
	                         ZONE_MINUTES_MAX, ZONE_MINUTES_MAX, ZONE_CHANGES_MAX);
}

int zone_minutes(const struct zone *zone, uint32_t hour)
{
	int minutes = zone ? zone->first : 0;

	for (unsigned i = 0; zone && i < zone->count; i++)
		if (zone->changes[i].from_ms <= hour * HOUR_MS)
			minutes = zone->changes[i].minutes;
	return minutes;
}
