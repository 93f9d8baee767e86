/* price_rates.c - money of counts, where it is known what a million of each cost. */
#include "crew/prices.h"

#define MILLION 1000000.0

double price_rates_cost(const struct price_rates *rates, const struct spent_counts *counts)
{
	double sum = 0;

	for (int i = 0; i < PRICES_PRICED; i++)
		sum += (double)counts->n[i] * rates->dollars[i];
	return sum / MILLION;
}

bool prices_cost(const struct prices *prices, const struct price_call *call,
                 const struct spent_counts *counts, double *out)
{
	struct price_rates rates;

	prices_rates(prices, call, &rates);
	if (rates.is_listed)
		*out = price_rates_cost(&rates, counts);
	return rates.is_listed;
}
