/* toil_inside.h - what tools took, for the files of toil alone. */
#ifndef CREW_TOIL_INSIDE_H
#define CREW_TOIL_INSIDE_H

#include "base/list.h"
#include "base/map.h"
#include "crew/toil.h"
#include "signal/json.h"

#define TOIL_HOUR_MS 3600000.0

/* A tool in an hour. */
struct toil_row {
	char *key; /* "HOUR TOOL" */
	uint32_t hour;
	const char *tool; /* in the key */
	uint64_t calls, failures;
	double ms;
	struct link in_list; /* toil.rows */
};

struct toil_call {
	char *key; /* of the run and the call */
	double at_ms;
	bool is_over;
	struct link in_list; /* toil.calls */
};

struct toil_set {
	struct map by_key;
	struct link all; /* the oldest first */
	size_t count;
};

struct toil {
	struct toil_set rows, calls;
	struct json_reader reader;
};

#endif
