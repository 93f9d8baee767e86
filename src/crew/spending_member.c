/* spending_member.c - what one session spent, as members of its JSON. */
#include <stdlib.h>

#include "base/put.h"
#include "crew/spending_answer.h"

static void gather_models(struct spending_answer *a, const struct usage *u)
{
	for (unsigned i = 0; i < u->part_count; i++) {
		struct spent_sum *sum = NULL;

		for (uint32_t k = 0; k < a->count && !sum; k++)
			if (a->sums[k].number == u->parts[i].model)
				sum = &a->sums[k];
		if (!sum)
			sum = spending_new_sum(a);
		sum->number = u->parts[i].model;
		spending_add_part(a->spending, &u->parts[i], a->question.prices, sum);
	}
}

static void put_models(const struct spending *s, const struct usage *const usages[],
                       const struct prices *prices, struct buf *out)
{
	struct spending_answer a = {
		.spending = s, .question.by = SPENDING_BY_MODEL, .question.prices = prices};

	for (; *usages; usages++)
		gather_models(&a, *usages);
	put_list(out, "models");
	for (uint32_t k = 0; k < a.count; k++)
		spending_put_row(&a, &a.sums[k], out);
	put_list_end(out);
	free(a.sums);
}

/* The window that the agent told, or else that of the model it asked last. */
static uint64_t window_of(const struct spending *s, const struct usage *u,
                          const struct prices *prices)
{
	if (u->context_window || u->part_count == 0)
		return u->context_window;
	return prices_window(prices, text_of(s->names[u->parts[u->part_count - 1].model]));
}

void spending_usage_json(const struct spending *s, const struct usage *const usages[],
                         const struct prices *prices, bool whole, struct buf *out)
{
	const struct usage *context = NULL;
	struct spent_sum sum = {0};
	bool is_any = false;

	for (const struct usage *const *u = usages; *u; u++) {
		spending_add_usage(s, *u, prices, &sum);
		is_any = is_any || (*u)->part_count > 0 || usage_own_cost(*u) > 0;
		if ((*u)->context_used)
			context = *u;
	}
	if (is_any)
		spending_put_sum(out, "usage", &sum);
	if (context) {
		uint64_t window = window_of(s, context, prices);

		put_object(out, "context");
		put_u64(out, "used", context->context_used);
		if (window)
			put_u64(out, "window", window);
		put_end(out);
	}
	if (whole)
		put_models(s, usages, prices, out);
}
