/* groups.c - invocations by their name. */
#include "tui/groups.h"

#include <stdlib.h>

/* By name; of one name in the order in which they began. */
static int by_name(const void *a, const void *b)
{
	const struct invocation *one = *(const struct invocation *const *)a;
	const struct invocation *two = *(const struct invocation *const *)b;

	return strcmp(one->invoke, two->invoke);
}

static int by_rank(const void *a, const void *b)
{
	const struct group *one = a, *two = b;

	if (one->status != two->status)
		return one->status < two->status ? -1 : 1;
	if (one->active_ts != two->active_ts)
		return one->active_ts > two->active_ts ? -1 : 1;
	return strcmp(one->invoke, two->invoke);
}

static void groups_join(struct group *group, const struct invocation *i)
{
	if (group->count == 0 || i->status < group->status)
		group->status = i->status;
	if (group->count == 0 || i->active_ts > group->active_ts)
		group->active_ts = i->active_ts;
	group->count++;
	group->done += i->status == INVOCATION_DONE;
	group->tokens += i->tokens;
	group->tps += invocation_tps(i);
}

/* qsort is not stable, but insertion is, and there are few. */
static void add_in_order(struct groups *groups, size_t count, const struct invocation *i)
{
	size_t at = count;

	for (; at > 0 && by_name(&i, &groups->all[at - 1]) < 0; at--)
		groups->all[at] = groups->all[at - 1];
	groups->all[at] = i;
}

void groups_make(struct groups *groups, const struct fold *fold)
{
	size_t count = 0;

	groups->count = 0;
	list_each(&fold->invocations, l)
		add_in_order(groups, count++, list_of(l, struct invocation, in_fold));
	for (size_t i = 0; i < count; i++) {
		struct group *group = &groups->at[groups->count];

		if (i == 0 || by_name(&groups->all[i], &groups->all[i - 1]) != 0) {
			*group = (struct group){.invoke = groups->all[i]->invoke, .first = i};
			groups->count++;
		} else {
			group--;
		}
		groups_join(group, groups->all[i]);
	}
	qsort(groups->at, groups->count, sizeof(*groups->at), by_rank);
}
