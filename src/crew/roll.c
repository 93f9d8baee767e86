/* roll.c - sessions in the order of a list. */
#include "crew/roll.h"

#include <stdlib.h>

#include "base/must.h"
#include "signal/json.h"

enum crew_group roll_group(yyjson_val *member)
{
	struct text name = json_text_at(member, "group");
	unsigned group = 0;

	while (group < GROUP_OVER && !text_is(name, state_group_name((enum crew_group)group)))
		group++;
	return (enum crew_group)group;
}

/* `checkout-2` is `checkout` and 2; without a number all of it and 0. */
static struct text split_handle(struct text handle, uint64_t *number)
{
	size_t at = handle.len;

	*number = 0;
	while (at > 0 && handle.at[at - 1] >= '0' && handle.at[at - 1] <= '9')
		at--;
	if (at == 0 || handle.at[at - 1] != '-' ||
	    !text_to_u64((struct text){handle.at + at, handle.len - at}, number))
		return handle;
	return (struct text){handle.at, at - 1};
}

static int compare_texts(struct text a, struct text b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter ? memcmp(a.at, b.at, shorter) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_members(const void *a, const void *b)
{
	yyjson_val *left = *(yyjson_val *const *)a, *right = *(yyjson_val *const *)b;
	uint64_t i, j;
	struct text base = split_handle(json_text_at(left, "handle"), &i);
	struct text other = split_handle(json_text_at(right, "handle"), &j);
	int order = (int)roll_group(left) - (int)roll_group(right);

	if (order == 0)
		order = compare_texts(base, other);
	return order ? order : (i > j) - (i < j);
}

bool roll_read(struct roll *roll, struct text answer)
{
	yyjson_doc *doc = yyjson_read(answer.at, answer.len, YYJSON_READ_BIGNUM_AS_RAW);
	yyjson_val *list = yyjson_obj_get(yyjson_doc_get_root(doc), "members"), *member;
	yyjson_arr_iter it = yyjson_arr_iter_with(list);

	*roll = (struct roll){.doc = doc};
	if (!yyjson_is_arr(list)) {
		roll_finish(roll);
		return false;
	}
	json_number(yyjson_obj_get(yyjson_doc_get_root(doc), "at"), &roll->at_ms);
	roll->members = must_zero(yyjson_arr_size(list) + 1, sizeof(*roll->members));
	while ((member = yyjson_arr_iter_next(&it)))
		roll->members[roll->count++] = member;
	qsort(roll->members, roll->count, sizeof(*roll->members), compare_members);
	return true;
}

void roll_finish(struct roll *roll)
{
	yyjson_doc_free(roll->doc);
	free(roll->members);
	*roll = (struct roll){0};
}

yyjson_val *roll_find(const struct roll *roll, struct text name)
{
	static const char *const names[] = {"handle", "id", "run"};

	for (size_t n = 0; name.len && n < 3; n++)
		for (size_t i = 0; i < roll->count; i++)
			if (text_equal(json_text_at(roll->members[i], names[n]), name))
				return roll->members[i];
	return NULL;
}

size_t roll_count(const struct roll *roll, enum crew_group group)
{
	size_t n = 0;

	for (size_t i = 0; i < roll->count; i++)
		n += roll_group(roll->members[i]) == group;
	return n;
}
