/* prices.c - a list of prices, and which of its lines a model's name means.
 *
 * A name is brought into one form first: small letters, without the path, the region, the
 * vendor, the version of the service and the date that clouds put around it.  Then it is looked
 * up as it is, or else by the longest key that stands in it between separators; a key with a
 * number behind it is another model.
 */
#include "crew/prices.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "signal/json.h"

#define NAME_ROOM 256 /* a longer name of a model is unknown */
#define TIERS_MAX 8   /* of one model */
#define MILLION 1000000.0
#define DATE_ROOM 32
#define PARTS_MAX 4096 /* names whose parts were looked for; then all are forgotten */
#define PRICE_MAX 1e6  /* dollars for a million tokens: nonsense beyond */

extern const char prices_default_json[];
extern const size_t prices_default_json_len;

const char *const spent_names[SPENT_COUNTS] = {
	[SPENT_INPUT] = "input",
	[SPENT_OUTPUT] = "output",
	[SPENT_CACHE_READ] = "cacheRead",
	[SPENT_CACHE_WRITE] = "cacheWrite",
	[SPENT_CACHE_WRITE_1H] = "cacheWrite1h",
	[SPENT_REASONING] = "reasoning",
	[SPENT_CALLS] = "calls",
	[SPENT_MICROS] = "told",
};

/* The longest prompt of each class but the last. */
static const uint64_t size_ends[PRICES_SIZES - 1] = {32000, 100000, 128000, 200000, 256000, 272000};

#define PRICED PRICES_PRICED

struct tier {
	uint64_t above;       /* prompts of more tokens than this */
	double price[PRICED]; /* negative: not said */
};

struct price {
	struct tier tiers[TIERS_MAX]; /* the first is for all */
	unsigned tier_count;
	uint64_t up_to; /* a longer prompt has a price that is not listed; 0: none has */
	uint64_t window;
	double fast; /* 0: there is no such mode */
};

struct prices {
	struct map models;  /* by the form of the name -> struct price */
	struct map regions; /* -> double */
	struct map *
		parts; /* names that were looked for in parts -> struct price, or the list itself */
	char date[DATE_ROOM];
};

unsigned prices_size_of(uint64_t prompt)
{
	unsigned size = 0;

	while (size < PRICES_SIZES - 1 && prompt > size_ends[size])
		size++;
	return size;
}

/* The shortest prompt of a class is longer than this. */
static uint64_t size_floor(unsigned size)
{
	return size == 0 ? 0 : size_ends[size - 1];
}

/* ---- the form of a name ---- */

struct name_form {
	char at[NAME_ROOM];
	size_t len;
	struct text region; /* in a text that is not ours */
};

static struct text form_text(const struct name_form *form)
{
	return (struct text){form->at, form->len};
}

static bool are_digits(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (!isdigit((unsigned char)t.at[i]))
			return false;
	return t.len > 0;
}

static struct text last_of(struct text t, size_t n)
{
	return (struct text){t.at + t.len - n, n};
}

static bool cut_end(struct text *t, struct text end)
{
	if (!text_ends(*t, end))
		return false;
	t->len -= end.len;
	return true;
}

/* -20250929 and -2025-09-29. */
static bool cut_date(struct text *t)
{
	struct text end;

	if (t->len > 9 && t->at[t->len - 9] == '-' && are_digits(last_of(*t, 8))) {
		t->len -= 9;
		return true;
	}
	if (t->len <= 11)
		return false;
	end = last_of(*t, 11);
	if (end.at[0] != '-' || end.at[5] != '-' || end.at[8] != '-' ||
	    !are_digits((struct text){end.at + 1, 4}) ||
	    !are_digits((struct text){end.at + 6, 2}) || !are_digits((struct text){end.at + 9, 2}))
		return false;
	t->len -= 11;
	return true;
}

/* @20250929, @default. */
static bool cut_at_sign(struct text *t)
{
	struct text rest, name = text_cut(*t, '@', &rest);

	if (!rest.at || name.len == 0 ||
	    !(text_is(rest, "default") || (rest.len == 8 && are_digits(rest))))
		return false;
	*t = name;
	return true;
}

/* In whatever order they stand behind one another. */
static void cut_ends(struct text *t)
{
	while (cut_end(t, TEXT("[1m]")) || cut_end(t, TEXT("-v1:0")) || cut_end(t, TEXT("-v1")) ||
	       cut_end(t, TEXT("-latest")) || cut_at_sign(t) || cut_date(t))
		;
}

static bool cut_begin(struct text *t, struct text begin)
{
	if (!text_starts(*t, begin))
		return false;
	*t = (struct text){t->at + begin.len, t->len - begin.len};
	return true;
}

static struct text cut_region(struct text *t)
{
	static const char *const regions[] = {"us", "eu", "jp", "au", "apac", "global"};
	struct text rest, region = text_cut(*t, '.', &rest);

