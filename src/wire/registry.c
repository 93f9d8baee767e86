/* registry.c - every kind of filter, one word each. */
#include "wire/filter.h"

extern const struct filter_kind filter_throttle, filter_sample, filter_delta, filter_when,
	filter_map;

const struct filter_kind *const filter_kinds[] = {
	&filter_throttle, &filter_sample, &filter_delta, &filter_when, &filter_map, NULL,
};
