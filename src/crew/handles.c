/* handles.c - names that people type, each given once. */
#include <stdint.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "crew/inside.h"

#define OTHERS "session" /* when more names than are remembered want numbers */

void handles_init(struct handles *h)
{
	map_init(&h->last);
}

void handles_finish(struct handles *h)
{
	map_finish(&h->last);
}

static uintptr_t last_of(const struct handles *h, const char *base)
{
	return (uintptr_t)map_get(&h->last, text_of(base));
}

char *handles_give(struct handles *h, const char *base)
{
	uintptr_t number = last_of(h, base);

	if (number == 0 && h->last.count >= CREW_BASES_MAX) {
		base = OTHERS;
		number = last_of(h, base);
	}
	number++;
	map_set(&h->last, text_of(base), (void *)number); // NOLINT(performance-no-int-to-ptr)
	return must_print("%s-%ju", base, (uintmax_t)number);
}

static int compare_bases(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In the order of their names: the same numbers are saved as the same bytes. */
void handles_save(const struct handles *h, const char *name, struct buf *out)
{
	char **bases = must_zero(h->last.count + 1, sizeof(*bases));
	struct text base;
	void *number;
	size_t at = 0, count = 0;

	while (map_next(&h->last, &at, &base, &number))
		bases[count++] = text_dup(base);
	qsort(bases, count, sizeof(*bases), compare_bases);
	put_object(out, name);
	for (size_t i = 0; i < count; i++) {
		put_u64(out, bases[i], last_of(h, bases[i]));
		free(bases[i]);
	}
	put_end(out);
	free(bases);
}

/* A base is written as a key as it is, so it is believed only where it needs no escapes. */
static bool is_base(struct text base)
{
	for (size_t i = 0; i < base.len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", base.at[i]) || !base.at[i])
			return false;
	return base.len > 0 && base.len <= MEMBER_BASE_MAX;
}

void handles_load(struct handles *h, yyjson_val *saved)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(saved);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&it)) && h->last.count < CREW_BASES_MAX) {
		uintptr_t number = (uintptr_t)yyjson_get_uint(yyjson_obj_iter_get_val(key));

		if (number && is_base(json_text(key)))
			map_set(&h->last, json_text(key),
			        (void *)number); // NOLINT(performance-no-int-to-ptr)
	}
}