	for (size_t i = 0; rest.at && i < sizeof(regions) / sizeof(*regions); i++)
		if (text_is(region, regions[i])) {
			*t = rest;
			return text_of(regions[i]);
		}
	return TEXT("");
}

static bool form_name(struct text name, struct name_form *form)
{
	char small[NAME_ROOM];
	struct text t;

	if (name.len == 0 || name.len > sizeof(small))
		return false;
	for (size_t i = 0; i < name.len; i++)
		small[i] = (char)tolower((unsigned char)name.at[i]);
	t = (struct text){small, name.len};
	for (size_t i = name.len; i > 0; i--)
		if (small[i - 1] == '/') {
			t = (struct text){small + i, name.len - i};
			break;
		}
	form->region = cut_region(&t);
	cut_begin(&t, TEXT("anthropic."));
	cut_ends(&t);
	form->len = t.len;
	for (size_t i = 0; i < t.len; i++)
		form->at[i] = t.at[i] == '.' || t.at[i] == '@' ? '-' : t.at[i];
	return form->len > 0;
}

/* ---- the list ---- */

static bool is_separator(char c)
{
	return !isalnum((unsigned char)c);
}

/* Does the key stand at this place, whole, and with no number behind it that would make it
 * another model? */
static bool stands_at(struct text name, struct text key, size_t at)
{
	size_t end = at + key.len;

	if (end > name.len || memcmp(name.at + at, key.at, key.len) != 0 ||
	    (at > 0 && !is_separator(name.at[at - 1])))
		return false;
	if (end == name.len)
		return true;
	return is_separator(name.at[end]) &&
	       !(end + 1 < name.len && isdigit((unsigned char)name.at[end + 1]));
}

static bool stands_in(struct text name, struct text key)
{
	for (size_t at = 0; at + key.len <= name.len; at++)
		if (stands_at(name, key, at))
			return true;
	return false;
}

static const struct price *find_form(const struct prices *prices, struct text name)
{
	const struct price *found = map_get(&prices->models, name);
	struct text key, longest = {0};
	size_t at = 0;
	void *value;

	if (found || (found = map_get(prices->parts, name)))
		return (const void *)found == prices ? NULL : found;
	while (map_next(&prices->models, &at, &key, &value))
		if (key.len > longest.len && stands_in(name, key)) {
			longest = key;
			found = value;
		}
	if (prices->parts->count == PARTS_MAX) {
		map_finish(prices->parts);
		map_init(prices->parts);
	}
	map_set(prices->parts, name, found ? (void *)found : (void *)prices);
	return found;
}

static const struct price *find_price(const struct prices *prices, struct text model,
                                      double *factor)
{
	struct name_form form;
	const double *region;

	*factor = 1;
	if (!form_name(model, &form))
		return NULL;
	region = map_get(&prices->regions, form.region);
	if (region)
		*factor = *region;
	return find_form(prices, form_text(&form));
}

/* The prices of the longest prompts that are not longer than these. */
static const struct tier *tier_of(const struct price *price, unsigned size)
{
	const struct tier *found = &price->tiers[0];

	for (unsigned i = 1; i < price->tier_count; i++)
		if (price->tiers[i].above <= size_floor(size) && size > 0 &&
		    price->tiers[i].above >= found->above)
			found = &price->tiers[i];
	return found;
}

/* A cache that has no price of its own: what is written costs as what is read by the model,
 * and what is kept for an hour as what is kept for less. */
static double price_of(const struct tier *tier, int what)
{
	if (tier->price[what] >= 0)
		return tier->price[what];
	if (what == SPENT_CACHE_WRITE_1H)
		return price_of(tier, SPENT_CACHE_WRITE);
	return tier->price[SPENT_INPUT];
}

void prices_rates(const struct prices *prices, const struct price_call *call,
                  struct price_rates *out)
{
	double factor;
	const struct price *price = find_price(prices, call->model, &factor);
	const struct tier *tier;

	*out = (struct price_rates){0};
	if (!price || (price->up_to && call->size > 0 && size_floor(call->size) >= price->up_to))
		return;
	tier = tier_of(price, call->size);
	if (call->fast && price->fast > 0)
		factor *= price->fast;
	for (int i = 0; i < PRICED; i++)
		out->dollars[i] = price_of(tier, i) * factor;
	out->is_listed = true;
}

uint64_t prices_window(const struct prices *prices, struct text model)
{
	double factor;
	const struct price *price = find_price(prices, model, &factor);

	return price ? price->window : 0;
}

const char *prices_date(const struct prices *prices)
{
	return prices->date;
}

/* ---- read ---- */

static bool read_tier(struct tier *tier, yyjson_val *from)
{
	double number;

	for (int i = 0; i < PRICED; i++) {
		yyjson_val *given = yyjson_obj_get(from, spent_names[i]);

		tier->price[i] = -1;
		if (!given)
			continue;
		if (!json_number(given, &number) || !(number >= 0) || number > PRICE_MAX)
			return false;
		tier->price[i] = number;
	}
	tier->above = 0;
	if (json_number(yyjson_obj_get(from, "tokens"), &number) && number > 0 && number < 1e12)
		tier->above = (uint64_t)number;
	return tier->price[SPENT_INPUT] >= 0 && tier->price[SPENT_OUTPUT] >= 0;
}

