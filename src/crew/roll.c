/* roll.c - sessions in the order of a list. */
#include "crew/roll.h"

#include <stdlib.h>

#include "base/map.h"
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

/* ---- who stands below whom ---- */

#define DEPTH_MAX 20 /* beyond it one stands by itself, and so does a circle */
#define NOBODY SIZE_MAX

struct nesting {
	const struct roll *from;
	struct map by_id;     /* a place in it, and one */
	size_t *child, *next; /* the first that stands below it, and the next beside it */
	bool *is_placed;
	struct roll *to;
};

static size_t parent_of(const struct nesting *n, size_t at)
{
	yyjson_val *member = n->from->members[at];
	size_t found = (size_t)map_get(&n->by_id, json_text_at(member, "parent"));

	if (!found || found - 1 == at ||
	    roll_group(n->from->members[found - 1]) != roll_group(member))
		return NOBODY;
	return found - 1;
}

static void place(struct nesting *n, size_t at, unsigned char depth)
{
	if (n->is_placed[at])
		return;
	n->is_placed[at] = true;
	n->to->members[n->to->count] = n->from->members[at];
	n->to->depths[n->to->count++] = depth;
	for (size_t c = n->child[at]; c != NOBODY && depth < DEPTH_MAX; c = n->next[c])
		place(n, c, depth + 1);
}

static void place_all(struct nesting *n)
{
	size_t count = n->from->count;

	for (size_t i = 0; i < count; i++) {
		map_set(&n->by_id, json_text_at(n->from->members[i], "id"), (void *)(i + 1));
		n->child[i] = NOBODY;
	}
	for (size_t i = count; i-- > 0;) {
		size_t parent = parent_of(n, i);

		if (parent == NOBODY)
			continue;
		n->next[i] = n->child[parent];
		n->child[parent] = i;
	}
	for (size_t i = 0; i < count; i++)
		if (parent_of(n, i) == NOBODY)
			place(n, i, 0);
	for (size_t i = 0; i < count; i++)
		place(n, i, 0);
}

/* Keeps the order of those that stand beside each other. */
static void nest(struct roll *roll)
{
	struct roll to = {.doc = roll->doc, .at_ms = roll->at_ms};
	struct nesting n = {.from = roll, .to = &to};
	size_t room = roll->count + 1;

	map_init(&n.by_id);
	to.members = must_zero(room, sizeof(*to.members));
	to.depths = must_zero(room, sizeof(*to.depths));
	n.child = must_zero(room, sizeof(*n.child));
	n.next = must_zero(room, sizeof(*n.next));
	n.is_placed = must_zero(room, sizeof(*n.is_placed));
	place_all(&n);
	map_finish(&n.by_id);
	free(n.child);
	free(n.next);
	free(n.is_placed);
	free(roll->members);
	*roll = to;
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
	nest(roll);
	return true;
}

void roll_finish(struct roll *roll)
{
	yyjson_doc_free(roll->doc);
	free(roll->members);
	free(roll->depths);
	*roll = (struct roll){0};
}

static bool has_run(yyjson_val *member, struct text run)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(member, "runs"));
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&it)))
		if (text_equal(json_text(one), run))
			return true;
	return false;
}

yyjson_val *roll_find(const struct roll *roll, struct text name)
{
	static const char *const names[] = {"handle", "id", "run"};

	for (size_t n = 0; name.len && n < 3; n++)
		for (size_t i = 0; i < roll->count; i++)
			if (text_equal(json_text_at(roll->members[i], names[n]), name))
				return roll->members[i];
	for (size_t i = 0; name.len && i < roll->count; i++)
		if (has_run(roll->members[i], name))
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
