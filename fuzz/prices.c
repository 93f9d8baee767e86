/* prices.c - hostile lists of prices, names of models and saved sums: what is taken keeps its
 * promises, and what is not leaves all as it was. */
#include "crew/prices.h"

#include <stdlib.h>

#include "base/must.h"
#include "crew/spending.h"

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void try_list(struct text list)
{
	static const struct spent_counts counts = {{1000, 1000, 1000, 1000, 1000}};
	struct error why = {""};
	struct prices *prices = prices_read(list, &why);
	struct price_call call = {list, 0, true};
	double cost = 0;

	must(prices || why.words[0]);
	if (!prices)
		return;
	for (call.size = 0; call.size < PRICES_SIZES; call.size++)
		must(!prices_cost(prices, &call, &counts, &cost) || cost >= 0);
	prices_destroy(prices);
}

static void try_name(struct text name)
{
	static struct prices *own;

	if (!own)
		own = prices_own();
	prices_window(own, name);
}

static void try_sums(struct text saved)
{
	struct spending *spending = spending_create();
	struct buf first, again;

	buf_init(&first, SPENDING_SAVED_MAX);
	buf_init(&again, SPENDING_SAVED_MAX);
	if (spending_load(spending, saved)) {
		spending_save(spending, &first);
		must(spending_load(spending, buf_text(&first)));
		spending_save(spending, &again);
		must(text_equal(buf_text(&first), buf_text(&again)));
	}
	buf_finish(&first);
	buf_finish(&again);
	spending_destroy(spending);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *own = must_alloc(n);
	struct text text = {own, n};

	memcpy(own, data, n);
	try_list(text);
	try_name(text);
	try_sums(text);
	free(own);
	return 0;
}
