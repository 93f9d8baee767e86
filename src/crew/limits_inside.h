/* limits_inside.h - accounts and their windows, for the files of crew/limits alone. */
#ifndef CREW_LIMITS_INSIDE_H
#define CREW_LIMITS_INSIDE_H

#include "crew/limits.h"
#include "signal/json.h"

#define LIMITS_USED_MAX 1000.0     /* per cent; beyond it is no such figure */
#define LIMITS_MINUTES_MAX 1000000 /* two years */
#define LIMITS_SAVED_MAX MIB

struct limit_account {
	char *harness, *account, *plan; /* "": not told */
	double at_ms;
	struct limit_window windows[LIMITS_WINDOWS_MAX];
	unsigned count;
};

struct limits {
	/* The one that was heard last at the end. */
	struct limit_account *accounts[LIMITS_ACCOUNTS_MAX];
	unsigned count;
	int64_t (*now_ms)(void); /* or NULL */
	struct json_reader reader;
};

bool limits_wants(const struct signal *s);
bool limits_is_moment(double at_ms); /* of this century */

/* Adds one that is not there, at the end.  Takes the names. */
struct limit_account *limits_add(struct limits *limits, char *harness, char *account, char *plan);
/* NULL: it has too many. */
struct limit_window *limits_window(struct limit_account *account, struct text name,
                                   uint32_t minutes);
char *limits_keep_name(struct text name);
void limits_clear(struct limits *limits);

#endif
