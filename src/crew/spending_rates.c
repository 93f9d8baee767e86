/* spending_rates.c - what sums cost.
 *
 * Prices are looked up by the form of a model's name, which takes longer than to add up a sum: so
 * what was looked up is remembered, by the number of the name.
 */
#include <stdlib.h>

#include "base/must.h"
#include "crew/spending_inside.h"

/* All lengths and modes of a model. */
struct model_rates {
	struct price_rates of[PRICES_SIZES][2];
	bool is_known[PRICES_SIZES][2];
};

struct spent_rates {
	const struct prices *prices; /* whose they are */
	struct model_rates **models;
	uint32_t count;
};

struct spent_rates *spent_rates_create(void)
{
	return must_zero(1, sizeof(struct spent_rates));
}

void spent_rates_forget(struct spent_rates *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		free(r->models[i]);
	free(r->models);
	*r = (struct spent_rates){0};
}

void spent_rates_destroy(struct spent_rates *r)
{
	spent_rates_forget(r);
	free(r);
}

static void widen_rates(struct spent_rates *r, uint32_t count)
{
	r->models = must_grow(r->models, count * sizeof(struct model_rates *));
	while (r->count < count)
		r->models[r->count++] = NULL;
}

static const struct price_rates *find_rates(const struct spending *s, const struct prices *prices,
                                            uint32_t model, unsigned size, bool fast)
{
	struct spent_rates *r = s->rates;
	struct model_rates *m;

	if (r->prices != prices) {
		spent_rates_forget(r);
		r->prices = prices;
	}
	if (model >= r->count)
		widen_rates(r, s->name_count);
	if (!r->models[model])
		r->models[model] = must_zero(1, sizeof(*m));
	m = r->models[model];
	if (!m->is_known[size][fast]) {
		struct price_call call = {text_of(s->names[model]), size, fast};

		prices_rates(prices, &call, &m->of[size][fast]);
		m->is_known[size][fast] = true;
	}
	return &m->of[size][fast];
}

/* By the list, or as the calls told themselves: the larger. */
static double dearer(const struct price_rates *rates, const struct spent_counts *counts)
{
	double told = (double)counts->n[SPENT_MICROS] / 1e6;
	double listed = price_rates_cost(rates, counts);

	return listed > told ? listed : told;
}

bool spending_row_cost(const struct spending *s, const struct spent_row *row,
                       const struct prices *prices, double *out)
{
	const struct price_rates *rates = find_rates(s, prices, row->model, row->size, row->fast);

	*out = dearer(rates, &row->counts) + (double)row->own / 1e6;
	return rates->is_listed || row->counts.n[SPENT_MICROS] > 0 || row->own > 0;
}

bool spending_part_cost(const struct spending *s, const struct usage_part *part,
                        const struct prices *prices, double *out)
{
	const struct price_rates *rates =
		find_rates(s, prices, part->model, part->size, part->fast);

	*out = dearer(rates, &part->counts);
	return rates->is_listed || part->counts.n[SPENT_MICROS] > 0;
}