static bool read_tiers(struct price *price, yyjson_val *above)
{
	yyjson_arr_iter iter;
	yyjson_val *one;

	yyjson_arr_iter_init(above, &iter);
	while ((one = yyjson_arr_iter_next(&iter))) {
		if (price->tier_count == TIERS_MAX ||
		    !read_tier(&price->tiers[price->tier_count], one))
			return false;
		/* Sums are kept by class: a border has to be one of a class. */
		if (prices_size_of(price->tiers[price->tier_count].above) ==
		    prices_size_of(price->tiers[price->tier_count].above + 1))
			return false;
		price->tier_count++;
	}
	return true;
}

static bool read_price(struct price *price, yyjson_val *from)
{
	double number;

	if (!yyjson_is_obj(from) || !read_tier(&price->tiers[0], from))
		return false;
	price->tiers[0].above = 0;
	price->tier_count = 1;
	if (json_number(yyjson_obj_get(from, "window"), &number) && number > 0 && number < 1e12)
		price->window = (uint64_t)number;
	if (json_number(yyjson_obj_get(from, "upTo"), &number) && number > 0 && number < 1e12)
		price->up_to = (uint64_t)number;
	if (json_number(yyjson_obj_get(from, "fast"), &number) && number > 0 && number < PRICE_MAX)
		price->fast = number;
	return read_tiers(price, yyjson_obj_get(from, "above"));
}

static bool read_models(struct prices *prices, yyjson_val *models, struct error *why)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(models);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter))) {
		struct text name = json_text(key);
		struct price *price = must_zero(1, sizeof(*price));
		struct name_form form;

		if (!form_name(name, &form) || prices->models.count >= PRICES_MODELS_MAX ||
		    !read_price(price, yyjson_obj_iter_get_val(key))) {
			free(price);
			return error_set(why, "the prices of %.*s are not understood",
			                 name.len < 80 ? (int)name.len : 80, name.at);
		}
		free(map_remove(&prices->models, form_text(&form)));
		map_set(&prices->models, form_text(&form), price);
	}
	return true;
}

static void read_regions(struct prices *prices, yyjson_val *regions)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(regions);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)) && prices->regions.count < NAME_ROOM) {
		double number, *factor;

		if (!json_number(yyjson_obj_iter_get_val(key), &number) || !(number > 0) ||
		    number > PRICE_MAX)
			continue;
		factor = must_alloc(sizeof(*factor));
		*factor = number;
		free(map_remove(&prices->regions, json_text(key)));
		map_set(&prices->regions, json_text(key), factor);
	}
}

static bool read_date(struct prices *prices, struct text date)
{
	if (date.len == 0 || date.len >= DATE_ROOM || memchr(date.at, '\0', date.len))
		return false;
	memcpy(prices->date, date.at, date.len);
	return true;
}

static struct prices *read_list(yyjson_val *root, struct error *why)
{
	struct prices *prices = must_zero(1, sizeof(*prices));

	map_init(&prices->models);
	map_init(&prices->regions);
	prices->parts = must_zero(1, sizeof(*prices->parts));
	map_init(prices->parts);
	if (!yyjson_is_obj(yyjson_obj_get(root, "models")) ||
	    !read_date(prices, json_text_at(root, "date"))) {
		error_set(why, "a list of prices has a date and models");
		prices_destroy(prices);
		return NULL;
	}
	read_regions(prices, yyjson_obj_get(root, "regions"));
	if (read_models(prices, yyjson_obj_get(root, "models"), why))
		return prices;
	prices_destroy(prices);
	return NULL;
}

struct prices *prices_read(struct text json, struct error *why)
{
	struct prices *prices = NULL;
	struct json_reader reader;
	yyjson_doc *doc;

	if (json.len > PRICES_MAX) {
		error_set(why, "a list of prices is not that long");
		return NULL;
	}
	json_reader_init(&reader, PRICES_MAX);
	doc = json_read(&reader, json, why);
	if (doc)
		prices = read_list(yyjson_doc_get_root(doc), why);
	json_reader_finish(&reader);
	return prices;
}

struct prices *prices_own(void)
{
	struct error why;
	struct prices *own =
		prices_read((struct text){prices_default_json, prices_default_json_len}, &why);

	if (!own)
		must_give_up(why.words);
	return own;
}

static void free_values(struct map *map)
{
	struct text key;
	size_t at = 0;
	void *value;

	while (map_next(map, &at, &key, &value))
		free(value);
	map_finish(map);
}

void prices_destroy(struct prices *prices)
{
	if (!prices)
		return;
	free_values(&prices->models);
	free_values(&prices->regions);
	map_finish(prices->parts);
	free(prices->parts);
	free(prices);
}
