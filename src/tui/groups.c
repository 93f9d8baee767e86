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
static void add_in_order(struct groups *groups, size_t first, const struct invocation *i)
{
	size_t at = groups->all_count++;

	for (; at > first && by_name(&i, &groups->all[at - 1]) < 0; at--)
		groups->all[at] = groups->all[at - 1];
	groups->all[at] = i;
}

static void add_run(struct groups *groups, const struct model_run *run)
{
	size_t first = groups->all_count;

	list_each(&run->fold.invocations, l) {
		if (groups->all_count == FOLD_INVOCATIONS_MAX)
			break;
		add_in_order(groups, first, list_of(l, struct invocation, in_fold));
	}
	for (size_t i = first; i < groups->all_count; i++) {
		struct group *group = &groups->at[groups->count];

		if (i == first || by_name(&groups->all[i], &groups->all[i - 1]) != 0) {
			*group = (struct group){
				.run = run->run, .invoke = groups->all[i]->invoke, .first = i};
			groups->count++;
		} else {
			group--;
		}
		groups_join(group, groups->all[i]);
	}
}

void groups_make(struct groups *groups, const struct model *model,
                 bool (*wanted)(void *self, const char *run), void *self)
{
	groups->count = groups->all_count = 0;
	for (const struct link *l = model->runs.prev; l != &model->runs; l = l->prev) {
		const struct model_run *run = list_of(l, struct model_run, in_model);

		if (!wanted || wanted(self, run->run))
			add_run(groups, run);
	}
	qsort(groups->at, groups->count, sizeof(*groups->at), by_rank);
}
