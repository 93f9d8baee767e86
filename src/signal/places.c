/* places.c - items by the hash of how they are written. */
#include "signal/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/must.h"
#include "signal/json.h"

#define ITEM_MAX (16 * MIB) /* no document is as large */
#define SIGN_LEN 16

static void sign(yyjson_val *item, struct buf *scratch, char out[SIGN_LEN + 1])
{
	buf_clear(scratch);
	json_add(scratch, item);
	snprintf(out, SIGN_LEN + 1, "%016llx",
	         (unsigned long long)XXH3_64bits(scratch->at, scratch->len));
}

void places_sign(yyjson_val *list, struct buf *out)
{
	char word[SIGN_LEN + 1];
	struct buf scratch;
	yyjson_val *item;
	size_t i, max;

	buf_init(&scratch, ITEM_MAX);
	buf_add_char(out, '[');
	yyjson_arr_foreach(list, i, max, item)
	{
		sign(item, &scratch, word);
		buf_print(out, "%s\"%s\"", i ? "," : "", word);
	}
	buf_add_char(out, ']');
	buf_finish(&scratch);
}

/* The first item that is written so, and behind each the next that is: an index is one
 * more, since 0 is none. */
struct chains {
	struct map first;
	size_t *next;
};

static void find_all(struct chains *chains, yyjson_val *list)
{
	yyjson_val **items = must_zero(yyjson_arr_size(list), sizeof(*items)), *item;
	char word[SIGN_LEN + 1];
	struct buf scratch;
	size_t i, max;

	buf_init(&scratch, ITEM_MAX);
	chains->next = must_zero(yyjson_arr_size(list) + 1, sizeof(*chains->next));
	map_init(&chains->first);
	yyjson_arr_foreach(list, i, max, item)
	{
		items[i] = item;
	}
	while (i-- > 0) {
		struct text key = {word, SIGN_LEN};

		sign(items[i], &scratch, word);
		chains->next[i + 1] = (size_t)(uintptr_t)map_get(&chains->first, key);
		map_set(&chains->first, key, (void *)(uintptr_t)(i + 1));
	}
	buf_finish(&scratch);
	free(items);
}

static size_t take_first(struct chains *chains, struct text key)
{
	size_t place = (size_t)(uintptr_t)map_get(&chains->first, key);

	if (place == 0)
		return PLACES_NONE;
	map_set(&chains->first, key, (void *)(uintptr_t)chains->next[place]);
	return place - 1;
}

void places_init(struct places *places, yyjson_val *signs, yyjson_val *list)
{
	struct chains chains;
	yyjson_val *one;
	size_t i, max;

	*places = (struct places){.count = yyjson_arr_size(signs)};
	places->at = must_zero(places->count, sizeof(*places->at));
	find_all(&chains, list);
	yyjson_arr_foreach(signs, i, max, one)
	{
		places->at[i] = take_first(&chains, json_text(one));
	}
	map_finish(&chains.first);
	free(chains.next);
}

void places_finish(struct places *places)
{
	free(places->at);
}
